"""The upgrade of a database to the newest version: under a lock, whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, inspect, select, update
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from server.mail_addresses import digest_address
from server.private_files import create_private_file, narrow_files
from server.store.database import (
    MODELS,
    SCHEMA_VERSION,
    VERSION_TABLE,
    DatabaseInUse,
    SchemaMismatch,
    create_schema,
    describe_mismatch,
    find_version,
    stamp_version,
)

PLAYERS = MODELS.tables["player"]
PATIENCE = 30.0
"""Seconds for which an upgrade waits for whoever has the database open."""


def upgrade_database(url: URL, report_wait: Callable[[], None], patience: float = PATIENCE) -> str | None:
    """Bring a database to the version needed, in one transaction; the version it had, None for a new one.

    On SQLite nobody else may have it open meanwhile: where somebody has, `report_wait` is called first.
    Raises `SchemaMismatch`, `DatabaseInUse`.
    """
    database = create_engine(url, poolclass=NullPool, hide_parameters=True)
    if database.dialect.name == "sqlite":
        create_private_file(url)
        _lock_sqlite(database, report_wait, patience)
    with database.begin() as connection:
        found = find_version(connection)
        if found is None:
            create_schema(connection)
        elif found > SCHEMA_VERSION:
            raise SchemaMismatch(describe_mismatch(found))
        elif found < SCHEMA_VERSION:
            if not inspect(connection).has_table(VERSION_TABLE.name):
                stamp_version(connection, found)
            run_migrations(connection, SCHEMA_VERSION)
            _work_out_mailboxes(connection)
    if database.dialect.name == "sqlite":
        narrow_files(url)
    return found


def run_migrations(connection: Connection, until: str) -> None:
    """Run the migrations up to a version, in the transaction of the connection."""
    config = Config()
    config.set_main_option("script_location", "server.store:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, until)
    if connection.dialect.name == "sqlite":
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        if broken is not None:
            raise SchemaMismatch(
                f"the database (ALEXANDROS_DATABASE) is damaged: a row of {broken[0]} refers to a row of"
                f" {broken[2]} that does not exist; nothing was changed"
            )


def _work_out_mailboxes(connection: Connection) -> None:
    """Keep of each player the digest of their mailbox, of whom it is not kept yet: no SQL can make it."""
    unknown = select(PLAYERS.c.id, PLAYERS.c.address).where(PLAYERS.c.mailbox == "")
    for number, address in connection.execute(unknown).all():
        same = update(PLAYERS).where(PLAYERS.c.id == number)
        connection.execute(same.values(mailbox=digest_address(address)))


def _lock_sqlite(database: Engine, report_wait: Callable[[], None], patience: float) -> None:
    """Let a transaction begin with the file locked against everybody.

    In exclusive locking mode SQLite can lock a file only if nobody has it open, so a server that still runs
    is noticed although it does nothing. Foreign keys are off, since a table that is made anew is dropped for
    a while, and no transaction can switch them; they are checked at its end.
    """

    def prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("busy_timeout=0", "locking_mode=EXCLUSIVE", "foreign_keys=OFF"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    def begin(connection: Connection) -> None:
        try:
            connection.exec_driver_sql("BEGIN EXCLUSIVE")
            return
        except OperationalError as error:
            if not _is_busy(error):
                raise
        report_wait()
        connection.exec_driver_sql(f"PRAGMA busy_timeout={round(patience * 1000)}")
        try:
            connection.exec_driver_sql("BEGIN EXCLUSIVE")
        except OperationalError as error:
            if not _is_busy(error):
                raise
            raise DatabaseInUse(
                "the database (ALEXANDROS_DATABASE) is in use by another process:"
                " stop `alexandros serve` and whatever else has it open, and run `alexandros migrate` again"
            ) from None

    event.listen(database, "connect", prepare)
    event.listen(database, "begin", begin)


def _is_busy(error: OperationalError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code is not None and code & 0xFF == sqlite3.SQLITE_BUSY  # the rest of the number says why
