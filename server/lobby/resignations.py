"""A player gives a game up: a caretaker plays on for the seat, and the others are told.

It is an act of its own (server/store/event_log.py) that leaves the position as it is. From then on the clock
plays each turn of that seat as soon as it comes (server/clock.py), and its player gets no letters of the game
but answers to his mails and the letter of its end.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from emails.i18n import say, sentence
from server.lobby.games import add
from server.outbox import chat
from server.outbox.notifications import Occasion
from server.outbox.queue import people, queue
from server.store.context import Office
from server.store.event_log import RESIGNED
from server.store.models import Game, Incoming, Resigned

ALONE = sentence("To resign is for good, so write it in a mail of its own, without orders or messages.")
"""What is said where it stands among other lines."""


class NotResigned(ValueError):
    """A game that cannot be given up; the sentence says why, in the language spoken."""


def has_resigned(session: Session, game: str, seat: int) -> bool:
    """Whether the player of a seat has given the game up."""
    return session.get(Resigned, (game, seat)) is not None


def resign(
    office: Office,
    session: Session | None,
    game: str,
    seat: int,
    now: datetime,
    door: str,
    mail: Incoming | None = None,
) -> bool:
    """The player of a seat gives a game up; whether that is new. Twice is once, and is answered as once.

    `mail` is what says so: it is noted as played and answered by a letter that says what it means. With a
    session the caller commits and wakes the office. Raises `NotResigned` (nobody plays there, the game has
    not begun, or it is over), and `log.Stale` when somebody acts in the same moment.
    """
    if session is None:
        with office.writing() as own:
            new = resign(office, own, game, seat, now, door, mail)
            own.commit()
        office.wake()
        return new
    row = session.get(Game, game)
    if row is None or seat not in people(session, game):
        raise NotResigned(say("Nobody plays on that seat."))
    if row.status not in ("running", "over"):
        raise NotResigned(
            say("The game has not begun, so there is nothing to give up: just leave the invitation alone.")
        )
    incoming = None if mail is None else session.get_one(Incoming, mail.id)
    if incoming is not None and incoming.state != "waiting":
        return False  # another server has read it
    known = has_resigned(session, game, seat)
    if not known:
        if row.status == "over":
            raise NotResigned(say("The game is over, so there is nothing to give up."))
        _write(office, session, row, seat, now, door)
    if incoming is not None:
        incoming.state = "played"
        queue(office, session, row, [Occasion(seat, "shown", {"asked": [["resign", ""]]}, incoming)], now)
    return not known


def _write(office: Office, session: Session, game: Game, seat: int, now: datetime, door: str) -> None:
    fact = {"type": RESIGNED, "seat": seat}
    add(office, session, game, office.history(session, game), now, seat, door, "resign", [fact])
    session.add(Resigned(game=game.id, seat=seat, at=now))
    session.flush()
    chat.announce(office, session, game, seat, chat.GIVEN_UP, now)
