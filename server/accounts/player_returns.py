"""A player is back: their vacation is over, and seats that a caretaker has kept are theirs again.

It is one word to say both, since whoever says it need not know which of the two has happened.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from sqlmodel import Session, col, select

from server.accounts.vacations import end_vacations
from server.lobby.leaving import ResignationRefused, come_back, take_back_resignation
from server.outbox.unit_of_work import UnitOfWork
from server.store.models import Seating
from server.store.refusals import GameSuspended
from server.store.states import Channel
from server.store.work_models import AbsentSeat


@dataclass(frozen=True, slots=True)
class PlayerReturn:
    """What somebody was who is back."""

    was_away: bool
    """Whether a vacation of theirs has ended."""
    was_kept: bool
    """Whether a caretaker has played a seat of theirs."""
    refused: ResignationRefused | None = None
    """Why they do not get back the seat that they have given up, where they have."""


def return_player(
    unit: UnitOfWork, player: int, game: str, channel: Channel, *, everywhere: bool
) -> PlayerReturn:
    """Note that a player is back, to their seat in one game, or (`everywhere`) in all and from days away.

    Twice is once. No commit.

    Raises `GameSuspended` where that game is, and `StalePosition` when somebody acts in the same moment.
    """
    ended = end_vacations(unit.session, player, unit.now) if everywhere else []
    was_kept = False
    for seat in _kept_seats(unit.session, player):
        if seat.game == game:
            was_kept |= come_back(unit, seat.game, seat.seat, channel)
        elif everywhere:
            with suppress(GameSuspended):
                was_kept |= come_back(unit, seat.game, seat.seat, channel)
    return PlayerReturn(bool(ended), was_kept)


def return_to_seat(
    unit: UnitOfWork, player: int, game: str, seat: int, channel: Channel, *, everywhere: bool
) -> PlayerReturn:
    """Note that a player is back who may have resigned in that game; no other resignation is taken back."""
    back = return_player(unit, player, game, channel, everywhere=everywhere)
    try:
        had_resigned = take_back_resignation(unit, game, seat, player, channel)
    except ResignationRefused as refused:
        return replace(back, refused=refused)
    return replace(back, was_kept=back.was_kept or had_resigned)


def _kept_seats(session: Session, player: int) -> list[AbsentSeat]:
    """The seats of a player that a caretaker keeps."""
    found = select(AbsentSeat).join(
        Seating, (col(Seating.game) == AbsentSeat.game) & (col(Seating.seat) == AbsentSeat.seat)
    )
    return list(session.exec(found.where(Seating.player == player).order_by(AbsentSeat.game)))
