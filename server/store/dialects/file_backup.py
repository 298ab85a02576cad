"""A database of SQLite as a file: copied while it is used, looked at, and put back in its place."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, create_engine
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from server.private_files import create_private_file, database_file, narrow_files
from server.store.dialects.systems import BackupRefused, describe_games_at_risk, describe_in_use


def copy_database(database: URL, file: Path, note: Callable[[Session], None]) -> int:
    """Copy a database into a new file; see `BackupFormat`."""
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
        with Session(engine) as session:
            note(session)
            session.commit()
        engine.dispose()
        with closing(sqlite3.connect(file)) as copy:
            copy.execute("PRAGMA journal_mode=DELETE")  # so it is one file
            games = _count_games(copy)
    except (sqlite3.Error, SQLAlchemyError) as error:
        file.unlink(missing_ok=True)
        raise BackupRefused(f"{file} cannot be written: {error}") from None
    narrow_files(url)
    return games


def read_version(file: Path) -> str | None:
    """The version of the database in a copy; see `BackupFormat`."""
    try:
        with closing(_open_copy(file)) as copy:
            _count_games(copy)
            version = copy.execute("SELECT version_num FROM alembic_version").fetchone()
            whole = copy.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    except sqlite3.Error:
        return None
    return str(version[0]) if version and whole else None


def put_back(database: URL, file: Path, *, replacing: bool) -> None:
    """Put a copy in the place of a database; see `BackupFormat`."""
    create_private_file(database)
    target = database_file(database)
    try:
        with closing(sqlite3.connect(target, timeout=0)) as connection:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            there = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'game'").fetchone()
            games = _count_games(connection) if there else 0
            connection.execute("ROLLBACK")
        if games and not replacing:
            raise BackupRefused(describe_games_at_risk(games))
        with closing(_open_copy(file)) as source:
            _copy(source, target)
    except sqlite3.OperationalError as error:
        raise BackupRefused(describe_in_use(str(error))) from None
    except sqlite3.DatabaseError as error:
        raise BackupRefused(
            f"the database (ALEXANDROS_DATABASE) is damaged ({error}): move {target} away, and restore again"
        ) from None
    narrow_files(database)


def _open_copy(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)


def _copy(source: sqlite3.Connection, target: Path) -> None:
    with closing(sqlite3.connect(target, timeout=0)) as copy:
        source.backup(copy)  # in one step: it reads one moment, and who writes need not wait


def _count_games(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM game").fetchone()[0])
