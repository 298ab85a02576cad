"""Players: who a letter went to, and who has shown that they read mail at their address."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import bindparam, select, update
from sqlmodel import Session

from server.store.columns import table_of
from server.store.models import OutgoingLetter, Player, Seating

# Plain statements: the second is a part of each act.
PLAYERS = table_of(Player).c
SEATINGS = table_of(Seating).c
CONFIRM = update(Player).where(PLAYERS.confirmed_at.is_(None)).values(confirmed_at=bindparam("now"))
CONFIRM_PLAYER = CONFIRM.where(PLAYERS.id == bindparam("player"))
SEATED = select(SEATINGS.player).where(
    SEATINGS.game == bindparam("of"), SEATINGS.seat == bindparam("at_seat")
)
CONFIRM_SEATED = CONFIRM.where(PLAYERS.id == SEATED.scalar_subquery())


def confirm_player(session: Session, player: int, now: datetime) -> None:
    """Note that a player has done what takes a letter of ours; twice is once. The caller commits."""
    session.flush()
    session.connection().execute(CONFIRM_PLAYER, {"player": player, "now": now})


def confirm_seated(session: Session, game: str, seat: int, now: datetime) -> None:
    """The same for the player of a seat."""
    session.flush()
    session.connection().execute(CONFIRM_SEATED, {"of": game, "at_seat": seat, "now": now})


def find_letter_player(session: Session, letter: OutgoingLetter) -> Player | None:
    """Who plays the seat that a letter went to; None where nobody does."""
    seating = session.get(Seating, (letter.game, letter.seat))
    return None if seating is None or seating.player is None else session.get(Player, seating.player)
