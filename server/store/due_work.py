"""When the clock looks at games and seats next: moments in indexed columns, so that it never looks at all.

A game is looked at after each act, and then when a reminder or its deadline is due; a seat at the hour at
which its player wants the letter of the day, and when it was held long enough for somebody who asked for it;
an address from which letters come back when something has changed that its clocks hang on, and now and then.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

from sqlalchemy import ColumnElement, and_, exists, not_, or_, update
from sqlmodel import Session, col, select

from server.store.columns import is_unreadable, read_id
from server.store.dialects.expressions import hexed
from server.store.models import BouncingAddress, Game, Resignation, Seating
from server.store.states import GameStatus
from server.store.work_models import AbsentSeat

LOG = logging.getLogger(__name__)
AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)
"""When to look at what has just changed: long ago, so that a wall clock that is put back delays nothing."""
MOST_AT_ONCE = 200
"""Seats, or games in which the house moves, that are looked at in one round."""


def games_due(session: Session, now: datetime, of_house: bool = False) -> Sequence[str]:
    """The games that the clock is to look at, the longest due first; or those in which the house moves."""
    ids = select(hexed(Game.id)).where(col(Game.due_at) <= now).order_by(col(Game.due_at))
    if of_house:
        ids = ids.where(_is_house_to_move()).limit(MOST_AT_ONCE)
    return [game for one in session.exec(ids) if (game := _read_id(one))]


def _read_id(written: str) -> str:
    """The id of a game; empty where it cannot be read, which is told of once."""
    found = read_id(written)
    if not is_unreadable(found):
        return found
    _tell_unreadable(found)
    return ""


@cache
def _tell_unreadable(game: str) -> None:
    LOG.error("the id of the game %s cannot be read: the clock leaves that game out", game)


def look_at_game_next(session: Session, seen: Game, at: datetime | None) -> None:
    """Look at a game at a moment, or (None) when something happens; not where it has since it was `seen`.

    The clock of its turn may have begun, or been moved, without an act. The caller commits.
    """
    same = update(Game).where(
        col(Game.id) == seen.id,
        col(Game.seq) == seen.seq,
        col(Game.due_at).is_not_distinct_from(seen.due_at),
        col(Game.deadline).is_not_distinct_from(seen.deadline),
    )
    session.execute(same.values(due_at=at), execution_options={"synchronize_session": False})


def put_off_due_games(session: Session, now: datetime, at: datetime) -> None:
    """Look at games that are due no sooner than at a moment, but where the house moves. No commit."""
    due = update(Game).where(col(Game.due_at) <= now, not_(_is_house_to_move()))
    session.execute(due.values(due_at=at), execution_options={"synchronize_session": False})


def _is_house_to_move() -> ColumnElement[bool]:
    """Whether the server plays the turn: for a seat of its own, or for a player who is not there."""
    house = exists().where(col(Seating.game) == Game.id, col(Seating.seat) == Game.seat, col(Seating.house))
    resigned = exists().where(col(Resignation.game) == Game.id, col(Resignation.seat) == Game.seat)
    absent = exists().where(col(AbsentSeat.game) == Game.id, col(AbsentSeat.seat) == Game.seat)
    is_on = and_(col(Game.status) == GameStatus.RUNNING, col(Game.suspended_at).is_(None))
    return and_(is_on, or_(house, resigned, absent))


def put_off_game(session: Session, game: str, at: datetime) -> None:
    """Look at a game that cannot go on no sooner than at a moment, whatever its row holds. No commit."""
    session.execute(update(Game).where(col(Game.id) == game).values(due_at=at))


def seats_due(session: Session, now: datetime) -> Sequence[tuple[str, int]]:
    """The seats whose letter of the day may be due, the longest due first."""
    due = select(hexed(Seating.game), Seating.seat).where(col(Seating.daily_at) <= now)
    found = session.exec(due.order_by(col(Seating.daily_at)).limit(MOST_AT_ONCE))
    return [(game, seat) for one, seat in found if (game := _read_id(one))]


def put_off_seat(session: Session, game: str, seat: int, at: datetime) -> None:
    """The same for a seat. No commit."""
    same = update(Seating).where(col(Seating.game) == game, col(Seating.seat) == seat)
    session.execute(same.values(daily_at=at), execution_options={"synchronize_session": False})


def look_at_seats_of_game(session: Session, game: str) -> None:
    """Let the clock look at the seats of a game that has begun. No commit."""
    players = select(Seating.player).where(Seating.game == game)
    _look_at_seats(session, col(Seating.game) == game)
    _look_at_marks(session, col(BouncingAddress.player).in_(players))


def look_at_seats_of_player(session: Session, player: int) -> None:
    """The same for all seats of a player, since what they want may have changed. No commit."""
    _look_at_seats(session, col(Seating.player) == player)
    _look_at_marks(session, col(BouncingAddress.player) == player)


def look_at_games_of_mover(session: Session, player: int) -> None:
    """Look at a player's games in which time runs, since they may want other reminders. No commit."""
    own = select(Seating.game).where(Seating.player == player)
    games = update(Game).where(col(Game.id).in_(own), col(Game.deadline).is_not(None))
    session.execute(games.values(due_at=AT_ONCE), execution_options={"synchronize_session": False})


def _look_at_seats(session: Session, which: ColumnElement[bool]) -> None:
    session.flush()
    seats = update(Seating).where(which, col(Seating.player).is_not(None)).values(daily_at=AT_ONCE)
    session.execute(seats, execution_options={"synchronize_session": False})


def marked_players_due(session: Session, now: datetime) -> Sequence[int]:
    """The players of whom an address is marked, and may have to be looked at, the longest due first."""
    due = select(BouncingAddress.player).where(col(BouncingAddress.due_at) <= now)
    return session.exec(due.order_by(col(BouncingAddress.due_at)).limit(MOST_AT_ONCE)).all()


def put_off_marks(session: Session, player: int, at: datetime) -> None:
    """Look at the marks of a player no sooner than at a moment. No commit."""
    _look_at_marks(session, col(BouncingAddress.player) == player, at)


def _look_at_marks(session: Session, which: ColumnElement[bool], at: datetime = AT_ONCE) -> None:
    marks = update(BouncingAddress).where(which, col(BouncingAddress.ended_at).is_(None)).values(due_at=at)
    session.execute(marks, execution_options={"synchronize_session": False})


def held_seats_due(session: Session, now: datetime) -> Sequence[str]:
    """The games in which a seat may have been held for long enough, the longest due first."""
    due = select(hexed(Seating.game)).where(col(Seating.held_until) <= now)
    found = session.exec(due.order_by(col(Seating.held_until)).limit(MOST_AT_ONCE))
    return [game for one in found if (game := _read_id(one))]


def put_off_held_seats(session: Session, game: str, at: datetime) -> None:
    """Look at the held seats of a game no sooner than at a moment. No commit."""
    held = update(Seating).where(col(Seating.game) == game, col(Seating.held_until).is_not(None))
    session.execute(held.values(held_until=at), execution_options={"synchronize_session": False})
