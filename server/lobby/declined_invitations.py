"""An invitation is declined: by a word in a mail, or by the button of a mail program."""

from __future__ import annotations

from server.lobby.open_seats import give_seat_back
from server.outbox.unit_of_work import UnitOfWork
from server.store.models import Game, Seating
from server.store.states import Channel, GameStatus


def decline_invitation(unit: UnitOfWork, game: str, seat: int, channel: Channel, after: int = 0) -> bool:
    """Give a seat back in a unit of work that its player has not accepted; whether there is such a one.

    `after` is the position of their ticket. Raises `StalePosition` when somebody acts in the same moment.
    """
    row, seating = unit.session.get(Game, game), unit.session.get(Seating, (game, seat))
    if row is None or seating is None or not is_undecided(row, seating):
        return False
    if after and after < unit.history_of(row).player_since(seat):
        return False
    give_seat_back(unit, row, seating, channel, seating.name)
    return True


def is_undecided(game: Game, seating: Seating) -> bool:
    """Whether somebody is invited to a game who has not accepted."""
    return game.status == GameStatus.OPEN and seating.player is not None and seating.accepted_at is None
