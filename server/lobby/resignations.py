"""A player gives a game up: a caretaker plays on for the seat, and the others are told.

It is an act of its own (server/store/event_log.py) that leaves the position as it is. From then on the clock
plays each turn of that seat as soon as it comes (server/clock.py), and its player gets no letters of the game
but answers to their mails and the letter of its end.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from emails.i18n import gettext, gettext_noop
from emails.wording.requests import Request, RequestKind
from server.lobby.games import record_act
from server.outbox import chat
from server.outbox.letter_details import ShownDetail
from server.outbox.notifications import Notification
from server.outbox.queue import load_people, queue_letters
from server.store.context import Context
from server.store.models import Game, IncomingMail, Resignation
from server.store.refusals import Refusal, RefusalCode
from server.store.states import Announcement, Channel, GameStatus, MailState, ServerFact

RESIGN_ALONE = gettext_noop(
    "To resign is for good, so write it in a mail of its own, without orders or messages."
)
"""What is said where it stands among other lines."""


class ResignationRefused(Refusal):
    """A game that cannot be given up."""

    code = RefusalCode.RESIGNATION


def has_resigned(session: Session, game: str, seat: int) -> bool:
    """Whether the player of a seat has given the game up."""
    return session.get(Resignation, (game, seat)) is not None


def resign(
    context: Context,
    session: Session | None,
    game: str,
    seat: int,
    now: datetime,
    door: Channel,
    mail: IncomingMail | None = None,
) -> bool:
    """The player of a seat gives a game up; whether that is new. Twice is once, and is answered as once.

    `mail` is what says so: it is noted as played and answered by a letter that says what it means. With a
    session the caller commits and wakes the worker. Raises `ResignationRefused` (nobody plays there, the game
    has not begun, or it is over), and `StalePosition` when somebody acts in the same moment.
    """
    if session is None:
        with context.writing() as own:
            new = resign(context, own, game, seat, now, door, mail)
            own.commit()
        context.wake()
        return new
    row = session.get(Game, game)
    if row is None or seat not in load_people(session, game):
        raise ResignationRefused(gettext("Nobody plays on that seat."))
    if not row.status.has_begun:
        raise ResignationRefused(
            gettext(
                "The game has not begun, so there is nothing to give up: just leave the invitation alone."
            )
        )
    incoming = None if mail is None else session.get_one(IncomingMail, mail.id)
    if incoming is not None and incoming.state != MailState.WAITING:
        return False  # another server has read it
    known = has_resigned(session, game, seat)
    if not known:
        if row.status == GameStatus.OVER:
            raise ResignationRefused(gettext("The game is over, so there is nothing to give up."))
        _write_resignation(context, session, row, seat, now, door)
    if incoming is not None:
        incoming.state = MailState.PLAYED
        letter = Notification(seat, ShownDetail((Request(RequestKind.RESIGN),)), incoming)
        queue_letters(context, session, row, [letter], now)
    return not known


def _write_resignation(
    context: Context, session: Session, game: Game, seat: int, now: datetime, door: Channel
) -> None:
    fact = {"type": ServerFact.RESIGNED, "seat": seat}
    record_act(context, session, game, context.history_of(session, game), now, seat, door, "resign", [fact])
    session.add(Resignation(game=game.id, seat=seat, at=now))
    session.flush()
    chat.announce(context, session, game, seat, Announcement.RESIGNED, now)
