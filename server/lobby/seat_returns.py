"""Whoever was away is back: the seat that a caretaker has kept is theirs again, and the others hear it.

Who has given their seat up comes back likewise (resignations.py).

That a caretaker keeps a seat is written with the turn that it plays (server/turns/play.py). Whatever the
player of the seat does ends it; here they only say so.
"""

from __future__ import annotations

from emails.i18n import gettext_noop
from emails.letters.kinds import LetterKind
from server.lobby.games import record_act
from server.outbox import posted_announcements
from server.outbox.notifications import Notification
from server.outbox.unit_of_work import UnitOfWork
from server.store.facts.server_facts import SeatReturned
from server.store.histories import History
from server.store.models import Game
from server.store.refusals import check_not_suspended
from server.store.states import Announcement, Channel, GameStatus

YOU_ARE_BACK = gettext_noop("You are back: your turns are yours again, and the others are told.")
SEAT_IS_YOURS = gettext_noop("Your turns are yours again, and wait for you. The others are told.")


def come_back(
    unit: UnitOfWork,
    game_id: str,
    seat: int,
    channel: Channel,
    told: Announcement = Announcement.SEAT_RETURNED,
) -> bool:
    """Give a seat back to its player, and tell the others so; whether a caretaker has kept it. Twice is once.

    Raises `GameSuspended`, and `StalePosition` when somebody acts in the same moment.
    """
    game = unit.session.get(Game, game_id, populate_existing=True)
    if game is None or game.status != GameStatus.RUNNING:
        return False
    history = unit.history_of(game)
    if not history.is_kept(seat):
        return False
    check_not_suspended(game)
    write_return(unit, game, history, seat, channel, told)
    return True


def write_return(
    unit: UnitOfWork, game: Game, history: History, seat: int, channel: Channel, told: Announcement
) -> None:
    """Note that the turns of a seat are its player's again, and tell the others."""
    record_act(unit, game, history, seat, channel, "back", [SeatReturned(seat)])
    posted_announcements.announce(unit.context, unit.session, game, seat, told, unit.now)
    if game.seat == seat:
        mark = f"back{unit.now.timestamp():.0f}"
        unit.tell(game, [Notification(seat, LetterKind.YOUR_TURN, mark=mark)])
