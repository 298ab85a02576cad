"""Copies of a database: by PostgreSQL and by litestream, slow, archived, or from before an upgrade."""

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import URL, make_url
from sqlmodel import select

from emails.tokens import unseal_ticket
from engine.bots import stand_in
from server.admin.backups import back_up, examine_stored_acts, restore_file, set_back
from server.cli import main
from server.store.context import is_set_back
from server.store.database import BASELINE, SCHEMA_VERSION, open_database
from server.store.dialects import BackupRefused, system_of
from server.store.models import Act, OutgoingLetter
from server.store.states import Channel
from server.turns.play import play_turn
from tests.breadth import BREADTH
from tests.deployment.shipped import block
from tests.faults.visits import until
from tests.postgresql import USER, Cluster, durable
from tests.postgresql import cluster as private_cluster
from tests.server.desk import NOON, Collector, Desk, body, desk, words_of
from tests.server.storage import POSTGRESQL, SQLITE, choose, storage
from tests.server.store.old_database import EXPECTED, environment, execute, query, restore
from tests.server.store.test_postgresql import migrated

PASSWORD = "of@the:operator/%"


@pytest.fixture
def cluster(system) -> Iterator[Cluster]:
    """One that asks for a password, and ends who does nothing in a transaction for a second."""
    choose(POSTGRESQL)
    with durable(idle_in_transaction_session_timeout="1s") as built:
        built.execute(f"CREATE ROLE alexandros LOGIN PASSWORD '{PASSWORD}'")
        for name in ("games", "others"):
            built.execute(f"CREATE DATABASE {name} OWNER alexandros")
        rules = "local all postgres trust\nlocal all all scram-sha-256\n"
        (built.folder / "data/pg_hba.conf").write_text(rules)
        built.execute("SELECT pg_reload_conf()")
        yield built


def url_of(cluster: Cluster, database: str) -> str:
    drawn = make_url(cluster.url(database)).set(username="alexandros", password=PASSWORD)
    return drawn.render_as_string(hide_password=False)


def check_played(context: Desk, game: str) -> None:
    """A game is there, all acts are as they were written, and nobody holds the database any more."""
    assert context.game_row(game).seq
    assert list(examine_stored_acts(context)) == []
    context.database.dispose()


def slow_down(monkeypatch, folder: Path) -> Path:
    """Let `pg_dump` begin later, and note with which arguments."""
    noted, program = folder / "arguments", folder / "bin/pg_dump"
    program.parent.mkdir()
    real = shutil.which("pg_dump")
    program.write_text(f'#!/bin/sh\necho "$@" > {noted}\nsleep 2\nexec {real} "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return noted


@BREADTH
def test_a_slow_copy_with_a_password_comes_back(tmp_path, monkeypatch, cluster):
    noted = slow_down(monkeypatch, tmp_path)
    context = desk(tmp_path, ALEXANDROS_DATABASE=url_of(cluster, "games"))
    game = context.start_game("Anna", "Ben")
    assert back_up(context, tmp_path / "copy", NOON) == 1
    assert PASSWORD not in noted.read_text()
    assert "of%40" not in noted.read_text()
    context.database.dispose()
    with pytest.raises(BackupRefused, match="would be lost"):
        restore_file(context.settings, tmp_path / "copy", NOON, replacing=False)
    for name in ("games", "others"):
        settings = context.settings.model_copy(update={"database": make_url(url_of(cluster, name))})
        restore_file(settings, tmp_path / "copy", NOON, replacing=True)
        check_played(desk(tmp_path, ALEXANDROS_DATABASE=url_of(cluster, name)), game)


@BREADTH
def test_a_database_that_is_moved_by_the_guide_goes_on_and_nobody_is_told(tmp_path, cluster):
    context = desk(tmp_path, ALEXANDROS_DATABASE=url_of(cluster, "games"))
    game = context.start_game("Anna", "Ben")
    before = context.rows_of(OutgoingLetter.kind)
    context.database.dispose()
    names = {"sudo -u postgres ": "", " alexandros >": " games >", "--dbname=alexandros": "--dbname=others"}
    typed = block("postgresql", "backup.md")
    for name, own in names.items():
        typed = typed.replace(name, own)
    here = os.environ | {"PGHOST": str(cluster.folder), "PGUSER": USER}
    subprocess.run(["sh", "-ec", typed], cwd=tmp_path, env=here, check=True)
    moved = desk(tmp_path, ALEXANDROS_DATABASE=url_of(cluster, "others"))
    assert moved.rows_of(OutgoingLetter.kind) == before
    assert moved.start_game("Anna", "Ben"), "its owner writes"
    check_played(moved, game)


@BREADTH
def test_a_wrong_password_is_a_sentence_and_leaves_no_file(tmp_path, cluster):
    context = desk(tmp_path, ALEXANDROS_DATABASE=url_of(cluster, "games"))
    context.start_game("Anna", "Ben")
    context.database.dispose()
    cluster.execute("ALTER ROLE alexandros PASSWORD 'another'")
    with pytest.raises(BackupRefused, match="cannot be queried") as refused:
        back_up(context, tmp_path / "copy", NOON)
    assert PASSWORD not in str(refused.value)
    assert not (tmp_path / "copy").exists()


def take_turn(context: Desk, game: str, carrier: Collector) -> None:
    play_turn(context, game, context.game_row(game).after, stand_in, Channel.WEB, NOON)
    context.work_until_idle(carrier, NOON)


def links_set_back(context: Desk, mails) -> set[bool]:
    """Whether the links of some letters are of acts that are not there."""
    found = {link for mail in mails for link in re.findall(r"/t/([a-z2-7]+)", body(mail))}
    with context.reading() as session:
        return {is_set_back(context, session, unseal_ticket(one, context.links.keys)) for one in found}


@BREADTH
def test_a_log_that_is_archived_brings_a_moment_back(tmp_path, system, carrier):
    choose(POSTGRESQL)
    with durable(archive_mode="on", archive_command="true") as primary:
        kept = primary.folder / "archive"
        primary.execute(f"ALTER SYSTEM SET archive_command = 'mkdir -p {kept} && cp %p {kept}/%f'")
        primary.execute("SELECT pg_reload_conf()")
        primary.execute("CREATE DATABASE games")
        context = desk(tmp_path, ALEXANDROS_DATABASE=primary.url("games"))
        game = context.start_game("Anna", "Ben")
        for name in ("Anna", "Ben"):
            context.set_preferences(game, name, pictures=False)
        with durable(primary) as copy:
            copy.stop()
            take_turn(context, game, carrier)
            sent, acts = len(carrier.mails), context.game_row(game).seq
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
            again = desk(tmp_path, ALEXANDROS_DATABASE=copy.url("games"))
            assert len(again.rows_of(Act, Act.game == game)) == acts
            assert links_set_back(again, lost[-1:]) == {True}
            assert links_set_back(again, carrier.mails[:1]) == {False}
            told, _ = set_back(again, NOON), again.work_until_idle(carrier, NOON)
            assert told.games == 1
            for name in ("Anna", "Ben"):
                assert "stands again where it stood" in words_of(carrier.to(name)[-1])
            take_turn(again, game, carrier)
            check_played(again, game)


# --- litestream, beside the server ----------------------------------------------------------------------

LITESTREAM = Path(sys.executable).with_name("litestream")
SOON = 60.0
"""Seconds within which what was played is in the copy; it takes about one."""
LOOKS_AGAIN = Event()
"""Never set: who looks again and again leaves the machine to others meanwhile."""


@contextmanager
def streaming(file: Path, to: Path) -> Iterator[None]:
    """The command of the documents, with a folder in the place of a bucket."""
    command = [LITESTREAM, "replicate", file, f"file://{to}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(SOON)
            except subprocess.TimeoutExpired:
                process.kill()


def restored(kept: Path, to: Path) -> int:
    """How many acts are in what comes back; none where nothing does yet."""
    to.unlink(missing_ok=True)
    command = [LITESTREAM, "restore", "-o", to, f"file://{kept}"]
    if subprocess.run(command, capture_output=True, timeout=SOON).returncode:
        return 0
    database = open_database(make_url(f"sqlite:///{to}"))
    try:
        with database.connect() as connection:
            return len(connection.execute(select(Act.seq)).all())
    finally:
        database.dispose()


@BREADTH
def test_a_copy_that_is_made_as_it_happens_comes_back_and_is_played_on(tmp_path, system, carrier):
    choose(SQLITE)
    context = desk(tmp_path)
    file, kept, copy = Path(context.settings.database.database), tmp_path / "bucket", tmp_path / "copy.db"
    game = context.start_game("Anna", "Ben")
    with streaming(file, kept):
        for _ in range(3):
            take_turn(context, game, carrier)
        ends = monotonic() + SOON
        while (found := restored(kept, copy)) != len(context.rows_of(Act)):
            assert monotonic() < ends, f"{found} acts of {len(context.rows_of(Act))} come back"
            LOOKS_AGAIN.wait(0.2)
        acts = found
    take_turn(context, game, carrier)  # after the stream: lost
    context.database.dispose()

    assert restore_file(context.settings, copy, NOON, replacing=True).games == 1
    again = desk(tmp_path)
    assert len(again.rows_of(Act)) == acts
    again.work_until_idle(carrier, NOON)
    take_turn(again, game, carrier)
    assert list(examine_stored_acts(again)) == []


# --- a copy from before an upgrade ----------------------------------------------------------------------


def bring_back(target: str, copy: str) -> Result:
    settings = environment(copy) | {"ALEXANDROS_DATABASE": target}
    return CliRunner(env=settings).invoke(main, ["restore", str(copy)])


@pytest.mark.file
def test_it_comes_back_and_is_migrated(tmp_path):
    copy, file = restore(tmp_path), tmp_path / "again.sqlite"
    done = bring_back(f"sqlite:///{file}", copy)
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"The copy had version {BASELINE}, and was migrated to {SCHEMA_VERSION}.\n" in done.stdout
    assert "The database is restored" in done.stdout
    assert query(file, "SELECT version_num FROM alembic_version") == [(SCHEMA_VERSION,)]
    games = {one["id"] for one in EXPECTED["games"]}
    assert {number for (number,) in query(file, "SELECT id FROM game")} == games != set()
    assert query(copy, "SELECT version_num FROM alembic_version") == [(BASELINE,)], "the copy stays as it is"


@pytest.mark.file
@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("9999", f"knows no version after {SCHEMA_VERSION}"),
        ("0016", f"migrates no version before {BASELINE}"),
    ],
)
def test_a_copy_that_is_too_new_or_too_old_is_refused_and_nothing_has_changed(tmp_path, version, why):
    copy, file = restore(tmp_path), tmp_path / "again.sqlite"
    execute(copy, f"UPDATE alembic_version SET version_num = '{version}'")
    refused = bring_back(f"sqlite:///{file}", copy)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"{copy} has version {version}; this program {why}" in refused.stderr
    assert not file.exists()


@BREADTH
def test_on_postgresql_it_comes_back_into_a_database_without_tables(tmp_path, system):
    choose(POSTGRESQL)
    before, empty = (named(tmp_path, name) for name in ("before", "empty"))
    migrated(before, BASELINE).dispose()
    system_of(before).copy_database(before, tmp_path / "copy", lambda _: None)
    done = bring_back(empty.render_as_string(hide_password=False), tmp_path / "copy")
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"and was migrated to {SCHEMA_VERSION}.\n" in done.stdout
    assert private_cluster().execute("SELECT version_num FROM alembic_version", empty.database) == [
        (SCHEMA_VERSION,)
    ]


def named(folder, name: str) -> URL:
    place = folder / name
    place.mkdir()
    return make_url(storage().bare(place))
