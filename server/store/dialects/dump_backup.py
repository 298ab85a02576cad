"""A database of PostgreSQL as a file of `pg_dump`, which `pg_restore` reads."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from psycopg.conninfo import make_conninfo
from sqlalchemy import URL, Connection, NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from server.configuration.database_urls import name_for_libpq
from server.private_files import PRIVATE
from server.store.dialects.systems import BackupRefused, describe_games_at_risk, describe_in_use

OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend'"
)
GAMES = text("SELECT count(*) FROM game")
SNAPSHOT = text("SELECT pg_export_snapshot()")
THERE = text("SELECT to_regclass('game') IS NOT NULL")
VERSION = text("SELECT max(version_num) FROM alembic_version")
NO_OWNER = "--no-owner", "--no-privileges"
"""Who may read it is up to the server on which it comes back."""
WAITS_FOR_LONG = "-c idle_in_transaction_session_timeout=0"
"""Of the connection that holds a moment while it is copied, which takes as long as it takes."""
VERSION_ROWS = re.compile(r"^COPY \S*alembic_version .*\n([^\t\n]+)", re.MULTILINE)
GAMES_LISTED = re.compile(r" TABLE DATA \S+ game ")


def copy_database(database: URL, file: Path, note: Callable[[Session], None]) -> int:
    """Copy a database into a new file; see `BackupFormat`."""
    if file.exists():
        raise BackupRefused(f"{file} is there already: name a file that is not")
    try:
        made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    except OSError as error:
        raise BackupRefused(f"{file} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(made, "wb") as copy, _connected(database) as connection:
            with Session(connection) as session:
                note(session)
                session.commit()
            connection.execution_options(isolation_level="REPEATABLE READ")
            games = int(connection.execute(GAMES).scalar_one())
            moment = connection.execute(SNAPSHOT).scalar_one()
            _run("pg_dump", database, "--format=custom", *NO_OWNER, f"--snapshot={moment}", to=copy)
    except BackupRefused:
        file.unlink(missing_ok=True)
        raise
    return games


def read_version(file: Path) -> str | None:
    """The version of the database in a copy; see `BackupFormat`."""
    try:
        listed = _run("pg_restore", None, "--list", str(file))
        rows = _run("pg_restore", None, "--data-only", "--table=alembic_version", "--file=-", str(file))
        _run("pg_restore", None, f"--file={os.devnull}", str(file))  # all of it can be read
    except _Failed:
        return None
    version = VERSION_ROWS.search(rows)
    return version[1] if version and GAMES_LISTED.search(listed) else None


def put_back(database: URL, file: Path, *, replacing: bool) -> None:
    """Put a copy in the place of a database; see `BackupFormat`."""
    with _connected(database) as connection:
        others = int(connection.execute(OTHERS).scalar_one())
        if others:
            raise BackupRefused(describe_in_use(f"others are connected to it ({others})"))
        if connection.execute(THERE).scalar_one():
            games, version = connection.execute(GAMES).scalar_one(), connection.execute(VERSION).scalar_one()
            if games and not replacing:
                raise BackupRefused(describe_games_at_risk(games))
            if version != read_version(file):
                raise BackupRefused(
                    f"the database (ALEXANDROS_DATABASE) has version {version}, and {file} another one:"
                    " name a database without tables, such as `createdb` makes"
                )
    how = "--clean", "--if-exists", "--single-transaction", "--exit-on-error", *NO_OWNER
    try:
        _run("pg_restore", database, *how, str(file))
    except _Failed as error:
        raise BackupRefused(f"the database (ALEXANDROS_DATABASE) stays as it was: {error}") from None


class _Failed(BackupRefused):
    """A program that has refused; its last line."""


@contextmanager
def _connected(database: URL) -> Iterator[Connection]:
    engine = create_engine(
        database, poolclass=NullPool, hide_parameters=True, connect_args={"options": WAITS_FOR_LONG}
    )
    try:
        with engine.connect() as connection:
            yield connection
    except DBAPIError as error:
        raise BackupRefused(f"the database (ALEXANDROS_DATABASE) cannot be asked: {error.orig}") from None


def _run(program: str, database: URL | None, *arguments: str, to: IO[bytes] | None = None) -> str:
    """What a program of PostgreSQL prints. Raises `BackupRefused`."""
    environment = dict(os.environ)
    if database is not None:
        # What stands on a command line can be read by everybody on this machine.
        environment["PGPASSWORD"] = database.password or ""
        arguments = (f"--dbname={_name_without_password(database)}", *arguments)
    out = subprocess.PIPE if to is None else to
    try:
        done = subprocess.run(
            [program, *arguments], stdout=out, stderr=subprocess.PIPE, env=environment, check=False
        )
    except FileNotFoundError:
        raise BackupRefused(f"`{program}` is not installed: it is in the package postgresql-client") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or [
            f"it ended with {done.returncode}"
        ]
        raise _Failed(f"{program}: {said[-1]}")
    return done.stdout.decode(errors="replace") if to is None else ""


def _name_without_password(database: URL) -> str:
    named = name_for_libpq(database)
    named.pop("password", None)
    return make_conninfo(**named)
