"""What a database system must be able to do for the store, and what goes wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Protocol

from sqlalchemy import URL, Connection, Engine
from sqlmodel import Session

WRITING = "writing"
"""The execution option of a transaction that writes: True, or a key, such as that of a game, where all that
is looked up to be written is only ever written with the same key or with True."""

DISK_FAILURES = ("53100", "58")
"""How the codes begin by which a database server says that its disk is full, or fails."""


class SchemaMismatch(ValueError):
    """A database that this program cannot use; the sentence says what to do."""


class NoDatabase(SchemaMismatch):
    """There is no database where one must be; the sentence says what to do."""


class DatabaseInUse(Exception):
    """Another process has the database open; the sentence says what to do."""


class UnreadableValue(ValueError):
    """Something stored is no value of its column, such as a text that is no UTF-8."""


class BackupRefused(ValueError):
    """A backup that cannot be made or returned; the sentence says why."""


class SharedKeys(Protocol):
    """Keys that one process at a time holds, beyond transactions; those of one that ends are free."""

    def take(self, key: str) -> bool:
        """Whether nobody else held a key; then it is held until it is let go."""

    def let_go(self, key: str) -> None:
        """Hold a key no more."""

    def close(self) -> None:
        """Hold none."""


class DatabaseSystem(Protocol):
    """What each database system does in its own way."""

    def open(self, url: URL) -> Engine:
        """A database to be worked with, whatever its version."""

    def settle(self, database: Engine) -> None:
        """Do what is left to be done once its version is known to be the right one."""

    def guard_files(self, url: URL) -> None:
        """Take from others what they may do with the files of the database."""

    def open_for_upgrade(self, url: URL, report_wait: Callable[[], None], patience: float) -> Engine:
        """A database of which each transaction has nobody beside it that writes.

        Where one has to wait, `report_wait` is called first. A transaction raises `DatabaseInUse` after as
        many seconds as `patience` says.
        """

    def finish_upgrade(self, connection: Connection) -> None:
        """See to it that all references hold. Raises `SchemaMismatch`."""

    def lock(self, connection: Connection, key: str) -> None:
        """Let nobody else write with a further key, until the end of a transaction that writes."""

    def compact(self, database: Engine, whole: bool) -> bool:
        """Leave nothing in the files of the database that was deleted; whether that was done."""

    def measure_size(self, connection: Connection) -> int:
        """Bytes that the database uses."""

    def folder_of(self, url: URL) -> Path | None:
        """Where the database lies on this machine; None where that is not known."""

    def announce(self, connection: Connection, sender: str) -> None:
        """Let other processes know, once this transaction is committed, that there is something to do."""

    def listen(self, url: URL, sender: str, heard: Callable[[], None], stopping: Event) -> bool:
        """Call `heard` at once, and whenever another sender has announced something, until it is to stop.

        Whether there is anything to be listened to.
        """

    def watch_timeline(self, database: Engine, turned: Callable[[], None]) -> None:
        """Call `turned` whenever what a database says may go on from an earlier state of it than before."""

    def open_keys(self, url: URL) -> SharedKeys | None:
        """Keys that processes share; None where one process does the work, and others only stand by."""

    def skip_ids(self, connection: Connection, table: str, to: int) -> None:
        """Give no row of a table an id up to this one, which its last row has."""

    def append_line(self, connection: Connection, line: str) -> None:
        """Append a line to the journal of withdrawals, which is in no backup.

        It is written with the transaction or before its end: never is one committed without its line.
        """

    def read_lines(self, url: URL) -> list[str]:
        """The lines of that journal, the oldest first."""


@dataclass(frozen=True, slots=True)
class StagedCopy:
    """A copy that waits beside the database whose place it takes."""

    database: URL
    replaced: URL
    """The database whose place it takes."""
    last_letter: int = 0
    """The highest number of a letter in the database that is replaced; 0: there is none."""
    last_epoch: int = 0
    """The highest epoch of a seat in it, likewise."""
    kept: str = ""
    """Where the database that is replaced stays; empty: there is none."""


class BackupFormat(Protocol):
    """How a database system copies a database into a file and back. Each raises `BackupRefused`."""

    def copy_database(self, database: URL, file: Path, note: Callable[[Session], None]) -> int:
        """Copy a database into a new file, as it is at one moment; how many games it holds.

        `note` writes into it when that was. Where anything fails no file is left.
        """

    def read_version(self, file: Path) -> str | None:
        """The version of the database in a copy; None where it is no whole copy of one of ours."""

    def stage_copy(self, database: URL, file: Path, *, replacing: bool) -> AbstractContextManager[StagedCopy]:
        """Read a copy into a place beside the database; at the end of the block it replaces the database.

        Where the block raises, or the process is killed, the database is what it was. `replacing`: though
        there are games in it. No other process may have it open.
        """


def is_disk_failure(error: BaseException | None) -> bool:
    """Whether a database server could not write for its disk, not seen from here, is full or fails."""
    return (getattr(error, "sqlstate", None) or "").startswith(DISK_FAILURES)


LAST_NUMBERS = "SELECT (SELECT max(id) FROM outgoing), (SELECT max(epoch) FROM seating)"
"""The highest number of a letter and of an epoch, for which a sealed address or link may be out."""


def count_games(games: int) -> str:
    """How many games, for a sentence."""
    return "1 game" if games == 1 else f"{games} games"


def describe_games_at_risk(games: int) -> str:
    """Why a database is not replaced."""
    return (
        f"the database (ALEXANDROS_DATABASE) holds {count_games(games)}, which would be lost:"
        " back it up, and say --replace"
    )


def describe_in_use(why: str) -> str:
    """Why a database cannot be replaced just now, and what to do."""
    return (
        f"the database (ALEXANDROS_DATABASE) cannot be replaced: {why}; stop `alexandros serve` and whatever"
        " else has it open"
    )
