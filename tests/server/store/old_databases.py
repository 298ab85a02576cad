"""Databases as earlier versions of the schema left them: small ones, made by the code of that time.

`databases/NNNN.sql` is one as statements, `databases/NNNN.json` says what stands in it: games, letters and
mails of every state, and the words of players and of the server, as far as there were any.
"""

import json
import random
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import URL, make_url

from server.configuration.settings import Settings
from server.store.context import Context, open_context
from tests.breadth import LONG

FOLDER = Path(__file__).parent / "databases"
VERSIONS = sorted(file.stem for file in FOLDER.glob("*.sql"))
FIRST_AND_LAST = [VERSIONS[0], VERSIONS[-1], *(pytest.param(one, marks=LONG) for one in VERSIONS[1:-1])]
"""The versions from which the gate migrates; `-m long` migrates from all others."""
FROM_FIRST = pytest.mark.parametrize("version", [FIRST_AND_LAST[0], *FIRST_AND_LAST[2:]], indirect=True)
"""In the gate every migration, one after the other; `-m long` begins with each other version."""


def expected(version: str) -> dict:
    """What stands in an old database."""
    return json.loads((FOLDER / f"{version}.json").read_text("utf-8"))


def restore(folder: Path, version: str) -> Path:
    """The file of an old database, as a server left it that was stopped."""
    file = folder / "games.sqlite"
    execute(file, (FOLDER / f"{version}.sql").read_text("utf-8"))
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
    """Everything in a database, as statements."""
    with closing(sqlite3.connect(file)) as connection:
        return list(connection.iterdump())


def url(file: Path) -> URL:
    return make_url(f"sqlite:///{file}")


def environment(file: Path, version: str = VERSIONS[-1]) -> dict[str, str]:
    """The settings of the server whose database it was."""
    old = expected(version)
    return {
        "ALEXANDROS_DATABASE": f"sqlite:///{file}",
        "ALEXANDROS_BASE_URL": old["base_url"],
        "ALEXANDROS_SECRET": old["secret"],
        "ALEXANDROS_MAIL_OUT": "local",
        "ALEXANDROS_MAIL_FROM": old["mail_from"],
        "ALEXANDROS_MAIL_DOMAIN": old["mail_domain"],
        "ALEXANDROS_HOUSE_SECONDS": "0",
    }


def reopen(file: Path, version: str) -> Context:
    """The office of an old database, with dice from a seed."""
    context = open_context(Settings.read(environment(file, version)))
    context.rng = random.Random(1)
    return context


def afterwards(version: str) -> datetime:
    """A moment at which what was queued in an old database is due, and no turn's time has passed."""
    return datetime.fromisoformat(expected(version)["last_moment"]) + timedelta(minutes=31)
