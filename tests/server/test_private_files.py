"""The files of a database can be read by their owner alone, whatever the umask is and whoever made them."""

import logging
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from server.private_files import database_file
from server.store.database import open_database, upgrade_database
from tests.server.store.old_database import restore, url

pytestmark = pytest.mark.file


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


@pytest.mark.parametrize("mask", [0, 0o022, 0o077, 0o777], ids=oct)
def test_a_new_database_and_what_sqlite_puts_beside_it_are_its_owners_alone(
    tmp_path: Path, mask: int
) -> None:
    file = tmp_path / "games.sqlite"
    with umask(mask):
        database = open_database(url(file))
        write(database)
        assert modes(tmp_path) == dict.fromkeys(
            ["games.sqlite", "games.sqlite-wal", "games.sqlite-shm"], 0o600
        )
        database.dispose()
        again = open_database(url(file))  # -wal and -shm went with the last connection
        write(again)
        assert set(modes(tmp_path).values()) == {0o600}
        assert len(modes(tmp_path)) == 3
        again.dispose()


@pytest.mark.parametrize("mask", [0, 0o777], ids=oct)
def test_a_database_that_is_made_or_migrated_is_its_owners_alone(tmp_path: Path, mask: int) -> None:
    with umask(mask):
        upgrade_database(url(tmp_path / "new.sqlite"), pytest.fail)
    with umask(0):
        old = restore(tmp_path)
        old.chmod(0o644)
        upgrade_database(url(old), pytest.fail)
    assert modes(tmp_path) == {"new.sqlite": 0o600, old.name: 0o600}


def test_a_database_that_others_could_read_is_narrowed_with_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "games.sqlite"
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


def test_where_it_cannot_be_narrowed_the_log_says_who_reads_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "games.sqlite"
    open_database(url(file)).dispose()
    file.chmod(0o660)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)  # as for the file of another user
    open_database(url(file)).dispose()
    assert caplog.messages == [f"{file} can be read by others on this machine: Operation not permitted"]


def test_a_database_can_be_named_by_a_uri(tmp_path: Path) -> None:
    named = make_url(f"sqlite:///file:{tmp_path}/my%2520games.sqlite?uri=true")
    assert database_file(named) == tmp_path / "my games.sqlite"
    with umask(0):
        open_database(named).dispose()
    assert modes(tmp_path) == {"my games.sqlite": 0o600}


def test_an_error_of_the_database_does_not_show_what_was_asked_for(tmp_path: Path) -> None:
    database = open_database(url(tmp_path / "games.sqlite"))
    with database.connect() as connection, pytest.raises(Exception, match="no such table") as failed:
        connection.execute(text("SELECT * FROM nowhere WHERE code = :code"), {"code": "kept to ourselves"})
    assert "kept to ourselves" not in str(failed.value)
    database.dispose()
