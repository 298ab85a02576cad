"""The letters about a seat: its player is late too often, somebody else is looked for, and has it."""

from __future__ import annotations

from emails.i18n import gettext
from emails.letters.chat_excerpts import excerpt_chat
from emails.letters.choice_lines import mailto_link
from emails.letters.contexts import GameLetterContext, LetterSection
from emails.letters.game_letter_layout import render_game_letter, with_printable_names
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import Letter, render_letter
from emails.letters.subjects import game_subject
from emails.tokens import Ticket
from emails.wording import phrases, standings
from emails.wording.hand_text import describe_hand
from emails.wording.house_players_text import describe_house_players
from emails.wording.requests import RequestKind, request_word


def render_absence(context: GameLetterContext) -> Letter:
    """A caretaker keeps the reader's seat: one button, and one word, with which they are back."""
    view = with_printable_names(context.view)
    ticket = Ticket(context.game, view.my_seat, context.after)
    word, subject = request_word(RequestKind.BACK), game_subject(LetterKind.ABSENCE, context)
    parts = LetterParts(
        summary=standings.summarize_game(view),
        page=context.links.agreements_link(ticket),
        mail=mailto_link(context.links.reply_address(ticket, context.letter), subject, word),
        settings=context.links.settings_link(ticket),
        stop=context.links.unsubscribe_links(context.game, view.my_seat)[0],
        unwanted=context.links.unwanted,
        messages=excerpt_chat(context.messages),
    )
    words = {"reader": view.table.names[view.my_seat], "word": word}
    return render_letter(LetterKind.ABSENCE, context.name, parts, words, subject=subject)


def render_seat_offered(context: GameLetterContext, seat: int, resigned: bool = False) -> Letter:
    """A seat is empty: what becomes of it, by number, and a link to it that its reader can pass on.

    No link leads to the reader's own seat, for the letter may be passed on.

    `resigned`: whether whoever had the seat has given it up.
    """
    view = with_printable_names(context.view)
    parts = LetterParts(
        summary=standings.summarize_game(view),
        page=context.links.join_link(context.game),
        stop=context.links.unsubscribe_links(context.game, view.my_seat)[0],
        unwanted=context.links.unwanted,
        messages=excerpt_chat(context.messages),
    )
    words = {
        "reader": view.table.names[view.my_seat],
        "gone": view.table.names[seat],
        "resigned": resigned,
        "address": context.links.join_address(context.game),
    }
    subject = game_subject(LetterKind.SEAT_OFFERED, context)
    return render_letter(LetterKind.SEAT_OFFERED, context.name, parts, words, subject=subject)


def render_substitute(context: GameLetterContext, gone: str) -> Letter:
    """The first letter to a substitute: the seat is theirs, whose it was, and what is to be done now.

    `gone`: what whoever had it was called.
    """
    sections = [LetterSection(gettext("Your cards and what they can do"), tuple(describe_hand(context.view)))]
    if house := describe_house_players(context.house):
        sections.append(LetterSection(gettext("Programs that play with you"), house))
    parts = LetterParts(rules=True, rules_page=context.links.rules_link())
    words = {"gone": phrases.safe_name(gone)}
    return render_game_letter(LetterKind.SUBSTITUTE, context, parts, words, sections=sections)
