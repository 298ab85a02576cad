"""Seats that are held for somebody who asked for one and does not answer: after a day they are free again."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, select

from server.lobby.games import record_act
from server.lobby.open_seats import (
    SEAT_HELD_FOR,
    SeatRefused,
    change_with_retries,
    notify_organiser,
    seats_of,
    vacate_seat,
)
from server.monitoring.events import RowFate
from server.outbox.unit_of_work import UnitOfWork
from server.store.context import Context
from server.store.event_log import CorruptLog
from server.store.models import Game, Seating, StoredTerms
from server.store.states import Channel, GameStatus, JoinedBy


def expire_held_seats(context: Context, now: datetime) -> int:
    """Free the seats that were held for a day for somebody who has not answered; how many. Commits."""
    chosen = (
        select(Seating.game)
        .join(Game, col(Game.id) == Seating.game)
        .join(StoredTerms, col(StoredTerms.game) == Seating.game)
        .where(Game.status == GameStatus.OPEN, col(Game.suspended_at).is_(None))
        .where(StoredTerms.joined_by != JoinedBy.NOBODY)
        .where(col(Seating.player).is_not(None), col(Seating.accepted_at).is_(None))
    )
    with context.reading() as session:
        games = sorted(set(session.exec(chosen)))
    done = 0
    for game in games:
        try:
            with context.reading() as session:
                late = _expired_seats(context, session, session.get_one(Game, game), now)
            done += _expire_held_seats_of(context, game, now) if late else 0
        except (CorruptLog, SeatRefused):
            context.events.note_failed_game(game, RowFate.PUT_OFF)  # those of the others go on
    return done


def _expire_held_seats_of(context: Context, game: str, now: datetime) -> int:
    def expire(unit: UnitOfWork, row: Game) -> int:
        late = _expired_seats(context, unit.session, row, now)  # again, for others may have been quicker
        for seating in late:
            name, fact = seating.name, vacate_seat(unit.session, seating)
            history = record_act(unit, row, unit.history_of(row), None, Channel.CLOCK, "", [fact])
            notify_organiser(unit, row, history, seating.seat, name, "silent")
        return len(late)

    return change_with_retries(context, game, now, expire)


def _expired_seats(context: Context, session: Session, game: Game, now: datetime) -> list[Seating]:
    """The seats that are held for nobody any more."""
    taken = context.history_of(session, game).seat_tenures if game.status == GameStatus.OPEN else {}
    return [
        one
        for one in seats_of(session, game.id)
        if one.accepted_at is None and one.player is not None and one.seat in taken
        if taken[one.seat].joined and taken[one.seat].at <= now - SEAT_HELD_FOR
    ]
