"""What the players of a game write to each other, on its pages: the last messages, and the box for a new one.

It stands there whoever's turn it is, whatever has happened since the ticket was made, and after the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import Blueprint, g, redirect, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session, col, select

from emails.i18n import say
from emails.wording import phrases
from server.outbox import chat
from server.outbox.chat import LONGEST, NotSaid
from server.store.models import Message
from server.web.game import turn_pages
from server.web.game.ticket_context import Case, find, link_of, token_of
from server.web.kit import errors, request_context
from server.web.kit.request_context import now, office

SHOWN = 50
"""Messages on a page."""
TWICE = timedelta(minutes=1)
"""The same words again within this time are the same press of the button."""
pages = Blueprint("chat_box", __name__)


@dataclass(frozen=True, slots=True)
class Box:
    """The box as it was typed, and what is wrong with it."""

    to: str = ""
    """The number of a seat; empty: everybody."""
    words: str = ""
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """What somebody said, as its reader sees it."""

    at: datetime
    writer: str
    """Empty: the server."""
    whom: str
    """That it is for one reader alone, in words; else empty."""
    words: str
    mine: bool


@dataclass(frozen=True, slots=True)
class Talk:
    """What a page shows of what was said."""

    said: Sequence[Line]
    """The oldest first."""
    people: tuple[tuple[str, str], ...]
    """Who can be written to: the number of the seat, the name."""
    box: Box
    nonce: str
    action: str
    longest: int = LONGEST


def talk(case: Case) -> Talk:
    """What the bearer of a ticket may read, and to whom he can write."""
    with office().reading() as session:
        said = chat.conversation(session, case.game.id, case.ticket.seat, SHOWN)
    own = case.seating.name
    others = (one for one in case.seats if one.player is not None and one.seat != case.ticket.seat)
    return Talk(
        [_line(one, own) for one in said],
        tuple((str(one.seat), phrases.shown(one.name)) for one in others),
        g.get("box", Box()),
        request_context.button(_subject(case)),
        url_for("chat_box.write", token=token_of(case.turn_ticket)),
    )


def _line(said: chat.Said, own: str) -> Line:
    writer = phrases.shown(said.writer) if said.writer else ""
    whom = ""
    if said.addressee == own:
        whom = say("only to you")
    elif said.addressee:
        whom = say("only to %(name)s", name=phrases.shown(said.addressee))
    return Line(said.at, say("You") if said.writer == own else writer, whom, said.words, said.writer == own)


def _subject(case: Case) -> str:
    return f"say {case.game.id} {case.ticket.seat}"


@pages.post("/t/<token>/say")
def write(token: str) -> ResponseReturnValue:
    """Say something to everybody or to one player."""
    case = find(token)
    if case.game.status == "open":
        return errors.page(say("Nothing was said"), say("The game has not begun yet."), 409)
    to, words = request.form.get("to", "")[:4], request.form.get("words", "")
    if not request_context.is_pressed(_subject(case)):
        return _again(case, Box(to, words[: 2 * LONGEST], say(request_context.TOO_OLD)), 400)
    if to and to not in {str(one.seat) for one in case.seats}:
        return _again(case, Box("", words[: 2 * LONGEST], say("Please choose one of these.")), 422)
    addressee = int(to) if to else None
    with office().writing() as session:
        try:
            if not _twice(session, case, addressee, words):
                chat.post(office(), session, case.game, case.ticket.seat, addressee, words, now())
        except NotSaid as error:
            session.rollback()
            return _again(case, Box(to, words[: 2 * LONGEST], str(error)), 422)
        session.commit()
    office().wake()
    return redirect(link_of(case.turn_ticket) + "#talk", 303)


def _again(case: Case, box: Box, status: int) -> ResponseReturnValue:
    """The page of the game, with what was typed still in the box."""
    g.box = box
    return turn_pages.show(find(token_of(case.turn_ticket))), status


def _twice(session: Session, case: Case, addressee: int | None, words: str) -> bool:
    """Whether this is what the seat said last, a moment ago: a button pressed twice."""
    own = select(Message).where(Message.game == case.game.id, Message.seat == case.ticket.seat)
    last = session.exec(own.order_by(col(Message.id).desc()).limit(1)).first()
    return (
        last is not None
        and last.addressee == addressee
        and last.at > now() - TWICE
        and last.words.split() == words.split()
    )
