"""The deadline of a running turn is adjusted when its player's availability changes: what is left stays left.

A turn that runs ends later by what is protected from now on, and sooner where less is; what has passed is not
counted anew. Where it ends sooner there is a time in which its player can come to the board; but none is
added while the relay is away, since no turn ends then.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from sqlmodel import Session, col, select

from server.outbox.preferences import load_preferences, store_preferences
from server.store.due_work import AT_ONCE
from server.store.models import Game, Seating
from server.store.states import GameStatus
from server.store.stored_availability import unavailable_spans_of
from server.store.turn_clock import counted_until, whole_time
from server.time_control.control import NO_TIME
from server.time_control.turn_time import deadline_after_change


@contextmanager
def keep_time_left(session: Session, player: int, now: datetime) -> Iterator[None]:
    """Give the running turns of a player as much time as they had, whatever is changed. No commit."""
    turns = [
        (game, unavailable_spans_of(session, game.id, game.seat)) for game in _running_turns(session, player)
    ]
    yield
    session.flush()
    for game, before in turns:
        if game.deadline is None:
            continue
        until, after = counted_until(session, game, now), unavailable_spans_of(session, game.id, game.seat)
        least = whole_time(game) if until == now else NO_TIME
        found = deadline_after_change(game.deadline, until, game.turn_began_at or until, before, after, least)
        if found != game.deadline:
            game.deadline, game.due_at = found, AT_ONCE
            session.add(game)


def store_zone(session: Session, player: int, zone: str, now: datetime) -> None:
    """Keep the time zone of a player; their running turns have as much time left as before. No commit."""
    with keep_time_left(session, player, now):
        wanted = replace(load_preferences(session, player), zone=zone)
        store_preferences(session, player, None, wanted, now)


def _running_turns(session: Session, player: int) -> list[Game]:
    """The games in which the time of a player's turn runs."""
    own = (col(Seating.game) == Game.id) & (col(Seating.seat) == Game.seat)
    chosen = select(Game).join(Seating, own).where(Seating.player == player)
    running = (Game.status == GameStatus.RUNNING, col(Game.deadline).is_not(None))
    return list(session.exec(chosen.where(*running)))
