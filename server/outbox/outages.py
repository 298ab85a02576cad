"""Outages of server, relay and mailbox, after which turns are extended and players get new deadlines."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy.exc import NoResultFound
from sqlmodel import Session, col, select

from server.outbox.chat import announce_to, is_unread_by, load_last
from server.outbox.queue import last_sent_at, load_people
from server.store.context import Context
from server.store.dialects.expressions import hexed
from server.store.models import ChatMessage, Game, read_id
from server.store.schedule import clear_moment, leave_uncounted, read_moment, write_moment
from server.store.states import NO_ADDRESSEE, Announcement, MomentName
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
            announce_to(context, session, game, game.seat, Announcement.TIME_GRANTED, until, now)
