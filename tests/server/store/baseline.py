"""All tables as they were in version 0.1.0, where the migrations begin: those of the old database."""

import warnings
from pathlib import Path

from sqlalchemy import Connection, MetaData, create_engine
from sqlalchemy.exc import SAWarning

STATEMENTS = (Path(__file__).parent / "old_database.sql").read_text("utf-8")
INDEXES = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"


def create_baseline(connection: Connection) -> None:
    """Make the tables in a database that has none, with the types that its system has for them."""
    tables, old = MetaData(), create_engine("sqlite://")
    with old.connect() as source, warnings.catch_warnings(action="ignore", category=SAWarning):
        source.connection.executescript(STATEMENTS)
        tables.reflect(source)
        indexes = source.exec_driver_sql(INDEXES).scalars().all()
    old.dispose()
    for table in tables.tables.values():
        table.indexes.clear()  # those with a condition or an expression are not read
        for column in table.columns:
            column.type = column.type.as_generic()
    tables.create_all(connection, checkfirst=False)
    for statement in indexes:
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql("INSERT INTO alembic_version (version_num) VALUES ('0017')")
