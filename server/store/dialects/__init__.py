"""Differences between SQLite and PostgreSQL; other packages do not depend on which of them is used.

SQLite has one writer, which takes its lock at the beginning of the transaction; readers see the state
committed before they began. On PostgreSQL advisory locks and isolation levels give the same guarantees.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any, Protocol

from sqlalchemy import (
    URL,
    ClauseElement,
    ColumnElement,
    Connection,
    DateTime,
    Engine,
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
from sqlmodel import Session

WRITING = "writing"
"""Execution option of a writing transaction: key (name) of the lock that it takes, or True for all locks.

Transactions that change the same row must take the same lock, or all locks.
"""

PRIVATE = stat.S_IRUSR | stat.S_IWUSR
"""Mode of a file that only its owner may read and write."""
DISK_FAILURES = ("53100", "58")
"""Prefixes of the SQLSTATE codes for a full or failing disk of the database server."""


class SchemaMismatch(ValueError):
    """A database that this program cannot use; the message tells the operator what to do."""


class NoDatabase(SchemaMismatch):
    """A missing database; the message tells the operator what to do."""


class DatabaseInUse(Exception):
    """Another process has the database open; the message tells the operator what to do."""


class UnreadableValue(ValueError):
    """A stored value that is invalid for its column, such as text that is not UTF-8."""


class BackupRefused(ValueError):
    """A backup that cannot be made or restored; the message gives the reason."""


class SharedKeys(Protocol):
    """Locks that one process at a time holds, across transactions; they are free when the process ends."""

    def take(self, key: str) -> bool: ...

    def let_go(self, key: str) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class StagedCopy:
    """A copy staged beside the database that it will replace."""

    database: URL
    replaced: URL
    last_letter: int = 0
    last_generation: int = 0
    kept: str = ""


class DatabaseSystem(Protocol):
    """Operations that differ between SQLite and PostgreSQL."""

    def open(self, url: URL) -> Engine:
        """Open a database of any schema version."""

    def is_missing(self, url: URL) -> bool:
        """Return whether the URL names a file that does not exist.

        A file that cannot be checked counts as existing, so that opening it reports the error.
        """
        return False

    def settle(self, database: Engine) -> None:
        """Prepare a database of the right schema version for use: for example, start its write-ahead log."""
        return

    def guard_files(self, url: URL) -> None:
        """Restrict the database files to their owner."""
        return

    def open_for_upgrade(self, url: URL, report_wait: Callable[[], None], patience: float) -> Engine:
        """Open a database for transactions without concurrent writers.

        `report_wait`: called before waiting. After `patience` seconds a transaction raises `DatabaseInUse`.
        """

    def finish_upgrade(self, connection: Connection) -> None:
        """Check all references. Raises `SchemaMismatch`."""
        return

    def lock(self, connection: Connection, key: str) -> None:
        """Lock `key` until the writing transaction ends, besides the lock that it holds already."""
        return

    def compact(self, database: Engine, *, whole: bool = True) -> bool:
        """Remove deleted data from files, if `whole` by rewriting all data; return whether this was done."""

    def measure_size(self, connection: Connection) -> int:
        """Return the bytes that the database uses."""

    def folder_of(self, url: URL) -> Path | None:
        """Return the folder of the database; None if it may be on another machine."""
        return None

    def announce(self, connection: Connection, sender: str) -> None:
        """Notify other processes of new work when the transaction commits."""
        return

    def listen(self, url: URL, sender: str, heard: Callable[[], None], stopping: Event) -> bool:
        """Call `heard` at once and at each notice of another sender, until `stopping` is set.

        Return False if the system has no notices.
        """
        return False

    def watch_timeline(self, database: Engine, turned: Callable[[], None]) -> None:
        """Call `turned` when the database may have gone back to an earlier state, as after a failover."""
        return

    def open_keys(self, url: URL) -> SharedKeys | None:
        """Return locks shared by processes; None if one process does all work."""
        return None

    def skip_ids(self, connection: Connection, table: str, to: int) -> None:
        """Let new ids of a table follow `to`, the largest id; SQLite does so by itself."""
        return

    def append_line(self, connection: Connection, line: str) -> None:
        """Append a line to the journal of server/store/encrypted.py before the transaction ends."""

    def delete_lines(self, connection: Connection, lines: Collection[str]) -> None:
        """Delete lines of the journal, in a writing transaction."""

    def read_lines(self, url: URL) -> list[str]: ...

    def copy_database(self, database: URL, file: Path, note: Callable[[Session], None]) -> int:
        """Copy a database, as of one moment, into a new file; return the number of games.

        `note` stores the time of the copy: in the copy (SQLite), or first in the source (PostgreSQL). A
        failure leaves no file. Raises `BackupRefused`.
        """

    def read_version(self, file: Path) -> str | None:
        """Return the schema version of a copy; None for a damaged copy, or one of another program."""

    def stage_copy(self, database: URL, file: Path, *, replacing: bool) -> AbstractContextManager[StagedCopy]:
        """Load the copy `file` beside the database; at the end of the block, replace the database by it.

        If the block raises, or the process is killed, the database is unchanged. `replacing`: go
        on even if the database contains games. No other process may have the database open. Raises
        `BackupRefused`.
        """


def is_disk_failure(error: BaseException | None) -> bool:
    return (getattr(error, "sqlstate", None) or "").startswith(DISK_FAILURES)


LAST_NUMBERS = "SELECT (SELECT max(id) FROM outgoing), (SELECT max(epoch) FROM seating)"


def count_games(games: int) -> str:
    return "1 game" if games == 1 else f"{games} games"


def describe_games_at_risk(games: int) -> str:
    return (
        f"the database (ALEXANDROS_DATABASE) holds {count_games(games)}, which would be lost:"
        " back it up, and use --replace"
    )


def describe_in_use(why: str) -> str:
    return (
        f"the database (ALEXANDROS_DATABASE) cannot be replaced: {why}; stop `alexandros serve` and all other"
        " programs that use it"
    )


def system_of(url: URL) -> DatabaseSystem:
    if url.get_backend_name() == "sqlite":
        from server.store.dialects.sqlite import SQLite

        return SQLite()
    from server.store.dialects.postgresql import PostgreSQL

    return PostgreSQL()


# --- SQL expressions that the two systems write differently ------------------------------------------------

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
