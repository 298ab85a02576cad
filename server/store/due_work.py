"""When the clock looks at games and seats next: moments in indexed columns, so that it never looks at all.

A game is looked at after each act, and then when a reminder or its deadline is due; a seat at the hour at
which its player wants the letter of the day, and when it was held long enough for somebody who asked for it;
an address from which letters come back when something has changed that its clocks hang on, and now and then.
Where the wall clock is set, or the relay was away, what waits is moved along.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

from sqlalchemy import ColumnElement, Update, and_, exists, func, literal, not_, or_, update
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from server.store.columns import UTCDateTime, is_unreadable, read_id
from server.store.dialects.expressions import earlier, hexed, is_within, moved
from server.store.models import BouncingAddress, Game, IncomingMail, OutgoingLetter, Resignation, Seating
from server.store.states import GameStatus, LetterState, MailState
from server.store.work_models import AbsentSeat, StoredPlan
from server.time_control.spans import Span

LOG = logging.getLogger(__name__)
AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)
"""When to look at what has just changed: long ago, so that a wall clock that is put back delays nothing."""
LONGEST_DAY = timedelta(hours=25)
"""Between two letters of the day."""
MOST_AT_ONCE = 200
"""Seats, or games in which the house moves, that are looked at in one round."""


def games_due(session: Session, now: datetime, of_house: bool = False) -> Sequence[str]:
    """The games that the clock is to look at, the longest due first; or those in which the house moves."""
    ids = select(hexed(Game.id)).where(col(Game.due_at) <= now).order_by(col(Game.due_at))
    if of_house:
        ids = ids.where(_is_house_to_move()).limit(MOST_AT_ONCE)
    return [game for one in session.exec(ids) if (game := _read_id(one)) is not None]


def _read_id(written: str) -> str | None:
    """The id of a game; None where it cannot be read, which is told of once."""
    found = read_id(written)
    if not is_unreadable(found):
        return found
    _tell_unreadable(found)
    return None


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
    execute_update(session, same.values(due_at=at))


def put_off_due_games(session: Session, now: datetime, at: datetime) -> None:
    """Look at games that are due no sooner than at a moment, but where the house moves. No commit."""
    due = update(Game).where(col(Game.due_at) <= now, not_(_is_house_to_move()))
    execute_update(session, due.values(due_at=at))


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
    return [(game, seat) for one, seat in found if (game := _read_id(one)) is not None]


def put_off_seat(session: Session, game: str, seat: int, at: datetime) -> None:
    """The same for a seat. No commit."""
    same = update(Seating).where(col(Seating.game) == game, col(Seating.seat) == seat)
    execute_update(session, same.values(daily_at=at))


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
    """Look at a player's games in which time runs, since they may want reminders or none. No commit."""
    own = select(Seating.game).where(Seating.player == player)
    games = update(Game).where(col(Game.id).in_(own), col(Game.deadline).is_not(None))
    execute_update(session, games.values(due_at=AT_ONCE))


def _look_at_seats(session: Session, which: ColumnElement[bool]) -> None:
    session.flush()
    seats = update(Seating).where(which, col(Seating.player).is_not(None)).values(daily_at=AT_ONCE)
    execute_update(session, seats)


def marked_players_due(session: Session, now: datetime) -> Sequence[int]:
    """The players of whom an address is marked, and may have to be looked at, the longest due first."""
    due = select(BouncingAddress.player).where(col(BouncingAddress.due_at) <= now)
    return session.exec(due.order_by(col(BouncingAddress.due_at)).limit(MOST_AT_ONCE)).all()


def put_off_marks(session: Session, player: int, at: datetime) -> None:
    """Look at the marks of a player no sooner than at a moment. No commit."""
    _look_at_marks(session, col(BouncingAddress.player) == player, at)


def _look_at_marks(session: Session, which: ColumnElement[bool], at: datetime = AT_ONCE) -> None:
    marks = update(BouncingAddress).where(which, col(BouncingAddress.ended_at).is_(None)).values(due_at=at)
    execute_update(session, marks)


def held_seats_due(session: Session, now: datetime) -> Sequence[str]:
    """The games in which a seat may have been held for long enough, the longest due first."""
    due = select(hexed(Seating.game)).where(col(Seating.held_until) <= now)
    found = session.exec(due.order_by(col(Seating.held_until)).limit(MOST_AT_ONCE))
    return [game for one in found if (game := _read_id(one)) is not None]


def put_off_held_seats(session: Session, game: str, at: datetime) -> None:
    """Look at the held seats of a game no sooner than at a moment. No commit."""
    held = update(Seating).where(col(Seating.game) == game, col(Seating.held_until).is_not(None))
    execute_update(session, held.values(held_until=at))


def leave_uncounted(session: Session, lost: Span) -> None:
    """Let a span in which none could leave not count as time for which letters were tried. No commit.

    A link to sign in grows old in it all the same.
    """
    queued_at = col(OutgoingLetter.queued_at)
    latest = earlier(moved(queued_at, lost[1] - lost[0]), literal(lost[1], UTCDateTime))
    waiting = update(OutgoingLetter).where(
        col(OutgoingLetter.state) == LetterState.WAITING,
        queued_at < lost[1],
        col(OutgoingLetter.kind).not_in((LetterKind.SIGNIN, LetterKind.SEAT_CLAIM)),
    )
    execute_update(session, waiting.values(queued_at=func.coalesce(latest, queued_at)))


def shift_waiting(session: Session, by: timedelta, newer: Span) -> None:
    """Move what letters, mails, games and seats wait for as the wall clock was set; no commit.

    `newer`: since the clock was last looked at; what has come up in it goes by the new time already.
    """
    now = newer[1]
    letters = update(OutgoingLetter).where(
        col(OutgoingLetter.state) == LetterState.WAITING,
        col(OutgoingLetter.due_at) > now - max(by, timedelta(0)),
        not_(is_within(col(OutgoingLetter.queued_at), newer)),
    )
    execute_update(session, letters.values(due_at=moved(col(OutgoingLetter.due_at), by)))
    queued = update(OutgoingLetter).where(
        col(OutgoingLetter.state) == LetterState.WAITING,
        not_(is_within(col(OutgoingLetter.queued_at), newer)),
    )  # from then on it is counted for how long they are tried
    execute_update(session, queued.values(queued_at=moved(col(OutgoingLetter.queued_at), by)))
    if by > timedelta(0):
        return  # all else is looked at too early, which does no harm
    execute_update(
        session, update(OutgoingLetter).where(col(OutgoingLetter.sent_at) > now).values(sent_at=now)
    )
    planned = update(StoredPlan).where(col(StoredPlan.due_at) > now)
    execute_update(session, planned.values(due_at=now))
    mails = update(IncomingMail).where(col(IncomingMail.state) == MailState.WAITING)
    execute_update(session, mails.where(col(IncomingMail.due_at) > now).values(due_at=now))
    games = update(Game).where(col(Game.due_at) > now, col(Game.deadline).is_(None))
    execute_update(session, games.values(due_at=AT_ONCE))
    seats = update(Seating).where(col(Seating.daily_at) > now + LONGEST_DAY)
    execute_update(session, seats.values(daily_at=AT_ONCE))


def execute_update(session: Session, change: Update) -> None:
    """Change rows, whatever of them a session has read before. No commit."""
    session.execute(change, execution_options={"synchronize_session": False})
