"""Upgrade of a database to the newest schema, under a lock, completely or not at all."""

from __future__ import annotations

from collections.abc import Callable

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, Engine

from server.store.database import (
    SCHEMA_VERSION,
    create_schema,
    describe_mismatch,
    find_version,
    is_migratable,
)
from server.store.dialects.system_choice import system_of
from server.store.dialects.systems import DatabaseSystem, SchemaMismatch

PATIENCE = 30.0
"""Seconds to wait for other processes to close the database."""


def upgrade_database(url: URL, report_wait: Callable[[], None], patience: float = PATIENCE) -> str | None:
    """Migrate a database in one transaction; return its former version, None for a new one.

    `report_wait` is called once before waiting for another process. Raises `SchemaMismatch`, `DatabaseInUse`.
    """
    system = system_of(url)
    database = system.open_for_upgrade(url, report_wait, patience)
    found = _upgrade(system, database)
    system.guard_files(url)
    return found


def _upgrade(system: DatabaseSystem, database: Engine) -> str | None:
    with database.begin() as connection:
        found = find_version(connection)
        if found is None:
            create_schema(connection)
        elif not is_migratable(found):
            raise SchemaMismatch(describe_mismatch(found))
        elif found < SCHEMA_VERSION:
            run_migrations(connection, SCHEMA_VERSION)
            system.finish_upgrade(connection)
    return found


def run_migrations(connection: Connection, until: str) -> None:
    config = Config()
    config.set_main_option("script_location", "server.store:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, until)
