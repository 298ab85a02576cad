"""A copy of a PostgreSQL as an operator has it: with a password, and slower than transactions may idle."""

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from emails.tokens import unseal_ticket
from engine.bots import stand_in
from server.admin.backups import back_up, examine_stored_acts, restore_file, set_back
from server.store.context import Context, is_set_back
from server.store.dialects.systems import BackupRefused
from server.store.models import Act, OutgoingLetter
from server.store.states import Channel
from server.turns.play import play_turn
from tests.breadth import BREADTH
from tests.deployment.shipped import block
from tests.faults.visits import until
from tests.postgresql import USER, Cluster, durable
from tests.server.desk import (
    NOON,
    Collector,
    body,
    desk,
    game_row,
    rows_of,
    set_preferences,
    start_game,
    work_until_idle,
)
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
    return rows_of(context, OutgoingLetter.kind)


def test_a_wrong_password_is_a_sentence_and_leaves_no_file(tmp_path, cluster):
    context = desk(tmp_path, ALEXANDROS_DATABASE=url_of(cluster, "games"))
    start_game(context, "Anna", "Ben")
    context.database.dispose()
    cluster.execute("ALTER ROLE alexandros PASSWORD 'another'")
    with pytest.raises(BackupRefused, match="cannot be queried") as refused:
        back_up(context, tmp_path / "copy", NOON)
    assert PASSWORD not in str(refused.value)
    assert not (tmp_path / "copy").exists()


PEOPLE = "Anna", "Ben"


def office(tmp_path, cluster: Cluster) -> Context:
    return desk(tmp_path, ALEXANDROS_DATABASE=cluster.url("games"))


def take_turn(context: Context, game: str, carrier: Collector) -> None:
    play_turn(context, game, game_row(context, game).after, stand_in, Channel.WEB, NOON)
    work_until_idle(context, carrier, NOON)


def links_set_back(context: Context, mails) -> set[bool]:
    """Whether the links of some letters are of acts that are not there."""
    found = {link for mail in mails for link in re.findall(r"/t/([a-z2-7]+)", body(mail))}
    with context.reading() as session:
        return {is_set_back(context, session, unseal_ticket(one, context.links.keys)) for one in found}


@BREADTH
def test_a_log_that_is_archived_brings_a_moment_back(tmp_path):
    with durable(archive_mode="on", archive_command="true") as primary:
        kept = primary.folder / "archive"
        primary.execute(f"ALTER SYSTEM SET archive_command = 'mkdir -p {kept} && cp %p {kept}/%f'")
        primary.execute("SELECT pg_reload_conf()")
        primary.execute("CREATE DATABASE games")
        context, carrier = office(tmp_path, primary), Collector()
        game = start_game(context, *PEOPLE)
        for name in PEOPLE:
            set_preferences(context, game, name, pictures=False)
        with durable(primary) as copy:
            copy.stop()
            take_turn(context, game, carrier)
            sent, acts = len(carrier.mails), game_row(context, game).seq
            primary.execute("SELECT pg_create_restore_point('monday')")
            take_turn(context, game, carrier)
            lost = carrier.mails[sent:]
            assert links_set_back(context, lost) == {False}
            primary.execute("SELECT pg_switch_wal()")
            context.database.dispose()
            primary.stop()

            copy.configure(
                primary_conninfo="",
                restore_command=f"cp {kept}/%f %p",
                recovery_target_name="monday",
                recovery_target_action="promote",
            )
            copy.start()
            until(lambda: copy.execute("SELECT pg_is_in_recovery()") == [(False,)], "all of the log is read")
            again = office(tmp_path, copy)
            assert len(rows_of(again, Act, Act.game == game)) == acts
            assert links_set_back(again, lost[-1:]) == {True}
            assert links_set_back(again, carrier.mails[:1]) == {False}
            told, _ = set_back(again, NOON), work_until_idle(again, carrier, NOON)
            assert told.games == 1
            for name in PEOPLE:
                assert "stands again where it stood" in " ".join(body(carrier.to(name)[-1]).split())
            take_turn(again, game, carrier)
            assert list(examine_stored_acts(again)) == []
            again.database.dispose()
