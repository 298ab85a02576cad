"""Rows that loops work through: one that cannot be read, or fails, stops only itself.

It is put off, and after a few tries set aside with the reason, where the operator finds it; the log tells of
each, with the trace of what has failed. What only a newer program knows is no failure: it is left to that
one, for machines are upgraded one after the other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TypeVar

from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col

from server.monitoring.server_events import RowFate, WorkTable
from server.store.columns import UnknownMember
from server.store.context import Context
from server.store.due_work import put_off_game
from server.store.models import IncomingMail, OutgoingLetter
from server.store.refusals import GameNotRunning, GameSuspended, StalePosition
from server.store.states import Hindrance, LetterState, MailState

LOG = logging.getLogger(__name__)
LEFT_TO_NEWER_FOR = timedelta(minutes=1)
"""How long this program leaves a row alone of which only a newer one knows what to do."""
MOST_FAILURES = 3
"""How often a row is tried that fails, before it is set aside."""
FIRST_PUT_OFF = timedelta(minutes=1)
"""How long it waits after the first failure; each time twice as long."""
BROKEN_PUT_OFF_FOR = timedelta(minutes=10)
"""How long a game is left alone that cannot go on by itself."""
SEE_MESSAGES = ": see the server's own messages"
"""How the reason ends for which a row is set aside."""
UNREADABLE = f"what is stored of it cannot be read{SEE_MESSAGES}"

SET_ASIDE: Mapping[type[IncomingMail | OutgoingLetter], str] = {
    IncomingMail: MailState.REFUSED,
    OutgoingLetter: LetterState.FAILED,
}
"""The state of a row of each table at which nobody works any more."""

Row = TypeVar("Row", IncomingMail, OutgoingLetter)
Found = TypeVar("Found")


def load_row(context: Context, session: Session, table: type[Row], number: int, now: datetime) -> Row | None:
    """The row with this number; None where there is none, or it cannot be read and is set aside at once.

    A value that no column could hold fails when its row is read: so each is read for itself.
    """
    try:
        return session.get(table, number)
    except OperationalError:
        raise  # the database is away, and nothing is wrong with the row
    except UnknownMember as error:
        leave_to_newer(context, table, number, error, now)
    except Exception:
        set_aside(context, table, number, UNREADABLE)
    return None


def read_alone(what: str, read: Callable[[], Found]) -> Found | None:
    """What is read for an entry of a list; None where a row cannot be read, which hides no other entry."""
    try:
        return read()
    except OperationalError:
        raise  # the database is away
    except UnknownMember as error:
        tell_of_newer(what, str(error))
    except Exception:
        _tell_unreadable(what)
    return None


@lru_cache(maxsize=64)
def _tell_unreadable(what: str) -> None:
    """Log what is left out of lists, once for each entry."""
    LOG.exception("%s cannot be read, and is left out of lists", what)


def set_aside(context: Context, table: type[Row], number: int, why: str) -> None:
    """Work no more at a row, and keep the reason."""
    with context.writing() as session:
        changed = update(table).where(col(table.id) == number)
        session.execute(changed.values(state=SET_ASIDE[table], why=why, hindrance=Hindrance.SET_ASIDE))
        session.commit()
    context.events.note_failed_row(WorkTable(table.__tablename__), number, RowFate.SET_ASIDE)


def leave_to_newer(
    context: Context, table: type[Row], number: int, unknown: UnknownMember, now: datetime
) -> None:
    """Leave a row to a program that knows what it says, or is about; that counts as no try."""
    with context.writing() as session:
        session.execute(update(table).where(col(table.id) == number).values(due_at=now + LEFT_TO_NEWER_FOR))
        session.commit()
    tell_of_newer(f"{table.__tablename__} {number}", str(unknown))


@lru_cache(maxsize=64)
def tell_of_newer(what: str, unknown: str) -> None:
    """Let the log tell, once of each, what holds something that only a newer program knows."""
    LOG.warning("%s is left to a newer program, for this one does not know all of it: %s", what, unknown)


def put_off(context: Context, table: type[Row], row: Row, why: str, now: datetime) -> None:
    """A row has failed: it is tried again later, and set aside when that happened often enough."""
    number, tries = row.id or 0, row.tries + 1
    if tries >= MOST_FAILURES:
        set_aside(context, table, number, why)
        return
    later = now + FIRST_PUT_OFF * 2 ** (tries - 1)
    with context.writing() as session:
        changed = update(table).where(col(table.id) == number)
        session.execute(changed.values(tries=tries, due_at=later, why=why, hindrance=Hindrance.NONE))
        session.commit()
    context.events.note_failed_row(WorkTable(table.__tablename__), number, RowFate.PUT_OFF)


def work_at_game(context: Context, game: str, now: datetime, work: Callable[[str], int]) -> int:
    """Do a piece of work at a game, how much was done; one that fails is put off, and stops only itself."""
    try:
        return work(game)
    except (StalePosition, GameNotRunning, GameSuspended):
        return 0  # somebody was quicker
    except UnknownMember as error:
        _put_off_game(context, game, now + LEFT_TO_NEWER_FOR)
        tell_of_newer(f"game {game}", str(error))
        return 0
    except OperationalError:
        raise  # the database is away
    except Exception:
        context.events.note_failed_game(game, RowFate.PUT_OFF)
        _put_off_game(context, game, now + BROKEN_PUT_OFF_FOR)
        return 0


def _put_off_game(context: Context, game: str, at: datetime) -> None:
    with context.writing() as session:
        put_off_game(session, game, at)
        session.commit()
