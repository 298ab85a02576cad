"""Parts of statements that each database system spells in its own way."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ClauseElement,
    ColumnElement,
    DateTime,
    Index,
    Insert,
    LargeBinary,
    String,
    Text,
    and_,
    cast,
    func,
    insert,
    literal,
)
from sqlalchemy.dialects.postgresql import INTERVAL
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.base import SyntaxExtension
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

STORED_FORM = "%Y-%m-%d %H:%M:%f000"
"""How SQLite writes a moment as a column holds it."""
SECONDS_IN_DAY = 86400.0


class HexText(FunctionElement[str]):
    """The bytes of a text in hexadecimal, in capitals: what is no text can be read so too."""

    type = String()
    inherit_cache = True


class DecodedText(FunctionElement[str]):
    """Bytes taken for the text that they are."""

    type = Text()
    inherit_cache = True


class ShiftedMoment(FunctionElement[Any]):
    """A moment and a span in words, such as "+90.500 seconds": the moment so much later.

    Nothing where the moment cannot be read.
    """

    type = DateTime()
    inherit_cache = True


class GapShiftedMoment(FunctionElement[Any]):
    """A moment, later by the time from a second one to a third; nothing where one of them cannot be read."""

    type = DateTime()
    inherit_cache = True


class EarlierMoment(FunctionElement[Any]):
    """The earlier of two moments."""

    type = DateTime()
    inherit_cache = True


class OnConflictDoNothing(SyntaxExtension, ClauseElement):
    """What stands at the end of a statement that adds rows, and leaves those alone that are there already."""

    inherit_cache = True

    def apply_to_insert(self, statement: Insert) -> None:
        """Stand behind the values."""
        statement.apply_syntax_extension_point(lambda others: [*others, self], "post_values")


@compiles(OnConflictDoNothing)
def _do_nothing(_: OnConflictDoNothing, __: SQLCompiler, **___: Any) -> str:
    return "ON CONFLICT DO NOTHING"


@compiles(HexText)
def _hex_text(element: HexText, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(func.hex(*element.clauses), **options)


@compiles(HexText, "postgresql")
def _encode_text(element: HexText, compiler: SQLCompiler, **options: Any) -> str:
    [words] = element.clauses
    encoded = func.encode(func.convert_to(words, func.getdatabaseencoding()), "hex")
    return compiler.process(func.upper(encoded), **options)


@compiles(DecodedText)
def _cast_bytes(element: DecodedText, compiler: SQLCompiler, **options: Any) -> str:
    [raw] = element.clauses
    return compiler.process(cast(raw, Text), **options)


@compiles(DecodedText, "postgresql")
def _convert_bytes(element: DecodedText, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(func.convert_from(*element.clauses, func.getdatabaseencoding()), **options)


@compiles(ShiftedMoment)
def _format_moved(element: ShiftedMoment, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(func.strftime(STORED_FORM, *element.clauses), **options)


@compiles(ShiftedMoment, "postgresql")
def _add_interval(element: ShiftedMoment, compiler: SQLCompiler, **options: Any) -> str:
    moment, by = element.clauses
    return compiler.process(cast(moment, DateTime) + cast(by, INTERVAL), **options)


@compiles(GapShiftedMoment)
def _format_moved_by_gap(element: GapShiftedMoment, compiler: SQLCompiler, **options: Any) -> str:
    moment, since, until = element.clauses
    seconds = (func.julianday(until) - func.julianday(since)) * SECONDS_IN_DAY
    return compiler.process(
        func.strftime(STORED_FORM, moment, func.printf("%+.3f seconds", seconds)), **options
    )


@compiles(GapShiftedMoment, "postgresql")
def _add_gap(element: GapShiftedMoment, compiler: SQLCompiler, **options: Any) -> str:
    moment, since, until = (cast(one, DateTime) for one in element.clauses)
    return compiler.process(moment + (until - since), **options)


@compiles(EarlierMoment)
def _find_min(element: EarlierMoment, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(func.min(*element.clauses), **options)


@compiles(EarlierMoment, "postgresql")
def _find_least(element: EarlierMoment, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(func.least(*element.clauses), **options)


def hexed(words: Any) -> ColumnElement[str]:
    """The bytes of a column of text, in hexadecimal."""
    return HexText(words)


def text_of_bytes(raw: bytes) -> ColumnElement[str]:
    """A text that is given as its bytes."""
    return DecodedText(literal(raw, LargeBinary))


def moved_by(moment: Any, by: timedelta) -> ColumnElement[datetime]:
    """A moment, so much later; nothing where it is none."""
    return ShiftedMoment(moment, literal(f"{by.total_seconds():+.3f} seconds"))


def moved_by_gap(moment: Any, since: Any, until: Any) -> ColumnElement[datetime]:
    """A moment, later by the time between two others; nothing where one of them is none."""
    return GapShiftedMoment(moment, since, until)


def earlier(one: Any, other: Any) -> ColumnElement[datetime]:
    """The earlier of two moments."""
    return EarlierMoment(one, other)


def insert_new(table: Any) -> Insert:
    """The statement that adds rows, and leaves those alone that are there already."""
    return insert(table).ext(OnConflictDoNothing())


def partial_index(name: str, *what: Any, only: ColumnElement[bool] | None = None) -> Index:
    """An index, where something is said of `only` those rows."""
    return Index(name, *what, sqlite_where=only, postgresql_where=only)


def moved(column: Any, by: timedelta) -> ColumnElement[Any]:
    """A stored moment, moved; what is none stays as it is."""
    return func.coalesce(moved_by(column, by), column)


def is_within(column: Any, span: tuple[datetime, datetime]) -> ColumnElement[bool]:
    """Whether a stored moment lies behind the first of two, and not behind the second."""
    return and_(column > span[0], column <= span[1])
