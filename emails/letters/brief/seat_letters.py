"""The letters about a seat: its player is late too often, and somebody else plays for them."""

from __future__ import annotations

from emails.letters.chat_excerpts import excerpt_chat
from emails.letters.choice_lines import mailto_link
from emails.letters.contexts import GameLetterContext
from emails.letters.game_letter import with_printable_names
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import Letter, render_letter
from emails.letters.subjects import game_subject
from emails.tokens import Ticket
from emails.wording import standings
from emails.wording.requests import RequestKind, request_word


def render_absence(sheet: GameLetterContext, offered: bool = False) -> Letter:
    """A caretaker keeps the reader's seat: one button, and one word, with which they are back.

    `offered`: whether a substitute is looked for.
    """
    view = with_printable_names(sheet.view)
    ticket = Ticket(sheet.game, view.my_seat, sheet.after)
    word, subject = request_word(RequestKind.BACK), game_subject(LetterKind.ABSENCE, sheet)
    parts = LetterParts(
        summary=standings.summarize_game(view),
        page=sheet.links.agreements_link(ticket),
        mail=mailto_link(sheet.links.reply_address(ticket, sheet.letter), subject, word),
        settings=sheet.links.settings_link(ticket),
        stop=sheet.links.unsubscribe_links(sheet.game, view.my_seat)[0],
        unwanted=sheet.links.unwanted,
        messages=excerpt_chat(sheet.messages),
    )
    words = {"reader": view.table.names[view.my_seat], "word": word, "offered": offered}
    return render_letter(LetterKind.ABSENCE, sheet.name, parts, words, subject=subject)


def render_seat_offered(sheet: GameLetterContext, seat: int, resigned: bool = False) -> Letter:
    """A substitute is looked for: a link that its reader can pass on, and none that leads to their own seat.

    `resigned`: whether whoever had the seat has given it up.
    """
    view = with_printable_names(sheet.view)
    parts = LetterParts(
        summary=standings.summarize_game(view),
        page=sheet.links.join_link(sheet.game),
        stop=sheet.links.unsubscribe_links(sheet.game, view.my_seat)[0],
        unwanted=sheet.links.unwanted,
        messages=excerpt_chat(sheet.messages),
    )
    words = {
        "reader": view.table.names[view.my_seat],
        "gone": view.table.names[seat],
        "resigned": resigned,
        "address": sheet.links.join_address(sheet.game),
    }
    subject = game_subject(LetterKind.SEAT_OFFERED, sheet)
    return render_letter(LetterKind.SEAT_OFFERED, sheet.name, parts, words, subject=subject)
