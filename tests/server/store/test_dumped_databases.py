"""A copy of a PostgreSQL as an operator has it: with a password, and slower than transactions may idle."""

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url
from sqlmodel import col, select

from server.admin.backups import back_up, examine_stored_acts, restore_file
from server.store.context import Context
from server.store.dialects.systems import BackupRefused
from server.store.models import OutgoingLetter
from tests.breadth import BREADTH
from tests.deployment.shipped import block
from tests.postgresql import USER, Cluster, durable
from tests.server.desk import NOON, desk, game_row, start_game
from tests.server.storage import POSTGRESQL, choose

pytestmark = BREADTH
PASSWORD = "of@the:operator/%"


@pytest.fixture(autouse=True)
def on_postgresql(system):
    choose(POSTGRESQL)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """One that asks for a password, and ends who does nothing in a transaction for a second."""
    with durable(idle_in_transaction_session_timeout="1s") as built:
        built.execute(f"CREATE ROLE alexandros LOGIN PASSWORD '{PASSWORD}'")
        for name in ("games", "others"):
            built.execute(f"CREATE DATABASE {name} OWNER alexandros")
        rules = "local all postgres trust\nlocal all all scram-sha-256\n"
        (built.folder / "data/pg_hba.conf").write_text(rules)
        built.execute("SELECT pg_reload_conf()")
        yield built


def url_of(cluster: Cluster, database: str, password: str = PASSWORD) -> str:
    drawn = make_url(cluster.url(database)).set(username="alexandros", password=password)
    return drawn.render_as_string(hide_password=False)


def slow_down(monkeypatch, folder: Path) -> Path:
    """Let `pg_dump` begin later, and note with which arguments."""
    noted, program = folder / "arguments", folder / "bin/pg_dump"
    program.parent.mkdir()
    real = shutil.which("pg_dump")
    program.write_text(f'#!/bin/sh\necho "$@" > {noted}\nsleep 2\nexec {real} "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return noted


def test_a_slow_copy_with_a_password_comes_back(tmp_path, monkeypatch, cluster):
    noted = slow_down(monkeypatch, tmp_path)
    context = desk(tmp_path, ALEXANDROS_DATABASE=url_of(cluster, "games"))
    game = start_game(context, "Anna", "Ben")
    assert back_up(context, tmp_path / "copy", NOON) == 1
    assert PASSWORD not in noted.read_text()
    assert "of%40" not in noted.read_text()
    context.database.dispose()
    with pytest.raises(BackupRefused, match="would be lost"):
        restore_file(context.settings, tmp_path / "copy", NOON, replacing=False)
    for name in ("games", "others"):
        settings = context.settings.model_copy(update={"database": make_url(url_of(cluster, name))})
        restore_file(settings, tmp_path / "copy", NOON, replacing=True)
        again = desk(tmp_path, ALEXANDROS_DATABASE=url_of(cluster, name))
        assert game_row(again, game).seq
        assert list(examine_stored_acts(again)) == []
        again.database.dispose()


def test_a_database_that_is_moved_by_the_guide_goes_on_and_nobody_is_told(tmp_path, cluster):
    context = desk(tmp_path, ALEXANDROS_DATABASE=url_of(cluster, "games"))
    game = start_game(context, "Anna", "Ben")
    before = letters(context)
    context.database.dispose()
    names = {"sudo -u postgres ": "", " alexandros >": " games >", "--dbname=alexandros": "--dbname=others"}
    typed = block("postgresql", "backup.md")
    for name, own in names.items():
        typed = typed.replace(name, own)
    here = os.environ | {"PGHOST": str(cluster.folder), "PGUSER": USER}
    subprocess.run(["sh", "-ec", typed], cwd=tmp_path, env=here, check=True)
    moved = desk(tmp_path, ALEXANDROS_DATABASE=url_of(cluster, "others"))
    assert game_row(moved, game).seq
    assert list(examine_stored_acts(moved)) == []
    assert letters(moved) == before
    assert start_game(moved, "Anna", "Ben"), "its owner writes"
    moved.database.dispose()


def letters(context: Context) -> list[str]:
    with context.reading() as session:
        return list(session.exec(select(OutgoingLetter.kind).order_by(col(OutgoingLetter.id))))


def test_a_wrong_password_is_a_sentence_and_leaves_no_file(tmp_path, cluster):
    context = desk(tmp_path, ALEXANDROS_DATABASE=url_of(cluster, "games"))
    start_game(context, "Anna", "Ben")
    context.database.dispose()
    cluster.execute("ALTER ROLE alexandros PASSWORD 'another'")
    with pytest.raises(BackupRefused, match="cannot be asked") as refused:
        back_up(context, tmp_path / "copy", NOON)
    assert PASSWORD not in str(refused.value)
    assert not (tmp_path / "copy").exists()
