"""Every way in which a column of text can be unreadable, and the rows of one game in which it is tried."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Date, DateTime, Enum, LargeBinary, MetaData, String, Table
from sqlalchemy.types import TypeEngine

NO_TEXT = "CAST(x'ff' AS TEXT)"
"""Bytes that are no UTF-8."""
WRONG = {DateTime: "'some day'", Date: "'some day'", Enum: "'no such kind'"}
"""What a column of this type cannot hold either."""
JSON_COLUMNS = {
    ("act", "events"),
    ("outgoing", "detail"),
    ("preference", "said"),
    ("prepared", "numbers"),
    ("proposal", "wishes"),
}

READABLE = {("plan", "words"): "plan: stay"}
"""What is filled into columns whose text must say something to be worked with."""
OF_OTHER_GAMES = ("proposal", "resigned")
"""Tables of games in another state than the one that is poisoned; theirs are its players' too."""


@dataclass(frozen=True)
class Poison:
    """A column of a table, and what is written into it, as SQL."""

    table: str
    column: str
    value: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}={self.value}"


def all_poisons(tables: MetaData) -> list[Poison]:
    """Every column of text of every table, unreadable in each way that there is."""
    columns = [(table, column) for table in tables.sorted_tables for column in table.columns]
    return [Poison(table.name, one.name, value) for table, one in columns for value in _values(table, one)]


def _values(table: Table, column: Column[Any]) -> Iterator[str]:
    kind = _kind(column)
    if kind is None:
        return
    yield NO_TEXT
    if kind in WRONG:
        yield WRONG[kind]
    if (table.name, column.name) in JSON_COLUMNS:
        yield "'{'"


def _kind(column: Column[Any]) -> type[TypeEngine[Any]] | None:
    """The type of a column that SQLite keeps as text; None for numbers and bytes."""
    kind = getattr(column.type, "impl_instance", column.type)
    return next((one for one in (DateTime, Date, Enum, String) if isinstance(kind, one)), None)


def poison(file: Path, tables: MetaData, one: Poison, game: str) -> None:
    """Make a column of the rows of a game unreadable, or of one of them where each must be another."""
    where = which_rows(tables.tables[one.table], game)
    statement = f'UPDATE "{one.table}" SET "{one.column}" = {one.value} WHERE {where}'
    first = f'rowid = (SELECT min(rowid) FROM "{one.table}" WHERE {where})'
    with closing(sqlite3.connect(file)) as connection:
        try:
            changed = connection.execute(statement).rowcount
        except sqlite3.IntegrityError:
            changed = connection.execute(f"{statement} AND {first}").rowcount
        connection.commit()
    assert changed, f"{one.table} has no row of this game"


def which_rows(table: Table, game: str) -> str:
    players = f"(SELECT player FROM seating WHERE game = '{game}')"
    if table.name in OF_OTHER_GAMES:
        return "1"
    if table.name == "game":
        return f"id = '{game}'"
    if table.name == "player":
        return f"id IN {players}"
    if "game" in table.columns:
        return f"game = '{game}'"
    if "player" in table.columns:
        return f"player IN {players}"
    if "letter" in table.columns:
        return f"letter IN (SELECT id FROM outgoing WHERE game = '{game}')"
    return "1"


def fill(file: Path, tables: MetaData, game: str, now: datetime) -> None:
    with closing(sqlite3.connect(file)) as connection:

        def first(chosen: str) -> Any:
            return connection.execute(f"SELECT {chosen} WHERE game = '{game}'").fetchone()[0]

        for table in tables.sorted_tables:
            where = which_rows(table, game)
            if connection.execute(f'SELECT 1 FROM "{table.name}" WHERE {where}').fetchone() is None:
                known = {"game": game, "player": first("player FROM seating")}
                known |= {"letter": first("min(id) FROM outgoing"), "after": first("max(seq) FROM act")}
                row = {column.name: known.get(column.name, _filling(column, now)) for column in table.columns}
                marks = ", ".join("?" * len(row))
                names = ", ".join(f'"{name}"' for name in row)
                connection.execute(f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})', [*row.values()])
        connection.commit()


def _filling(column: Column[Any], now: datetime) -> Any:
    kind = _kind(column)
    if (column.table.name, column.name) in JSON_COLUMNS:
        return json.dumps({})
    if kind is Enum:
        enumerated: Any = column.type
        return enumerated.enums[0]
    if kind is DateTime:
        return None if column.nullable else now.strftime("%Y-%m-%d %H:%M:%S.000000")
    if kind is Date:
        return (now - timedelta(days=400)).strftime("%Y-%m-%d")
    if kind is String:
        return None if column.nullable else READABLE.get((column.table.name, column.name), "x")
    return b"x" if isinstance(column.type, LargeBinary) else 1
