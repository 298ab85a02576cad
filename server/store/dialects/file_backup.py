"""A database of SQLite as a file: copied while it is used, looked at, and put back in its place."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine
from sqlalchemy.exc import SQLAlchemyError

from server.private_files import create_private_file, database_file, narrow_files


class BackupRefused(ValueError):
    """A backup that cannot be made or returned; the sentence says why."""


def require_file(database: URL) -> None:
    """See to it that a database is one file. Raises `BackupRefused`."""
    if database.get_backend_name() != "sqlite":
        raise BackupRefused(
            "the database (ALEXANDROS_DATABASE) is PostgreSQL's: `pg_dump -Fc` copies it and `pg_restore`"
            " brings it back"
        )


@contextmanager
def copied(database: URL, file: Path) -> Iterator[Engine]:
    """A copy of the database, to be written in once more before it is one file. Raises `BackupRefused`.

    It is one moment of it, however much is written meanwhile; where anything fails no file is left.
    """
    if file.exists():
        raise BackupRefused(f"{file} is there already: name a file that is not")
    url = URL.create("sqlite", database=str(file))
    create_private_file(url)
    if not file.exists():
        raise BackupRefused(f"{file} cannot be written")
    try:
        with closing(sqlite3.connect(database_file(database))) as source:
            _copy(source, file)
        engine = create_engine(url)
        yield engine
        engine.dispose()
        with closing(sqlite3.connect(file)) as copy:
            copy.execute("PRAGMA journal_mode=DELETE")  # so it is one file
    except (sqlite3.Error, SQLAlchemyError) as error:
        file.unlink(missing_ok=True)
        raise BackupRefused(f"{file} cannot be written: {error}") from None
    narrow_files(url)


def put_back(database: URL, file: Path, *, replacing: bool) -> None:
    """Put a copy in the place of the database. Raises `BackupRefused`: then nothing has changed.

    `replacing`: though there are games in it. No other process may have it open.
    """
    create_private_file(database)
    target = database_file(database)
    try:
        with closing(sqlite3.connect(target, timeout=0)) as connection:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            used = _count_games(connection)
            connection.execute("ROLLBACK")
            if used and not replacing:
                raise BackupRefused(
                    f"the database (ALEXANDROS_DATABASE) holds {used} games, which would be lost:"
                    " back it up, and say --replace"
                )
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)) as source:
            _copy(source, target)
    except sqlite3.OperationalError as error:
        raise BackupRefused(
            f"the database (ALEXANDROS_DATABASE) cannot be replaced: {error}; stop `alexandros serve` and"
            " whatever else has it open"
        ) from None
    narrow_files(database)


@contextmanager
def opened_copy(file: Path) -> Iterator[Connection]:
    """A copy, to be read only."""
    engine = create_engine(f"sqlite:///file:{quote(str(file))}?mode=ro&uri=true")
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def is_whole(copy: Connection) -> bool:
    """Whether nothing in a copy is damaged."""
    return copy.exec_driver_sql("PRAGMA quick_check(1)").scalar() == "ok"


def _copy(source: sqlite3.Connection, target: Path) -> None:
    with closing(sqlite3.connect(target, timeout=0)) as copy:
        source.backup(copy)  # in one step: it reads one moment, and who writes need not wait


def _count_games(connection: sqlite3.Connection) -> int:
    there = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'game'").fetchone()
    count = connection.execute("SELECT count(*) FROM game").fetchone() if there else (0,)
    return int(count[0])
