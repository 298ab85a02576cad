"""The version of a database: a new one has the newest, another one is refused and left as it is."""

import logging
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import make_url, text
from sqlalchemy.exc import OperationalError

from server.cli import main
from server.store.database import BASELINE, SCHEMA_VERSION, open_database, upgrade_database
from server.store.dialects import UnreadableValue
from server.store.dialects.sqlite import database_file
from tests.breadth import first
from tests.server.desk import at_once
from tests.server.store.old_database import dump, environment, execute, query, restore, url

pytestmark = pytest.mark.file

COMMANDS = {
    "serve": [],
    "games": [],
    "failing": [],
    "rebuild": [],
    "doctor": [],
    "export": ["aaaaaaaa"],
    "new": ["--name", "Friday", "--seat", "Anna <anna@example.org>", "--seat", "house"],
}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "games.sqlite"


def run(file, *arguments, given=b""):
    return CliRunner(env=environment(file)).invoke(main, arguments, input=given)


def check_refused(file, command, because):
    """A command is refused in one sentence, and the database stays as it is."""
    before = file.read_bytes()
    refused = run(file, command, *COMMANDS.get(command, []))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == f"alexandros: the database (ALEXANDROS_DATABASE) {because}\n"
    assert file.read_bytes() == before


@pytest.mark.parametrize("number", first(3, range(6)))
def test_all_that_begin_together_with_no_database_find_one_of_the_newest_version(file, number):
    together = 6 if number else 1
    assert at_once(*[lambda: open_database(url(file)).dispose()] * together) == []
    assert query(file, "SELECT version_num FROM alembic_version") == [(SCHEMA_VERSION,)]
    assert query(file, "PRAGMA journal_mode") == [("wal",)]


@pytest.mark.parametrize("command", first(3, COMMANDS))
def test_no_command_uses_an_older_database(tmp_path, command):
    needed = f"has version {BASELINE}; this program needs {SCHEMA_VERSION}"
    because = f"{needed}: stop the server, copy the database and run `alexandros migrate`"
    check_refused(restore(tmp_path), command, because)


@pytest.mark.parametrize("command", ["games", "migrate"])
def test_a_database_that_is_too_old_is_refused_and_left_as_it_is(tmp_path, command):
    file = restore(tmp_path)
    execute(file, "UPDATE alembic_version SET version_num = '0016'; PRAGMA wal_checkpoint(TRUNCATE)")
    because = f"has version 0016; this program migrates no version before {BASELINE}"
    check_refused(file, command, f"{because}: migrate it with version 0.1.0 of the program first")


def test_a_mail_that_comes_in_before_the_migration_is_to_come_again(tmp_path):
    refused = run(restore(tmp_path), "receive", "--to", "new@example.org", given=b"Subject: x\r\n\r\n")
    assert refused.exit_code == 75
    assert "`alexandros migrate`" in refused.stderr


@pytest.mark.parametrize("command", first(3, [*COMMANDS, "migrate"]))
def test_no_command_uses_a_newer_database(file, command):
    open_database(url(file)).dispose()
    execute(file, "UPDATE alembic_version SET version_num = '9999'")
    because = f"has version 9999; this program knows no version after {SCHEMA_VERSION}"
    check_refused(file, command, f"{because}: install the newer program that wrote it")


FOREIGN = [
    "CREATE TABLE bookmark (address TEXT)",
    "CREATE TABLE game (id TEXT); CREATE TABLE player (id INTEGER)",
    "CREATE TABLE alembic_version (version_num TEXT); INSERT INTO alembic_version VALUES ('0002')",
    "CREATE TABLE game (id TEXT); CREATE TABLE alembic_version (version_num TEXT);"
    "INSERT INTO alembic_version VALUES ('ae1027a6acf')",
]


@pytest.mark.parametrize("command", ["serve", "migrate"])
@pytest.mark.parametrize("tables", FOREIGN)
def test_a_database_of_another_program_is_refused(file, tables, command):
    execute(file, tables)
    because = "holds the tables of another program: name another database, or a new one"
    check_refused(file, command, because)


def test_a_table_of_the_operator_beside_ours_is_left_alone(tmp_path):
    file = restore(tmp_path)
    execute(file, "CREATE TABLE backup_position (at INTEGER); INSERT INTO backup_position VALUES (7)")
    assert run(file, "migrate").exit_code == 0
    assert run(file, "games").exit_code == 0
    assert query(file, "SELECT at FROM backup_position") == [(7,)]


@pytest.mark.parametrize("command", ["games", "migrate"])
def test_a_file_that_is_no_database_is_a_sentence(file, command):
    file.write_bytes(b"no database at all" * 100)
    refused = run(file, command)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "ALEXANDROS_DATABASE" in refused.stderr


def test_an_empty_file_becomes_a_database(file, tmp_path):
    file.touch(0o600)
    made = run(file, "migrate")
    assert (made.exit_code, made.stderr) == (0, "")
    assert made.stdout == f"The database is new and was made at version {SCHEMA_VERSION}.\n"
    open_database(url(tmp_path / "new.sqlite")).dispose()
    assert dump(file) == dump(tmp_path / "new.sqlite")


def test_a_text_that_is_none_is_not_taken_for_a_database_that_is_away(file):
    database = open_database(url(file))
    for statement in ("SELECT CAST(x'ff' AS TEXT)", "SELECT CAST(x'ff' AS TEXT) UNION ALL SELECT 'well'"):
        with database.connect() as connection, pytest.raises(UnreadableValue):
            connection.execute(text(statement)).all()
    with database.connect() as connection, pytest.raises(OperationalError):
        connection.execute(text("SELECT * FROM nowhere")).all()
    database.dispose()


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir() if file.is_file()}


def write(database) -> None:
    with database.execution_options(writing=True).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = version_num"))


@pytest.mark.parametrize("mask", [0, 0o777], ids=oct)
def test_a_database_that_is_made_or_migrated_is_its_owners_alone(tmp_path, mask):
    with umask(mask):
        upgrade_database(url(tmp_path / "new.sqlite"), pytest.fail)
    with umask(0):
        old = restore(tmp_path)
        old.chmod(0o644)
        upgrade_database(url(old), pytest.fail)
    assert modes(tmp_path) == {"new.sqlite": 0o600, old.name: 0o600}


def test_a_database_that_others_could_read_is_narrowed_with_one_line(file, tmp_path, caplog):
    first = open_database(url(file))
    write(first)
    for one in tmp_path.iterdir():
        one.chmod(0o644)
    with caplog.at_level(logging.WARNING, "server.store"):
        second = open_database(url(file))
        assert set(modes(tmp_path).values()) == {0o600}
        assert len(modes(tmp_path)) == 3
        open_database(url(file)).dispose()
    (line,) = caplog.messages
    assert line == f"{file} could be read by others on this machine; from now on only its owner can"
    writing = first.execution_options(writing=True)
    locked = pytest.raises(sqlite3.OperationalError, match="locked")  # the first keeps its locks
    with closing(sqlite3.connect(file, timeout=0)) as other, writing.begin(), locked:
        other.execute("BEGIN IMMEDIATE")
    first.dispose()
    second.dispose()


def test_where_it_cannot_be_narrowed_the_log_says_who_reads_it(file, caplog, monkeypatch):
    open_database(url(file)).dispose()
    file.chmod(0o660)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)  # as for the file of another user
    open_database(url(file)).dispose()
    assert caplog.messages == [f"{file} can be read by others on this machine: Operation not permitted"]


def test_a_database_can_be_named_by_a_uri(tmp_path):
    named = make_url(f"sqlite:///file:{tmp_path}/my%2520games.sqlite?uri=true")
    assert database_file(named) == tmp_path / "my games.sqlite"
    with umask(0):
        open_database(named).dispose()
    assert modes(tmp_path) == {"my games.sqlite": 0o600}


def test_an_error_of_the_database_does_not_show_what_was_asked_for(file):
    database = open_database(url(file))
    with database.connect() as connection, pytest.raises(Exception, match="no such table") as failed:
        connection.execute(text("SELECT * FROM nowhere WHERE code = :code"), {"code": "kept to ourselves"})
    assert "kept to ourselves" not in str(failed.value)
    database.dispose()


@pytest.mark.parametrize("mask", [0, 0o022, 0o077, 0o777], ids=oct)
def test_a_new_database_and_what_sqlite_puts_beside_it_are_its_owners_alone(file, tmp_path, mask):
    with umask(mask):
        database = open_database(url(file))
        write(database)
        assert modes(tmp_path) == dict.fromkeys([f"{file.name}{end}" for end in ("", "-wal", "-shm")], 0o600)
        database.dispose()
        again = open_database(url(file))  # -wal and -shm went with the last connection
        write(again)
        assert set(modes(tmp_path).values()) == {0o600}
        assert len(modes(tmp_path)) == 3
        again.dispose()
