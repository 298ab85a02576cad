"""A database of PostgreSQL as a file of `pg_dump`, which `pg_restore` reads."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import sleep
from typing import IO

from psycopg.conninfo import make_conninfo
from sqlalchemy import URL, Connection, NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from server.configuration.database_urls import name_for_libpq
from server.private_files import PRIVATE
from server.store.dialects.postgresql import JOURNAL
from server.store.dialects.systems import (
    LAST_NUMBERS,
    BackupRefused,
    StagedCopy,
    describe_games_at_risk,
    describe_in_use,
)

Stream = IO[bytes] | None

OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend'"
)
GAMES = text("SELECT count(*) FROM game")
SNAPSHOT = text("SELECT pg_export_snapshot()")
THERE = text("SELECT to_regclass('game') IS NOT NULL")
OWN, STAGED, ASIDE, KEPT = "public", "restoring", "aside", "replaced_"
"""The schemas in which a database is, a copy waits, tables make room, and what was replaced stays."""
LEFT_WITHIN = 20
"""Tenths of a second."""
LEFT_OUT = f"--exclude-schema={KEPT}*", f"--exclude-schema={STAGED}", f"--exclude-table={JOURNAL}*"
"""What no copy holds: what was replaced, and what was withdrawn since another copy."""
NO_OWNER = "--no-owner", "--no-privileges"
"""Who may read it is up to the server on which it comes back."""
WAITS_FOR_LONG = "-c idle_in_transaction_session_timeout=0"
"""Of the connection that holds a moment while it is copied, which takes as long as it takes."""
VERSION_ROWS = re.compile(r"^COPY \S*alembic_version .*\n([^\t\n]+)", re.MULTILINE)
LISTED = re.compile(
    r"\d+; \d+ \d+ (TABLE|TABLE DATA|SEQUENCE|SEQUENCE OWNED BY|SEQUENCE SET|DEFAULT|INDEX|CONSTRAINT"
    r"|FK CONSTRAINT|SCHEMA|EXTENSION|COMMENT|ACL|DEFAULT ACL) (public|-) "
)
"""What may stand in a copy."""
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
            how = "--format=custom", *LEFT_OUT, *NO_OWNER, f"--snapshot={moment}"
            _run("pg_dump", database, *how, to=copy)
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


@contextmanager
def stage_copy(database: URL, file: Path, *, replacing: bool) -> Iterator[StagedCopy]:
    """Read a copy into a schema of its own, which then changes places with that of the database.

    See `BackupFormat`. `pg_restore` puts tables where they were copied from: those of the database stand
    aside for it, in a transaction at whose end they are where they were.
    """
    _judge_contents(file)
    with _connected(database) as connection:
        _require_alone(connection)
        known = _find_last_numbers(connection, replacing)
        kept = _free_name(connection) if known else ""
    made = f"DROP SCHEMA IF EXISTS {STAGED} CASCADE; CREATE SCHEMA {STAGED}; CREATE SCHEMA {ASIDE}"
    _read_copy(
        database,
        file,
        before=f"{made}; {_move_tables(OWN, ASIDE)}",
        after=f"{_move_tables(OWN, STAGED)}; {_move_tables(ASIDE, OWN)}; DROP SCHEMA {ASIDE}",
    )
    options = " ".join((*database.normalized_query.get("options", ()), f"-csearch_path={STAGED}"))
    staged = database.update_query_dict({"options": options})
    try:
        yield StagedCopy(staged, database, *(known or (0, 0)), kept and f"the schema {kept}")
        with _connected(database) as connection:
            _require_alone(connection)
            if kept:
                connection.exec_driver_sql(f"CREATE SCHEMA {kept}")
                connection.exec_driver_sql(_move_tables(OWN, kept))
            connection.exec_driver_sql(_move_tables(STAGED, OWN))
            connection.commit()
    finally:
        with _connected(database) as connection:
            connection.exec_driver_sql(f"DROP SCHEMA IF EXISTS {STAGED} CASCADE")
            connection.commit()


def _judge_contents(file: Path) -> None:
    """Refuse a copy that holds anything but tables: what acts by itself has no place in it."""
    for line in _run("pg_restore", None, "--list", str(file)).splitlines():
        if not line.startswith(";") and not LISTED.match(line):
            raise BackupRefused(f"{file} holds what no backup of this program does: {line}")


def _require_alone(connection: Connection) -> None:
    """Refuse a database that others use; one who has just left is listed for a moment still."""
    for _ in range(LEFT_WITHIN):
        others = int(connection.execute(OTHERS).scalar_one())
        connection.rollback()  # within a transaction the same are listed again
        if not others:
            return
        sleep(0.1)
    raise BackupRefused(describe_in_use(f"others are connected to it ({others})"))


def _find_last_numbers(connection: Connection, replacing: bool) -> tuple[int, int] | None:
    """The last numbers of a database whose games may be replaced; None where it has no tables."""
    if not connection.execute(THERE).scalar_one():
        return None
    games = connection.execute(GAMES).scalar_one()
    if games and not replacing:
        raise BackupRefused(describe_games_at_risk(games))
    letter, epoch = connection.exec_driver_sql(LAST_NUMBERS).one()
    return letter or 0, epoch or 0


def _free_name(connection: Connection) -> str:
    """Where the database that is replaced stays: a schema that is not there yet."""
    there = set(connection.exec_driver_sql("SELECT nspname FROM pg_namespace").scalars())
    return next(name for number in count(1) if (name := f"{KEPT}{number}") not in there)


def _move_tables(source: str, to: str) -> str:
    """The statement that moves all tables but the journal into another schema; sequences go with them."""
    chosen = f"relnamespace = '{source}'::regnamespace AND relkind = 'r' AND relname <> '{JOURNAL}'"
    moved = f"EXECUTE 'ALTER TABLE ' || one || ' SET SCHEMA {to}'"
    return (
        f"DO $$DECLARE one regclass; BEGIN FOR one IN SELECT oid FROM pg_class WHERE {chosen}"
        f" LOOP {moved}; END LOOP; END$$"
    )


def _read_copy(database: URL, file: Path, before: str, after: str) -> None:
    """Run what a copy says between two statements, in one transaction. Raises `BackupRefused`."""
    script = subprocess.Popen(
        ["pg_restore", "--file=-", *NO_OWNER, str(file)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    how = "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--output=/dev/null"
    what = f"--command={before}", "--file=-", f"--command={after}"
    try:
        with script:
            _run("psql", database, *how, *what, given=script.stdout)
    except _Failed as error:
        raise BackupRefused(f"the database (ALEXANDROS_DATABASE) stays as it was: {error}") from None
    if script.returncode:
        raise BackupRefused(f"{file} cannot be read whole")


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


def _run(program: str, database: URL | None, *arguments: str, to: Stream = None, given: Stream = None) -> str:
    """What a program of PostgreSQL prints. Raises `BackupRefused`."""
    environment = dict(os.environ)
    if database is not None:
        # What stands on a command line can be read by everybody on this machine.
        environment["PGPASSWORD"] = database.password or ""
        arguments = (f"--dbname={_name_without_password(database)}", *arguments)
    command, pipe = [program, *arguments], subprocess.PIPE
    try:
        done = subprocess.run(
            command, stdin=given, stdout=to or pipe, stderr=pipe, env=environment, check=False
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
