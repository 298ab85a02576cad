"""Daily letters, for players who want one letter a day at an hour of their choice, if there is news.

Each seat of a running game stores the time of its next check.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import and_, or_
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from emails.letters import game_letters
from emails.letters.parts import Pace
from server.monitoring import RowFate, WorkTable
from server.outbox.chat import last_unread_number
from server.outbox.letter_kinds import KINDS_SHOWING_GAME
from server.outbox.notifications import Notification
from server.outbox.preferences import Preferences, load_preferences, preferences_changed_at
from server.outbox.queue import has_changed_since_letter, queue_letters
from server.store.context import Context
from server.store.models import Game, OutgoingLetter, Resignation, Seating
from server.store.schedule import put_off_seat, seats_due
from server.store.states import GameStatus, LetterState

BROKEN_PUT_OFF_FOR = timedelta(hours=1)
LOOK_AGAIN_AFTER = timedelta(minutes=10)  # if a waiting letter may still be dropped


def queue_daily_letters(context: Context, now: datetime) -> int:
    """Queue the daily letters that are due; return their number.

    No letter is queued if a letter that shows the game waits, or was sent since the player's daily hour. Each
    daily letter is queued once, even if this runs late or repeatedly.
    """
    with context.reading() as session:
        seats = seats_due(session, now)
    done = 0
    for game, seat in seats:
        try:
            done += _queue_daily_letter(context, game, seat, now)
        except OperationalError:
            raise  # the database is unavailable
        except Exception:
            context.events.note_failed_row(WorkTable.SEATING, seat, RowFate.PUT_OFF, game)
            with context.writing() as session:
                put_off_seat(session, game, seat, now + BROKEN_PUT_OFF_FOR)
                session.commit()
    return done


def _queue_daily_letter(context: Context, game_id: str, seat: int, now: datetime) -> bool:
    with context.writing() as session:
        seating, game = session.get_one(Seating, (game_id, seat)), session.get_one(Game, game_id)
        if seating.daily_at is None or seating.daily_at > now:
            return False  # another process queued it
        wanted = _wanted_daily(session, game, seating)
        if wanted is None:
            seating.daily_at = None
            session.commit()
            return False
        hour = wanted.last_hour(now)
        seating.daily_at = wanted.next_hour(now + timedelta(seconds=1))
        changed_at = preferences_changed_at(session, seating.player or 0, game_id)
        since_then = changed_at is not None and changed_at >= hour  # not wanted before
        waiting, told = _letters_on_their_way(session, game_id, seat, hour)
        if waiting:
            seating.daily_at = min(seating.daily_at, now + LOOK_AGAIN_AFTER)
        due = not (since_then or waiting or told) and _has_news(context, session, game, seat)
        if due:
            day = Notification(seat, game_letters.Digest(), mark=f"{hour:%Y-%m-%dT%H}")
            queue_letters(context, session, game, [day], now)
        session.commit()
    return due


def _has_news(context: Context, session: Session, game: Game, seat: int) -> bool:
    changed = has_changed_since_letter(context, session, game, seat)
    return game.seat == seat or changed or last_unread_number(session, game.id, seat) > 0


def _wanted_daily(session: Session, game: Game, seating: Seating) -> Preferences | None:
    if seating.player is None or game.status != GameStatus.RUNNING or game.suspended_at is not None:
        return None
    wanted = load_preferences(session, seating.player, game.id)
    resigned = session.get(Resignation, (game.id, seating.seat)) is not None
    return wanted if wanted.pace == Pace.DAILY and wanted.letters and not resigned else None


def _letters_on_their_way(session: Session, game: str, seat: int, hour: datetime) -> tuple[bool, bool]:
    """Return whether a letter that shows the game waits for a seat, and whether one was sent since `hour`."""
    same = select(OutgoingLetter.state).where(
        OutgoingLetter.game == game,
        OutgoingLetter.seat == seat,
        col(OutgoingLetter.kind).in_(KINDS_SHOWING_GAME),
    )
    today = and_(col(OutgoingLetter.kind) == game_letters.Digest.kind, col(OutgoingLetter.queued_at) >= hour)
    waits = col(OutgoingLetter.state) == LetterState.WAITING
    found = session.exec(same.where(or_(waits, col(OutgoingLetter.sent_at) >= hour, today))).all()
    return LetterState.WAITING in found, any(state != LetterState.WAITING for state in found)
