"""A database of SQLite as a file: copied while it is used, looked at, and put back in its place."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, create_engine
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from server.private_files import BESIDE, create_private_file, database_file, narrow_files
from server.store.dialects.systems import (
    LAST_NUMBERS,
    BackupRefused,
    StagedCopy,
    describe_games_at_risk,
    describe_in_use,
)

ACTS_BY_ITSELF = "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')"


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


@contextmanager
def stage_copy(database: URL, file: Path, *, replacing: bool) -> Iterator[StagedCopy]:
    """Read a copy into a place beside the database; see `BackupFormat`.

    The database is locked till the end, and its file stays the same one, so a process that waits for it
    meanwhile works with what came back.
    """
    target = database_file(database)
    staged = URL.create("sqlite", database=f"{target}-restoring")
    is_new = not target.exists()
    create_private_file(database)
    with closing(sqlite3.connect(target, timeout=0, isolation_level=None)) as own, _explained(target):
        known = _lock(own, replacing)
        kept = "" if known is None else _free_name(target)
        try:
            _remove(staged)
            create_private_file(staged)
            with closing(_open_copy(file)) as source:
                _copy(source, database_file(staged))
            _judge_copy(database_file(staged), file)
            yield StagedCopy(staged, database, *(known or (0, 0)), kept)
            if kept:
                _keep(own, Path(kept))
            with closing(sqlite3.connect(database_file(staged))) as source:
                source.execute("PRAGMA journal_mode=DELETE")
                source.backup(own)
            is_new = False
        finally:
            _remove(staged)
            if is_new:
                target.unlink()
    narrow_files(database)


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Raise `BackupRefused` for what SQLite says of the database or of the copy."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise BackupRefused(describe_in_use(str(error))) from None
    except sqlite3.DatabaseError as error:
        raise BackupRefused(
            f"the database (ALEXANDROS_DATABASE) is damaged ({error}): move {target} away, and restore again"
        ) from None


def _lock(own: sqlite3.Connection, replacing: bool) -> tuple[int, int] | None:
    """Lock the database until it is closed; its last numbers, None where nothing is in it."""
    own.execute("PRAGMA locking_mode=EXCLUSIVE")
    own.execute("BEGIN EXCLUSIVE")
    there = own.execute("SELECT 1 FROM sqlite_schema WHERE name = 'game'").fetchone()
    games = _count_games(own) if there else 0
    letter = epoch = 0
    with suppress(sqlite3.OperationalError):  # it may be older than epochs are
        letter, epoch = own.execute(LAST_NUMBERS).fetchone()
    own.execute("COMMIT")
    if games and not replacing:
        raise BackupRefused(describe_games_at_risk(games))
    return (letter or 0, epoch or 0) if there else None


def _judge_copy(staged: Path, file: Path) -> None:
    """Refuse a copy that SQLite finds damaged, or in which something acts by itself."""
    with closing(sqlite3.connect(staged)) as copy:
        foreign = copy.execute(ACTS_BY_ITSELF).fetchone()
        broken = copy.execute("PRAGMA foreign_key_check").fetchone()
        damage = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if foreign:
        raise BackupRefused(f"{file} holds what no backup of this program does: {' '.join(foreign)}")
    if broken or damage != "ok":
        why = f"a row of {broken[0]} refers to none of {broken[2]}" if broken else damage
        raise BackupRefused(f"{file} is damaged: {why}")


def _keep(own: sqlite3.Connection, kept: Path) -> None:
    create_private_file(URL.create("sqlite", database=str(kept)))
    try:
        _copy(own, kept)
    except sqlite3.Error:
        kept.unlink()
        raise


def _free_name(target: Path) -> str:
    """Where the database that is replaced stays: a file beside it that is not there yet."""
    names = (f"{target}-replaced-{number}" for number in count(1))
    return next(name for name in names if not Path(name).exists())


def _remove(database: URL) -> None:
    for ending in BESIDE:
        Path(f"{database_file(database)}{ending}").unlink(missing_ok=True)


def _open_copy(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)


def _copy(source: sqlite3.Connection, target: Path) -> None:
    with closing(sqlite3.connect(target, timeout=0)) as copy:
        source.backup(copy)  # in one step: it reads one moment, and who writes need not wait


def _count_games(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM game").fetchone()[0])
