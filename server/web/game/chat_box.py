"""The chat of a game on its pages: the last messages, and the box for a new one.

It is shown at any time: in other players' turns, on outdated links, and after the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import Blueprint, g, redirect, request
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
    answers_seat_form,
    form_token,
    link_of,
    load_ticket,
    token_of,
)
from server.web.kit.request_context import current_context, now

MESSAGES_SHOWN = 50
DOUBLE_PRESS = timedelta(minutes=1)
"""A message repeated within this time counts as a second press of the button."""
pages = Blueprint("chat_box", __name__)


@dataclass(frozen=True, slots=True)
class ChatDraft:
    to: str = ""
    """Number of a seat; empty for all players."""
    words: str = ""
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class ChatBoxLine:
    at: datetime
    writer: str
    """Empty for the server."""
    whom: str
    words: str
    mine: bool


@dataclass(frozen=True, slots=True)
class ChatBox:
    lines: Sequence[ChatBoxLine]
    people: tuple[tuple[str, str], ...]
    """Possible recipients: seat number and name; empty if the viewer has to sign in first."""
    box: ChatDraft
    nonce: str
    action: str
    sign_in: str
    longest: int = LONGEST_CHAT


def build_chat_box(case: TicketContext) -> ChatBox:
    with current_context().reading() as session:
        entries = chat.load_conversation(session, case.game.id, case.ticket.seat, MESSAGES_SHOWN)
    own = case.seating.name
    others = (one for one in case.seats if one.player is not None and one.seat != case.ticket.seat)
    return ChatBox(
        [_build_line(one, own) for one in entries],
        () if case.sign_in_link else tuple((str(one.seat), phrases.safe_name(one.name)) for one in others),
        g.get("box", ChatDraft()),
        form_token(SeatForm.CHAT, case),
        case.link_to("chat_box.send_chat"),
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
    words = request.form.get("words", "")[: 2 * LONGEST_CHAT]
    g.box = ChatDraft(_typed_seat(case) or "", words, wrong)
    return turn_pages.render_game_page(load_ticket(token_of(case.turn_ticket)))


def _typed_seat(case: TicketContext) -> str | None:
    """Return the chosen seat, empty for all players; None if it does not exist."""
    to = request.form.get("to", "")
    return to if to in {"", *(str(one.seat) for one in case.seats)} else None


@pages.post("/t/<token>/say")
@answers_seat_form(SeatForm.CHAT, _render_with_draft, 422)
def send_chat(case: TicketContext) -> ResponseReturnValue:
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
    own = select(ChatMessage).where(ChatMessage.game == case.game.id, ChatMessage.seat == case.ticket.seat)
    last = session.exec(own.order_by(col(ChatMessage.id).desc()).limit(1)).first()
    return (
        last is not None
        and last.addressee == addressee
        and last.at > now() - DOUBLE_PRESS
        and last.words.split() == words.split()
    )
