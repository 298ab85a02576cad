"""Rows that loops work through: one that cannot be read, or fails, stops only itself.

It is put off, and after a few tries set aside with the reason, where the operator finds it; the log tells of
each, with the trace of what has failed.
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
from server.store.context import Context
from server.store.due_work import put_off_game
from server.store.models import IncomingMail, OutgoingLetter
from server.store.refusals import GameNotRunning, GameSuspended, StalePosition
from server.store.states import Hindrance, LetterState, MailState

LOG = logging.getLogger(__name__)
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


def load_row(context: Context, session: Session, table: type[Row], number: int) -> Row | None:
    """The row with this number; None where there is none, or it cannot be read and is set aside at once.

    A value that no column could hold fails when its row is read: so each is read for itself.
    """
    try:
        return session.get(table, number)
    except OperationalError:
        raise  # the database is away, and nothing is wrong with the row
    except Exception:
        set_aside(context, table, number, UNREADABLE)
    return None


def read_alone(what: str, read: Callable[[], Found]) -> Found | None:
    """What is read for an entry of a list; None where a row cannot be read, which hides no other entry."""
    try:
        return read()
    except OperationalError:
        raise  # the database is away
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
