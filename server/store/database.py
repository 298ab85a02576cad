"""The database engine, the version of the schema, and its upgrade under a lock.

The table `alembic_version` holds the number of the last migration. A database without tables is created at
the newest version; a database of another version is refused and left unchanged until it is upgraded.

The folder migrations/versions has a numbered file for each version. These files never change, so they import
nothing of the project. After changing models.py, write the next file, whose number is the new version; a test
reports differences between the models and the migrated tables.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    insert,
    inspect,
    select,
)
from sqlalchemy.exc import OperationalError, ProgrammingError, SQLAlchemyError

from server.settings import file_of_database
from server.store.dialects import (
    WRITING,
    NoDatabase,
    SchemaMismatch,
    system_of,
)
from server.store.models import Game

SCHEMA_VERSION = max(file.name for file in Path(__file__).parent.glob("migrations/versions/0*.py"))[:4]
BASELINE = "0017"
MODELS = Game.metadata
VERSION_TABLE = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
VERSION_FORM = re.compile(r"\d{4}", re.ASCII)


def open_database(url: URL, *, making: bool = True) -> Engine:
    """Open a database, and check that its schema has the version that this program needs.

    Raises `SchemaMismatch` for another version. A missing or empty database is created if `making`;
    otherwise `NoDatabase` is raised.
    """
    system = system_of(url)
    if not making and system.is_missing(url):
        raise NoDatabase(_describe_missing(url))
    database = system.open(url)
    try:
        _require_version(database, making)
        system.settle(database)
    except BaseException:
        database.dispose()
        raise
    return database


def describe_database_error(error: SQLAlchemyError, url: URL) -> str:
    reason = str(getattr(error, "orig", None) or error).splitlines()[0]
    file = file_of_database(url)
    fault = None if file is None else _find_fault(file.absolute())
    return f"{reason}: {fault}" if fault else reason


def _find_fault(file: Path) -> str | None:
    if not os.path.isdir(file.parent):  # noqa: PTH112 - Path.is_dir raises where a folder cannot be entered
        return f"there is no folder {file.parent}, or this user may not enter it"
    if not os.access(file.parent, os.W_OK | os.X_OK):
        return f"this user may not write into the folder {file.parent}"
    if file.is_dir():
        return f"{file} is a folder"
    if file.exists() and not os.access(file, os.R_OK | os.W_OK):
        return f"this user may not read and write {file}"
    return None


def _require_version(database: Engine, making: bool) -> None:
    try:
        with database.connect() as connection:
            if is_usable(connection):
                return
    except (OperationalError, ProgrammingError):
        pass  # most likely this table or column does not exist
    with database.connect() as connection:
        version = find_version(connection)
    if version is None:
        if not making:
            raise NoDatabase(_describe_missing(database.url))
        with database.execution_options(**{WRITING: True}).begin() as connection:
            version = find_version(connection)  # again: another process may have created it meanwhile
            if version is None:
                create_schema(connection)
                return
    if version != SCHEMA_VERSION:
        raise SchemaMismatch(describe_mismatch(version))


def is_usable(connection: Connection) -> bool:
    return connection.scalar(select(VERSION_TABLE.c.version_num)) == SCHEMA_VERSION


def find_version(connection: Connection) -> str | None:
    """Return the schema version; None for a database without tables.

    Raises `SchemaMismatch` for a database of another program.
    """
    tables = set(inspect(connection).get_table_names())
    if not tables:
        return None
    if {VERSION_TABLE.name, Game.__tablename__} <= tables:
        version: str | None = connection.scalar(select(VERSION_TABLE.c.version_num))
        if version is not None and VERSION_FORM.fullmatch(version):
            return version
    raise SchemaMismatch(
        "the database (ALEXANDROS_DATABASE) holds the tables of another program:"
        " name another database, or a new one"
    )


def is_migratable(version: str) -> bool:
    return BASELINE <= version <= SCHEMA_VERSION


def create_schema(connection: Connection) -> None:
    MODELS.create_all(connection, checkfirst=False)
    VERSION_TABLE.create(connection)
    connection.execute(insert(VERSION_TABLE).values(version_num=SCHEMA_VERSION))


def describe_mismatch(version: str) -> str:
    if version > SCHEMA_VERSION:
        return (
            f"the database (ALEXANDROS_DATABASE) has version {version}; this program knows no version after"
            f" {SCHEMA_VERSION}: install the newer program that wrote it"
        )
    if version < BASELINE:
        return (
            f"the database (ALEXANDROS_DATABASE) has version {version}; this program migrates no version"
            f" before {BASELINE}: migrate it with version 0.1.0 of the program first"
        )
    return (
        f"the database (ALEXANDROS_DATABASE) has version {version}; this program needs {SCHEMA_VERSION}:"
        " stop the server, copy the database and run `alexandros migrate`"
    )


def _describe_missing(url: URL) -> str:
    return (
        f"there is no database of this program at {file_of_database(url) or url.render_as_string()}: check"
        " ALEXANDROS_DATABASE; `alexandros serve` and `alexandros migrate` create a new one"
    )


# --- migrations -------------------------------------------------------------------------------------------

UPGRADE_WAITS = 30.0


def upgrade_database(
    url: URL, report_wait: Callable[[], None], patience: float = UPGRADE_WAITS
) -> str | None:
    """Migrate a database in one transaction; return its former version, None for a new database.

    `report_wait`: called once before waiting for another process. `patience`: seconds to wait. Raises
    `SchemaMismatch` or `DatabaseInUse`.
    """
    system = system_of(url)
    database = system.open_for_upgrade(url, report_wait, patience)
    with database.begin() as connection:
        found = find_version(connection)
        if found is None:
            create_schema(connection)
        elif not is_migratable(found):
            raise SchemaMismatch(describe_mismatch(found))
        elif found < SCHEMA_VERSION:
            run_migrations(connection, SCHEMA_VERSION)
            system.finish_upgrade(connection)
    system.guard_files(url)
    return found


def run_migrations(connection: Connection, until: str) -> None:
    from alembic import command  # imported here: loading takes long and few processes need it
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "server.store:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, until)
