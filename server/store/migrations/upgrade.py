"""The upgrade of a database to the newest version: under a lock, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import sleep

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, Engine, inspect, select, update

from server.mail_addresses import digest_address
from server.store.database import (
    MODELS,
    OLDEST_PROGRAM,
    SCHEMA_VERSION,
    VERSION_TABLE,
    create_schema,
    describe_mismatch,
    find_version,
    is_usable,
)
from server.store.dialects.system_choice import system_of
from server.store.dialects.systems import DatabaseSystem, SchemaMismatch, TablesInUse

PLAYERS = MODELS.tables["player"]
PATIENCE = 30.0
"""Seconds for which an upgrade waits for whoever has the database open."""
PAUSES = 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0
"""Seconds after which it is tried again where somebody uses a table; others get on with theirs meanwhile."""


def upgrade_database(url: URL, report_wait: Callable[[], None], patience: float = PATIENCE) -> str | None:
    """Bring a database to the version needed, in one transaction; the version it had, None for a new one.

    Where somebody has it open, or uses it, who is in the way, `report_wait` is called first, once.
    Raises `SchemaMismatch`, `DatabaseInUse`.
    """
    report = cache(report_wait)
    system = system_of(url)
    database = system.open_for_upgrade(url, report, patience)
    for pause in (*PAUSES, None):
        try:
            found = _upgrade(system, database)
            break
        except TablesInUse:
            if pause is None:
                raise
            report()
            sleep(pause)
    system.guard_files(url)
    return found


def _upgrade(system: DatabaseSystem, database: Engine) -> str | None:
    """All of it, or nothing; the version that it had."""
    with database.begin() as connection:
        found = find_version(connection)
        if found is None:
            create_schema(connection)
        elif found > SCHEMA_VERSION and not is_usable(connection):
            raise SchemaMismatch(describe_mismatch(found))
        elif found < SCHEMA_VERSION:
            if not inspect(connection).has_table(VERSION_TABLE.name):
                _stamp_version(connection, found)
            run_migrations(connection, SCHEMA_VERSION)
            connection.execute(update(VERSION_TABLE).values(oldest_program=OLDEST_PROGRAM))
            system.finish_upgrade(connection)
            _work_out_mailboxes(connection)
    return found


def run_migrations(connection: Connection, until: str) -> None:
    """Run the migrations up to a version, in the transaction of the connection."""
    command.upgrade(_configure(connection), until)


def _stamp_version(connection: Connection, version: str) -> None:
    """Let a database that does not say its version say it."""
    command.stamp(_configure(connection), version)


def _configure(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", "server.store:migrations")
    config.attributes["connection"] = connection
    return config


def _work_out_mailboxes(connection: Connection) -> None:
    """Keep of each player the digest of their mailbox, of whom it is not kept yet: no SQL can make it."""
    unknown = select(PLAYERS.c.id, PLAYERS.c.address).where(PLAYERS.c.mailbox == "")
    for number, address in connection.execute(unknown).all():
        same = update(PLAYERS).where(PLAYERS.c.id == number)
        connection.execute(same.values(mailbox=digest_address(address)))
