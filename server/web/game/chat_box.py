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

from emails.i18n import gettext
from emails.letters.contexts import LONGEST_CHAT
from emails.wording import phrases
from server.outbox import chat
from server.store.models import ChatMessage
from server.web.game import turn_pages
from server.web.game.ticket_context import (
    SeatForm,
    TicketContext,
    answers_form,
    form_token,
    link_of,
    load_ticket,
    token_of,
)
from server.web.kit.request_context import current_context, now

MESSAGES_SHOWN = 50
"""Messages on a page."""
DOUBLE_PRESS = timedelta(minutes=1)
"""The same words again within this time are the same press of the button."""
pages = Blueprint("chat_box", __name__)


@dataclass(frozen=True, slots=True)
class ChatDraft:
    """The box as it was typed, and what is wrong with it."""

    to: str = ""
    """The number of a seat; empty: everybody."""
    words: str = ""
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class ChatBoxLine:
    """What somebody said, as its reader sees it."""

    at: datetime
    writer: str
    """Empty: the server."""
    whom: str
    """That it is for one reader alone, in words; else empty."""
    words: str
    mine: bool


@dataclass(frozen=True, slots=True)
class ChatBox:
    """What a page shows of what was said."""

    lines: Sequence[ChatBoxLine]
    """The oldest first."""
    people: tuple[tuple[str, str], ...]
    """Who can be written to: the number of the seat, the name; nobody before signing in."""
    box: ChatDraft
    nonce: str
    action: str
    sign_in: str
    """Where to sign in before writing; empty where the ticket is enough."""
    longest: int = LONGEST_CHAT


def build_chat_box(case: TicketContext) -> ChatBox:
    """What the bearer of a ticket may read, and to whom they can write."""
    with current_context().reading() as session:
        entries = chat.load_conversation(session, case.game.id, case.ticket.seat, MESSAGES_SHOWN)
    own = case.seating.name
    others = (one for one in case.seats if one.player is not None and one.seat != case.ticket.seat)
    return ChatBox(
        [_build_line(one, own) for one in entries],
        () if case.sign_in_link else tuple((str(one.seat), phrases.safe_name(one.name)) for one in others),
        g.get("box", ChatDraft()),
        form_token(SeatForm.CHAT, case),
        url_for("chat_box.send_chat", token=token_of(case.turn_ticket)),
        case.sign_in_link,
    )


def _build_line(entry: chat.ChatEntry, own: str) -> ChatBoxLine:
    writer = phrases.safe_name(entry.writer) if entry.writer else ""
    whom = ""
    if entry.addressee == own:
        whom = gettext("only to you")
    elif entry.addressee:
        whom = gettext("only to %(name)s", name=phrases.safe_name(entry.addressee))
    return ChatBoxLine(
        entry.at, gettext("You") if entry.writer == own else writer, whom, entry.words, entry.writer == own
    )


def _render_with_draft(case: TicketContext, wrong: str) -> str:
    """The page of the game, with what was typed still in the box."""
    words = request.form.get("words", "")[: 2 * LONGEST_CHAT]
    g.box = ChatDraft(_typed_seat(case) or "", words, wrong)
    return turn_pages.render_game_page(load_ticket(token_of(case.turn_ticket)))


def _typed_seat(case: TicketContext) -> str | None:
    """The seat that was chosen, empty for everybody; None where there is no such seat."""
    to = request.form.get("to", "")
    return to if to in {"", *(str(one.seat) for one in case.seats)} else None


@pages.post("/t/<token>/say")
@answers_form(SeatForm.CHAT, _render_with_draft, 422)
def send_chat(case: TicketContext) -> ResponseReturnValue:
    """Say something to everybody or to one player."""
    to, words = _typed_seat(case), request.form.get("words", "")
    if to is None:
        return _render_with_draft(case, gettext("Please choose one of these.")), 422
    addressee = int(to) if to else None
    with current_context().writing(case.game.id) as session:
        if not _is_double_press(session, case, addressee, words):
            chat.post(current_context(), session, case.game, case.ticket.seat, addressee, words, now())
        current_context().commit_work(session)
    return redirect(link_of(case.turn_ticket) + "#talk", 303)


def _is_double_press(session: Session, case: TicketContext, addressee: int | None, words: str) -> bool:
    """Whether this is what the seat said last, a moment ago: a button pressed twice."""
    own = select(ChatMessage).where(ChatMessage.game == case.game.id, ChatMessage.seat == case.ticket.seat)
    last = session.exec(own.order_by(col(ChatMessage.id).desc()).limit(1)).first()
    return (
        last is not None
        and last.addressee == addressee
        and last.at > now() - DOUBLE_PRESS
        and last.words.split() == words.split()
    )
