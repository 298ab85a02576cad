"""Seats that are held for somebody who asked for one and does not answer: after a day they are free again."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from emails.letters.kinds import VacancyReason
from server.lobby.games import record_act
from server.lobby.open_seats import (
    SEAT_HELD_FOR,
    change_with_retries,
    is_open,
    notify_organiser,
    offer_to_waiting,
    seats_of,
    vacate_seat,
)
from server.monitoring.server_events import RowFate
from server.outbox.unit_of_work import UnitOfWork
from server.store.context import Context
from server.store.due_work import held_seats_due, put_off_held_seats
from server.store.models import Game
from server.store.states import Channel, GameStatus

HELD_SEATS_PUT_OFF_FOR = timedelta(hours=1)
"""How long the held seats of a game are left alone that cannot be freed."""


def expire_held_seats(context: Context, now: datetime) -> int:
    """Free the seats that were held for a day for somebody who has not answered; how many. Commits."""
    with context.reading() as session:
        games = dict.fromkeys(held_seats_due(session, now))
    done = 0
    for game in games:
        try:
            done += _expire_held_seats_of(context, game, now)
        except OperationalError:
            raise  # the database is away
        except Exception:
            context.events.note_failed_game(game, RowFate.PUT_OFF)  # those of the others go on
            with context.writing() as session:
                put_off_held_seats(session, game, now + HELD_SEATS_PUT_OFF_FOR)
                session.commit()
    return done


def _expire_held_seats_of(context: Context, game: str, now: datetime) -> int:
    def expire(unit: UnitOfWork, row: Game) -> int:
        if row.suspended_at is not None:
            put_off_held_seats(unit.session, game, now + HELD_SEATS_PUT_OFF_FOR)
            return 0
        held = _held_seats(context, unit.session, row)
        for one in seats_of(unit.session, game):
            later = one.held_until if is_open(one) and one.held_until and one.held_until > now else None
            one.held_until = held.get(one.seat, later)  # `later`: kept in vain for somebody who is in
        unit.session.flush()
        late = [one for one in seats_of(unit.session, game) if one.held_until and one.held_until <= now]
        for seating in late:
            name, fact = seating.name, vacate_seat(unit.session, seating)
            history = record_act(unit, row, unit.history_of(row), None, Channel.CLOCK, "", [fact])
            notify_organiser(unit, row, history, seating.seat, name, VacancyReason.SILENT)
        offer_to_waiting(unit, row)
        return len(late)

    return change_with_retries(context, game, now, expire)


def _held_seats(context: Context, session: Session, game: Game) -> dict[int, datetime]:
    """The seats that are held for somebody who asked for one and has not answered, each until when."""
    taken = context.history_of(session, game).seat_tenures if game.status == GameStatus.OPEN else {}
    return {
        one.seat: taken[one.seat].at + SEAT_HELD_FOR
        for one in seats_of(session, game.id)
        if one.accepted_at is None and one.player is not None and one.seat in taken and taken[one.seat].joined
    }
