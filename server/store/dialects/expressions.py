"""SQL expressions that the two database systems write differently."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ClauseElement,
    ColumnElement,
    DateTime,
    Index,
    Insert,
    Interval,
    LargeBinary,
    String,
    Text,
    and_,
    cast,
    func,
    insert,
    literal,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex
from sqlalchemy.sql.base import SyntaxExtension
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

STORED_FORM = "%Y-%m-%d %H:%M:%f000"
SECONDS_IN_DAY = 86400.0


class HexText(FunctionElement[str]):
    """Bytes of a text in upper-case hexadecimal, also for invalid UTF-8."""

    type = String()
    inherit_cache = True


class DecodedText(FunctionElement[str]):
    type = Text()
    inherit_cache = True


class ShiftedMoment(FunctionElement[Any]):
    """A time plus an interval such as "+90.500 seconds"; NULL if the time is invalid."""

    type = DateTime()
    inherit_cache = True


class GapShiftedMoment(FunctionElement[Any]):
    """A time plus the interval from a second time to a third; NULL if a time is invalid."""

    type = DateTime()
    inherit_cache = True


class OnConflictDoNothing(SyntaxExtension, ClauseElement):
    inherit_cache = True
    _traverse_internals: list[Any] = []  # noqa: RUF012, a list: without it no INSERT is cached

    def apply_to_insert(self, statement: Insert) -> None:
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
    return compiler.process(cast(moment, DateTime) + cast(by, Interval), **options)


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


def hexed(words: Any) -> ColumnElement[str]:
    return HexText(words)


def text_of_bytes(raw: bytes) -> ColumnElement[str]:
    return DecodedText(literal(raw, LargeBinary))


def insert_new(table: Any) -> Insert:
    return insert(table).ext(OnConflictDoNothing())


def partial_index(name: str, *what: Any, only: ColumnElement[bool] | None = None) -> Index:
    return Index(name, *what, sqlite_where=only)


@compiles(CreateIndex, "postgresql")
def _create_index(element: CreateIndex, compiler: Any, **options: Any) -> Any:
    options_of = element.element.dialect_options
    # `postgresql_where` in `partial_index` would load this dialect in programs that use SQLite
    options_of["postgresql"]["where"] = options_of["sqlite"]["where"]
    return compiler.visit_create_index(element, **options)


def moved(column: Any, by: timedelta) -> ColumnElement[Any]:
    """Return the expression for a stored time plus `by`; an invalid time stays unchanged."""
    return func.coalesce(ShiftedMoment(column, literal(f"{by.total_seconds():+.3f} seconds")), column)


def is_within(column: Any, span: tuple[datetime, datetime]) -> ColumnElement[bool]:
    """Return the condition that a stored time is after the start of a span, and not after its end."""
    return and_(column > span[0], column <= span[1])
