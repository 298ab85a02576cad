"""Where the offices of tests keep what they store: in a file of SQLite, or on a private PostgreSQL.

On PostgreSQL each office has a database of its own, a copy of an empty one; it goes with the test.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from itertools import count
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from sqlalchemy import Engine, Pool, event
from sqlalchemy.engine import make_url
from sqlmodel import Session

from server.store.database import MODELS, open_database
from tests.postgresql import Cluster, cluster

SQLITE, POSTGRESQL = "sqlite", "postgresql"
SYSTEMS = (SQLITE, POSTGRESQL)


class Files:
    """Databases of offices as files of SQLite."""

    def place(self, folder: Path) -> str:
        """The URL of the database of a folder, made with nothing in it where there is none."""
        file = folder / "games.sqlite"
        if not file.exists():
            file.touch(0o600)  # as the server makes it
            file.write_bytes(_empty_file())
        return f"sqlite:///{file}"

    def bare(self, folder: Path) -> str:
        """The URL of the database of a folder, in which there are no tables where it is new."""
        return f"sqlite:///{folder / 'games.sqlite'}"

    def folder_of(self, database: Engine) -> Path:
        return Path(database.url.database or "").parent

    def copy(self, source: Path, to: Path) -> None:
        """Give a folder a copy of the database of another, to which nobody is connected."""
        copyfile(source / "games.sqlite", to / "games.sqlite")

    def dump(self, database: Engine) -> str:
        with closing(sqlite3.connect(database.url.database or "")) as connection:
            return "\n".join(connection.iterdump())

    def spoil(self, database: Engine, statement: str) -> bool:
        """Change what is stored as a fault of the disk might; whether the database keeps such a thing."""
        with closing(sqlite3.connect(database.url.database or "")) as connection, connection:
            connection.execute(statement)
        return True

    def is_free_to_write(self, database: Engine) -> bool:
        file = database.url.database or ""
        with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            return True

    def refuse_rows(self, session: Session, table: str) -> None:
        """Let a table take no more rows, as if the disk were full, until `take_rows`."""
        raised = "BEGIN SELECT RAISE(ABORT, 'it is full'); END"
        session.connection().exec_driver_sql(f"CREATE TRIGGER full_{table} BEFORE INSERT ON {table} {raised}")

    def take_rows(self, session: Session, table: str) -> None:
        session.connection().exec_driver_sql(f"DROP TRIGGER full_{table}")

    def hurry(self, database: Engine) -> None:
        """Let nothing be waited for that no test needs."""
        event.listen(database, "connect", _write_without_waiting)
        database.dispose()  # so that the next connection is such a one

    def keep(self, database: Engine) -> bytes:
        """A copy of a database to which nobody else is connected."""
        database.dispose()
        return Path(database.url.database or "").read_bytes()

    def put_back(self, database: Engine, kept: bytes) -> None:
        database.dispose()
        Path(database.url.database or "").write_bytes(kept)


class Databases:
    """Databases of offices on a private PostgreSQL, with the methods of `Files`."""

    def __init__(self) -> None:
        self.names: dict[Path, str] = {}
        self.opened: list[Engine] = []
        self.connections: list[psycopg.Connection[Any]] = []
        event.listen(Pool, "connect", self._note_connection)
        self._numbers = count(1)

    def _note_connection(self, connection: object, _: object) -> None:
        if isinstance(connection, psycopg.Connection):
            self.connections.append(connection)

    def place(self, folder: Path) -> str:
        if folder not in self.names:
            self.names[folder] = f"office{next(self._numbers)}"
            cluster().create(self.names[folder], _empty_database())
        return cluster().url(self.names[folder])

    def bare(self, folder: Path) -> str:
        if folder not in self.names:
            self.names[folder] = f"bare{next(self._numbers)}"
            cluster().create(self.names[folder])
        return cluster().url(self.names[folder])

    def folder_of(self, database: Engine) -> Path:
        return next(folder for folder, name in self.names.items() if name == database.url.database)

    def copy(self, source: Path, to: Path) -> None:
        self.names[to] = f"office{next(self._numbers)}"
        cluster().create(self.names[to], self.names[source])

    def dump(self, database: Engine) -> str:
        with database.connect() as connection:
            rows = (row for table in MODELS.sorted_tables for row in connection.execute(table.select()))
            return "\n".join(map(str, rows))

    def spoil(self, database: Engine, statement: str) -> bool:
        """Only what is a value of its column: no text of other bytes either, which it reads as a number."""
        if "AS TEXT" in statement:
            return False
        try:
            cluster().execute(statement, database.url.database or "")
        except psycopg.Error:
            return False
        return True

    def is_free_to_write(self, database: Engine) -> bool:
        held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
        return cluster().execute(held, database.url.database or "") == [(0,)]

    def refuse_rows(self, session: Session, table: str) -> None:
        run = session.connection().exec_driver_sql
        raised = "RAISE EXCEPTION 'it is full' USING ERRCODE = 'integrity_constraint_violation';"
        run(f"CREATE FUNCTION refuse_{table}() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN {raised} END$$")
        run(
            f"CREATE TRIGGER full_{table} BEFORE INSERT ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION refuse_{table}()"
        )

    def take_rows(self, session: Session, table: str) -> None:
        session.connection().exec_driver_sql(f"DROP FUNCTION refuse_{table} CASCADE")

    def hurry(self, database: Engine) -> None:
        self.opened.append(database)

    def keep(self, database: Engine) -> str:
        database.dispose()
        kept = f"kept{next(self._numbers)}"
        cluster().create(kept, database.url.database or "")
        return kept

    def put_back(self, database: Engine, kept: str) -> None:
        database.dispose()
        cluster().drop(database.url.database or "")
        cluster().create(database.url.database or "", kept)

    def drop_but(self, folders: set[Path]) -> None:
        for database in self.opened:
            database.dispose()
        self.opened.clear()
        for connection in self.connections:  # of a thread that works on a little, and of an engine of its own
            connection.close()
        self.connections.clear()
        for folder in self.names.keys() - folders:
            cluster().drop(self.names.pop(folder))


FILES, DATABASES = Files(), Databases()
CURRENT: list[Files | Databases] = [FILES]


def storage() -> Files | Databases:
    return CURRENT[-1]


def choose(system: str) -> None:
    """Let the next offices stand on a database system."""
    CURRENT[:] = [DATABASES if system == POSTGRESQL else FILES]


def new_database(database: str) -> str:
    """The URL of an empty database of the private PostgreSQL, without tables."""
    own: Cluster = cluster()
    own.drop(database)
    own.create(database)
    return own.url(database)


@cache
def _empty_file() -> bytes:
    """The file of a database in which nothing is kept yet, made once as the server makes it."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "games.sqlite")
        open_database(make_url(f"sqlite:///{file}")).dispose()
        return file.read_bytes()


@cache
def _empty_database() -> str:
    open_database(make_url(new_database("empty"))).dispose()
    return "empty"


def _write_without_waiting(connection: Any, _: object) -> None:
    connection.execute("PRAGMA synchronous=OFF")
