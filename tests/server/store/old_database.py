"""A small database as version 0.1.0 left it, with which the migrations begin.

`old_database.sql` is the database as statements, `old_database.json` says what stands in it when it is
migrated: games, letters and mails of every state, and the words of players and of the server.
"""

import json
import random
import sqlite3
import warnings
from contextlib import closing
from pathlib import Path

from sqlalchemy import URL, Connection, MetaData, create_engine, make_url
from sqlalchemy.exc import SAWarning

from server.settings import Settings
from tests.server.desk import Desk, open_desk

FOLDER = Path(__file__).parent
EXPECTED = json.loads((FOLDER / "old_database.json").read_text("utf-8"))
STATEMENTS = (FOLDER / "old_database.sql").read_text("utf-8")
INDEXES = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"


def restore(folder: Path) -> Path:
    """The file of the old database, as a server left it that was stopped."""
    file = folder / "games.sqlite"
    execute(file, STATEMENTS)
    execute(file, "PRAGMA journal_mode=WAL")
    file.chmod(0o600)
    return file


def execute(file: Path, statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(statements)


def query(file: Path, statement: str) -> list[tuple]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(statement).fetchall()


def dump(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return list(connection.iterdump())


def url(file: Path) -> URL:
    return make_url(f"sqlite:///{file}")


def environment(file: Path) -> dict[str, str]:
    """The settings of the server whose database it was."""
    return {
        "ALEXANDROS_DATABASE": f"sqlite:///{file}",
        "ALEXANDROS_BASE_URL": EXPECTED["base_url"],
        "ALEXANDROS_SECRET": EXPECTED["secret"],
        "ALEXANDROS_MAIL_OUT": "local",
        "ALEXANDROS_MAIL_FROM": EXPECTED["mail_from"],
        "ALEXANDROS_MAIL_DOMAIN": EXPECTED["mail_domain"],
        "ALEXANDROS_HOUSE_SECONDS": "0",
    }


def reopen(file: Path) -> Desk:
    """The office of the old database, with dice from a seed."""
    context = open_desk(Settings.read(environment(file)))
    context.rng = random.Random(1)
    return context


def create_baseline(connection: Connection) -> None:
    """Make the tables of version 0.1.0 in a database that has none, with the types of its system."""
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
