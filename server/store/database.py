"""The database: its engine, and the version of its schema.

The version stands in the table `alembic_version`: the number of the last migration (server/store/migrations).
A database without tables is made at the newest version; one of another version is refused and left as it is.
"""

from __future__ import annotations

import re
import sqlite3

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    create_engine,
    event,
    insert,
    inspect,
    select,
)
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor, ExceptionContext
from sqlalchemy.exc import OperationalError, ProgrammingError
from sqlalchemy.pool import ConnectionPoolEntry

from server.private_files import create_private_file, narrow_files
from server.store.models import Game
from server.store.session_models import ApiKey
from server.store.unasked_models import Block
from server.store.work_models import ServerMoment

SCHEMA_VERSION = "0012"
"""The version that this program needs: the number of the last migration."""
A_TABLE_OF_EACH = (Game, ApiKey, Block, ServerMoment)
"""One table of each module that has some, which must be imported to be known."""
MODELS = A_TABLE_OF_EACH[0].metadata
"""Every table."""
VERSION_TABLE = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""As alembic makes it."""
MOST_WAL_TRIES = 20
"""To begin the write-ahead log while others begin it too."""
VERSION_FORM = re.compile(r"\d{4}", re.ASCII)
TABLES_OF_UNNUMBERED = (
    "act game incoming kept outgoing player seating",
    "confirmation heard message preference",
    "failing proposal resigned second",
    "key opening signedin signin",
)
"""The tables that the versions from 0001 on added, while a database did not say its version."""


class SchemaMismatch(ValueError):
    """A database that this program cannot use; the sentence says what to do."""


class DatabaseInUse(Exception):
    """Another process has the database open; the sentence says what to do."""


class UnreadableValue(ValueError):
    """Something stored is no value of its column, such as a text that is no UTF-8."""


def open_database(url: URL) -> Engine:
    """The database with a schema of the version that this program needs, made where there are no tables.

    Raises `SchemaMismatch`.
    """
    database = create_engine(url, hide_parameters=True)  # an error shows what is asked, and not of whom
    if database.dialect.name == "sqlite":
        create_private_file(url)
        event.listen(database, "connect", _prepare_sqlite)
        event.listen(database, "begin", _begin_sqlite)
        event.listen(database, "handle_error", _tell_unreadable_apart)
    try:
        _require_version(database)
        if database.dialect.name == "sqlite":
            narrow_files(url)
            _begin_write_ahead_log(database)
    except BaseException:
        database.dispose()
        raise
    return database


def _require_version(database: Engine) -> None:
    """See to it that the database has the version needed: one query where it has."""
    try:
        with database.connect() as connection:
            version = connection.scalar(select(VERSION_TABLE.c.version_num))
    except (OperationalError, ProgrammingError):  # most likely it has no such table
        version = None
    if version == SCHEMA_VERSION:
        return
    with database.connect() as connection:
        version = find_version(connection)
    if version is None:
        with database.execution_options(writing=True).begin() as connection:
            version = find_version(connection)  # again, for another process may have been quicker
            if version is None:
                create_schema(connection)
                return
    if version != SCHEMA_VERSION:
        raise SchemaMismatch(describe_mismatch(version))


def find_version(connection: Connection) -> str | None:
    """The version of a database, told by its tables where it does not say it; None where it has no tables.

    Raises `SchemaMismatch` for a database of another program.
    """
    tables = set(inspect(connection).get_table_names())
    if not tables:
        return None
    if VERSION_TABLE.name in tables:
        said: str | None = connection.scalar(select(VERSION_TABLE.c.version_num))
        if said is not None:
            if not VERSION_FORM.fullmatch(said) or Game.__tablename__ not in tables:
                raise SchemaMismatch(_describe_foreign())
            return said
    known: set[str] = set()
    ours = tables & set(" ".join(TABLES_OF_UNNUMBERED).split())
    for number, added in enumerate(TABLES_OF_UNNUMBERED, 1):
        known |= set(added.split())
        if known == ours:
            return f"{number:04}"
    raise SchemaMismatch(_describe_foreign())


def create_schema(connection: Connection) -> None:
    """Make all tables in a database that has none, at the version needed."""
    MODELS.create_all(connection, checkfirst=False)
    stamp_version(connection, SCHEMA_VERSION)


def stamp_version(connection: Connection, version: str) -> None:
    """Let a database that does not say its version say it."""
    VERSION_TABLE.create(connection, checkfirst=True)
    connection.execute(insert(VERSION_TABLE).values(version_num=version))


def describe_mismatch(version: str) -> str:
    """What to do about a database of another version."""
    if version > SCHEMA_VERSION:
        return (
            f"the database (ALEXANDROS_DATABASE) has version {version}, and this program knows none after"
            f" {SCHEMA_VERSION}: install the newer program that the database was used with"
        )
    return (
        f"the database (ALEXANDROS_DATABASE) has version {version}, and this program needs {SCHEMA_VERSION}:"
        " stop the server, copy the database and run `alexandros migrate`"
    )


def _describe_foreign() -> str:
    return (
        "the database (ALEXANDROS_DATABASE) holds the tables of another program:"
        " name another one, or one that does not exist yet"
    )


def _prepare_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    """FULL, because NORMAL loses acts that were acknowledged when the power fails.

    What is deleted is overwritten: people are told that it is gone.
    """
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("busy_timeout=15000", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writing = connection.get_execution_options().get("writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _tell_unreadable_apart(context: ExceptionContext) -> None:
    """Raise `UnreadableValue` for what sqlite3 cannot decode: to it that is an error like a database away.

    What SQLite itself says has a code; what the module makes of a value has none.
    """
    error = context.original_exception
    if isinstance(error, sqlite3.OperationalError) and not hasattr(error, "sqlite_errorcode"):
        raise UnreadableValue("a text in the database is no UTF-8") from None


def _begin_write_ahead_log(database: Engine) -> None:
    """Let readers and the writer not wait for each other; the file remembers it.

    Where several begin it at once SQLite does not wait for the lock but fails; so the lock is waited for, and
    then it is tried again.
    """
    connection = database.raw_connection()
    try:
        cursor = connection.cursor()
        for _ in range(MOST_WAL_TRIES):
            try:
                cursor.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:  # the rest of the number says why
                    raise
                cursor.execute("BEGIN EXCLUSIVE")
                cursor.execute("ROLLBACK")
            else:
                return
        cursor.execute("PRAGMA journal_mode=WAL")
    finally:
        connection.close()


def compact_database(database: Engine, *, whole: bool = True) -> bool:
    """Write the `whole` database anew, and empty its write-ahead log; whether that was done.

    So no page is left that holds what was deleted by a program that did not overwrite it. While another
    process reads the database it cannot be done.
    """
    if database.dialect.name != "sqlite":
        return True
    connection = database.raw_connection()
    try:
        cursor = connection.cursor()
        if whole:
            cursor.execute("VACUUM")
        return empty_write_ahead_log(cursor)
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()


def empty_write_ahead_log(cursor: DBAPICursor) -> bool:
    """Bring what stands in the write-ahead log into the database and cut it; whether it was done."""
    cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    row = cursor.fetchone()
    return row is not None and row[0] == 0
