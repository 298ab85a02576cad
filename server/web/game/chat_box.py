"""The chat of a game on its pages: the last messages, and the box for a new message.

The chat is always shown: in other players' turns, on outdated links, and after the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from flask import g, redirect, request
from flask.typing import ResponseReturnValue
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters.parts import LONGEST_CHAT
from emails.wording import phrases
from server.outbox import chat
from server.store.models import ChatMessage
from server.web.game import ticket_pages
from server.web.game.viewers import TicketContext, link_of, load_ticket, token_of
from server.web.kit.forms import FormPages
from server.web.kit.request_context import current_context, now

MESSAGES_SHOWN = 50
DOUBLE_PRESS = timedelta(minutes=1)
"""Time within which a repeated message counts as a second press of the button."""
pages = FormPages("chat_box", __name__)


@dataclass(frozen=True, slots=True)
class ChatDraft:
    to: str = ""
    words: str = ""
    wrong: str = ""


def build_chat_box(case: TicketContext) -> dict[str, object]:
    """Return the values for chat.html, with the oldest message first."""
    with current_context().reading() as session:
        entries = chat.load_conversation(session, case.game.id, case.ticket.seat, MESSAGES_SHOWN)
    own = case.seating.name
    others = (one for one in case.seats if one.player is not None and one.seat != case.ticket.seat)
    people = [] if case.sign_in_link else [(str(one.seat), phrases.safe_name(one.name)) for one in others]
    return {
        "lines": [_build_line(one, own) for one in entries],
        "people": people,
        "box": g.get("box", ChatDraft()),
        "action": case.link_to("chat_box.send_chat"),
        "sign_in": case.sign_in_link,
        "longest": LONGEST_CHAT,
    }


def _build_line(entry: chat.ChatEntry, own: str) -> dict[str, object]:
    writer = phrases.safe_name(entry.writer) if entry.writer else ""
    whom = ""
    if entry.addressee == own:
        whom = gettext("only to you")
    elif entry.addressee:
        whom = gettext("only to %(name)s", name=phrases.safe_name(entry.addressee))
    mine = entry.writer == own
    name = gettext("You") if mine else writer
    return {"at": entry.at, "writer": name, "whom": whom, "words": entry.words, "mine": mine}


def _render_with_draft(case: TicketContext, wrong: str) -> str:
    words = request.form.get("words", "")[: 2 * LONGEST_CHAT]
    g.box = ChatDraft(_typed_seat(case) or "", words, wrong)
    return ticket_pages.render_game_page(load_ticket(token_of(case.turn_ticket)))


def _typed_seat(case: TicketContext) -> str | None:
    """Return the chosen seat, empty for all players; None if the seat does not exist."""
    to = request.form.get("to", "")
    return to if to in {"", *(str(one.seat) for one in case.seats)} else None


@pages.button("/t/<token>/say", load_ticket, _render_with_draft, 422)
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
