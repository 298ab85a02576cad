"""Letters caused by time: daily letters, and new deadlines after outages of server, relay and mailbox."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy import and_, or_
from sqlalchemy.exc import NoResultFound, OperationalError
from sqlmodel import Session, col, select

from emails.letters import game_letters
from emails.letters.parts import Pace
from server.monitoring import RowFate, WorkTable
from server.outbox.chat import announce_to, has_unread, is_unread_by, load_last
from server.outbox.notifications import (
    KINDS_SHOWING_GAME,
    Notification,
    Preferences,
    load_preferences,
    preferences_changed_at,
)
from server.outbox.queue import UnitOfWork, has_changed_since_letter, last_sent_at, load_people
from server.store.context import Context
from server.store.dialects import hexed
from server.store.models import ChatMessage, Game, OutgoingLetter, Resignation, Seating, read_id
from server.store.schedule import (
    clear_moment,
    leave_uncounted,
    put_off_seat,
    read_moment,
    seats_due,
    write_moment,
)
from server.store.states import NO_ADDRESSEE, Announcement, GameStatus, LetterState, MomentName
from server.store.turn_clock import (
    LEAST_ABSENCE,
    absent_since,
    find_deadline,
    give_back,
    give_grace,
    list_absences,
    look_at_put_off_games,
)
from server.turn_time import CATCH_UP

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
        due = not (since_then or waiting or told) and (
            game.seat == seat
            or has_changed_since_letter(context, session, game, seat)
            or has_unread(session, game_id, seat)
        )
        if due:
            day = Notification(seat, game_letters.Digest(), mark=f"{hour:%Y-%m-%dT%H}")
            UnitOfWork(context, session, now).queue(game, [day])
        session.commit()
    return due


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


TOLD_AFTER = timedelta(minutes=10)
"""Minimum outage after which players are sent their new deadlines."""
TOLD_JUST_NOW = timedelta(minutes=1)
"""The new deadline is not sent if the last letter that shows the game was sent within this time."""


def end_absence(context: Context, session: Session, name: MomentName, now: datetime) -> None:
    """End the stored outage of relay or mailbox (`name`), if any, and extend turns by it. No commit."""
    since = absent_since(session)
    if since is None or read_moment(session, name) is None:
        return
    clear_moment(session, name)
    look_at_put_off_games(session, now)
    if now - since >= LEAST_ABSENCE or read_moment(session, MomentName.OUTAGE) is not None:
        _go_on(context, session, since, now)


def end_downtime(context: Context, session: Session, last: datetime, now: datetime) -> None:
    """End downtime that began at the last heartbeat (`last`), and extend turns by it. No commit."""
    since = max(last, read_moment(session, MomentName.GIVEN_BACK) or last)
    away = absent_since(session)
    leave_uncounted(session, (last, now))
    _go_on(context, session, since if away is None else min(since, away), now)


def _go_on(context: Context, session: Session, since: datetime, now: datetime) -> None:
    if any(list_absences(session)):
        write_moment(session, MomentName.OUTAGE, since)  # overlapping outages count once
        return
    clear_moment(session, MomentName.OUTAGE)
    write_moment(session, MomentName.GIVEN_BACK, now)
    told: list[str] = []
    if now - since >= TOLD_AFTER:
        shown = col(Game.deadline).is_not(None), col(Game.turn_began_at) <= now - TOLD_AFTER
        told = list(map(read_id, session.exec(select(hexed(Game.id)).where(*shown)).all()))
    give_back(session, (since, now), CATCH_UP)
    give_grace(session, now + CATCH_UP)
    _tell_new_deadlines(context, session, told, now)


def _tell_new_deadlines(context: Context, session: Session, games: Sequence[str], now: datetime) -> None:
    """Announce new deadlines to the players to move; cancel unread earlier announcements. No commit."""
    session.flush()
    for number in games:
        with suppress(ValueError, TypeError, LookupError, NoResultFound):  # an unreadable row
            game = session.get_one(Game, number, populate_existing=True)
            deadline = find_deadline(session, game, now)
            if game.seat is None or deadline is None or game.seat not in load_people(session, number):
                continue
            last = last_sent_at(session, number, game.seat)
            if last is not None and now - last < TOLD_JUST_NOW:  # for example after an outage of the relay
                continue
            granted = col(ChatMessage.announcement) == Announcement.TIME_GRANTED
            mine = col(ChatMessage.addressee) == game.seat, granted
            for one in load_last(session, number, 1, *is_unread_by(session, number, game.seat), *mine):
                one.addressee = NO_ADDRESSEE
            until = deadline.isoformat()
            announce_to(UnitOfWork(context, session, now), game, game.seat, Announcement.TIME_GRANTED, until)
