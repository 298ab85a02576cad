"""Players leave a running game, and come back: a caretaker plays meanwhile, and the others are told.

Who gives a seat up does it by an act of its own (server/store/event_log.py) that leaves the position as it
is. From then on the clock plays each turn of that seat as soon as it comes (server/house), and its player
gets no letters of the game but answers to their mails and the letter of its end. They can come back by a word
or a button that says so and by nothing else, until somebody has taken the seat.

That a caretaker keeps a seat is written with the turn that it plays (server/turns/play.py). Whatever the
player of that seat does ends it; here they only say so.
"""

from __future__ import annotations

from sqlalchemy import delete
from sqlmodel import col

from emails.i18n import gettext, gettext_noop
from emails.letters.kinds import LetterKind
from server.lobby.games import record_act
from server.lobby.votes import settle_votes
from server.outbox import posted_announcements
from server.outbox.notifications import Notification
from server.outbox.queue import load_people
from server.outbox.unit_of_work import UnitOfWork
from server.store.due_work import look_at_seats_of_game
from server.store.facts.server_facts import SeatOffered, SeatResigned, SeatReturned, ServerFact
from server.store.game_terms import is_return_open
from server.store.histories import History
from server.store.models import Game, Resignation, Seating
from server.store.refusals import Refusal, RefusalCode, check_not_suspended
from server.store.states import Announcement, Channel, GameStatus
from server.turns.plans import withdraw_plan
from server.turns.play import letters_of_offer

RESIGN_ALONE = gettext_noop(
    "To resign is a big step, so write it in a mail of its own, without orders or messages."
)
"""What is said where it stands among other lines."""
YOU_ARE_BACK = gettext_noop("You are back: your turns are yours again, and the others are told.")
SEAT_IS_YOURS = gettext_noop("Your turns are yours again, and wait for you. The others are told.")


class ResignationRefused(Refusal):
    """A game that cannot be given up, or to which who gave it up cannot come back."""

    code = RefusalCode.RESIGNATION


def resign(unit: UnitOfWork, game: str, seat: int, channel: Channel) -> bool:
    """Note that the player of a seat gives a game up; whether that is new. Twice is once.

    Raises `ResignationRefused` (nobody plays there, the game has not begun, or it is over), and
    `StalePosition` when somebody acts in the same moment.
    """
    row = unit.session.get(Game, game)
    if row is None or seat not in load_people(unit.session, game):
        raise ResignationRefused(gettext("Nobody plays on that seat."))
    if not row.status.has_begun:
        raise ResignationRefused(
            gettext(
                "The game has not begun, so there is nothing to give up: just leave the invitation alone."
            )
        )
    history = unit.history_of(row)
    if seat in history.resigned:
        return False
    if row.status == GameStatus.OVER:
        raise ResignationRefused(gettext("The game is over, so there is nothing to give up."))
    write_resignation(unit, row, history, seat, channel)
    return True


def write_resignation(unit: UnitOfWork, game: Game, history: History, seat: int, channel: Channel) -> None:
    """Give up a seat of a game that is being played, and tell the others."""
    facts: list[ServerFact] = [SeatResigned(seat)]
    facts += [] if seat in history.offers else [SeatOffered(seat)]
    history = record_act(unit, game, history, seat, channel, "resign", facts)
    unit.session.add(Resignation(game=game.id, seat=seat, at=unit.now))
    withdraw_plan(unit.session, game.id, seat)
    look_at_seats_of_game(unit.session, game.id)
    posted_announcements.announce(unit.context, unit.session, game, seat, Announcement.RESIGNED, unit.now)
    settle_votes(unit, game)
    if game.status == GameStatus.RUNNING:
        unit.tell(game, letters_of_offer(unit.session, game.id, history, seat))


def take_back_resignation(unit: UnitOfWork, game: str, seat: int, player: int, channel: Channel) -> bool:
    """Note that a player is back who has given a seat up; whether they had. Twice is once.

    Raises `ResignationRefused` (somebody else has the seat, it is offered to nobody, or the game is over),
    `GameSuspended`, and `StalePosition` when somebody acts in the same moment.
    """
    row = unit.session.get(Game, game, populate_existing=True)
    seating = unit.session.get(Seating, (game, seat), populate_existing=True)
    if row is None or seating is None or seating.player != player:
        raise ResignationRefused(gettext("Somebody else has taken that seat already."))
    history = unit.history_of(row)
    if seat not in history.resigned:
        return False
    if row.status != GameStatus.RUNNING:
        raise ResignationRefused(gettext("The game is over."))
    check_not_suspended(row)
    if not is_return_open(row, history, seat):
        raise ResignationRefused(
            gettext("The others are not looking for anybody to play your seat, so it stays given up.")
        )
    given_up = col(Resignation.game) == game, col(Resignation.seat) == seat
    unit.session.execute(delete(Resignation).where(*given_up))
    write_return(unit, row, history, seat, channel, Announcement.SEAT_RETURNED)
    look_at_seats_of_game(unit.session, game)
    return True


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
