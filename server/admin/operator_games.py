"""The list of games, as the operator reads it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlmodel import Session, col, select

from server.store.columns import is_unreadable, read_id
from server.store.context import Context
from server.store.dialects.expressions import hexed
from server.store.models import Game
from server.store.turn_clock import find_deadline, is_awaiting_letter


def list_games(context: Context, now: datetime) -> Iterator[tuple[str, str | None]]:
    """Each game's id and a line about it, None where it cannot be read; the oldest first."""
    with context.reading() as session:
        ids = session.exec(select(hexed(Game.id)).order_by(col(Game.opened_at), col(Game.id))).all()
    for number in map(read_id, ids):
        with context.reading() as session:
            try:
                game = session.get(Game, number)
                line = None if game is None else describe_game(session, game, now)
            except (ValueError, LookupError):
                yield number, None
                continue
        if line is not None or is_unreadable(number):
            yield number, line


def describe_game(session: Session, game: Game, now: datetime) -> str:
    """A game in one line: id, status, turn, name, until when the turn lasts or since when it stands."""
    deadline = find_deadline(session, game, now)
    until = "" if deadline is None else f"until {deadline:%Y-%m-%d %H:%M} UTC"
    if is_awaiting_letter(game):
        until = "its time begins when its mail has left"
    if game.paused_at is not None:
        until = f"paused since {game.paused_at:%Y-%m-%d %H:%M} UTC"
    if game.suspended_at is not None:
        until = f"halted since {game.suspended_at:%Y-%m-%d %H:%M} UTC"
    return f"{game.id}  {game.status:8}  turn {game.turn:3}  {game.name}  {until}".rstrip()
