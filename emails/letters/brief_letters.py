"""Brief letters of a running game: each asks or tells one thing beside the turns, with one button."""

from __future__ import annotations

from datetime import datetime

from emails.i18n import gettext
from emails.letters.chat_excerpts import excerpt_chat
from emails.letters.choice_lines import mailto_link
from emails.letters.contexts import GameLetterContext, InvitationContext, LetterSection
from emails.letters.game_letter_layout import (
    render_game_letter,
    turn_limit_text,
    waited_until_text,
    with_printable_names,
)
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import Letter, render_letter
from emails.letters.subjects import game_subject
from emails.tokens import ACCEPT_WORDS, Ticket
from emails.wording import phrases, standings
from emails.wording.advice_text import describe_house_players
from emails.wording.board_text import describe_hand
from emails.wording.requests import RequestKind, VoteKind, request_word
from emails.wording.times.deadlines import format_deadline


def _parts_with_answer(context: GameLetterContext, subject: str, word: str) -> LetterParts:
    """The parts of a letter that a button of a page or one word answers."""
    ticket = Ticket(context.game, context.view.my_seat, context.after)
    return LetterParts(
        summary=standings.summarize_game(context.view),
        page=context.links.agreements_link(ticket),
        mail=mailto_link(context.links.reply_address(ticket, context.letter), subject, word),
        settings=context.links.settings_link(ticket),
        stop=context.links.unsubscribe_links(context.game, context.view.my_seat)[0],
        unwanted=context.links.unwanted,
        messages=excerpt_chat(context.messages),
    )


# --- votes ----------------------------------------------------------------------------------------------


def render_vote(
    context: GameLetterContext,
    vote: VoteKind | None,
    seat: int,
    *,
    done: bool = False,
    until: datetime | None = None,
) -> Letter:
    """A player has got more time, or asks all for more time or for a pause.

    `done`: whether the time is added already, so that only a no does anything; `until`: of a pause.
    """
    context = with_printable_names(context)
    table, for_time = context.view.table, vote is VoteKind.MORE_TIME
    if done:
        happened = gettext("%(name)s has got 24 hours more", name=table.names[table.seat])
    elif for_time:
        happened = gettext("%(name)s asks for another 24 hours", name=table.names[seat])
    else:
        happened = gettext("%(name)s asks for a pause", name=table.names[seat])
    subject = game_subject(LetterKind.VOTE, context, happened)
    parts = _parts_with_answer(context, subject, gettext("no") if done else gettext("yes"))
    words = {
        "happened": happened,
        "for_time": for_time,
        "added": done,
        "waited": waited_until_text(context),
        "until": "" if until is None else format_deadline(until),
        "yes": gettext("yes"),
        "no": gettext("no"),
    }
    return render_letter(LetterKind.VOTE, context.name, parts, words, subject=subject)


# --- seats ----------------------------------------------------------------------------------------------


def render_absence(context: GameLetterContext) -> Letter:
    """A caretaker keeps the reader's seat: one button, and one word, with which they are back."""
    context = with_printable_names(context)
    word, subject = request_word(RequestKind.BACK), game_subject(LetterKind.ABSENCE, context)
    parts = _parts_with_answer(context, subject, word)
    words = {"reader": context.view.table.names[context.view.my_seat], "word": word}
    return render_letter(LetterKind.ABSENCE, context.name, parts, words, subject=subject)


def render_seat_offered(context: GameLetterContext, seat: int, resigned: bool = False) -> Letter:
    """A seat is empty: what becomes of it, by number, and a link to it that its reader can pass on.

    No link leads to the reader's own seat, for the letter may be passed on.

    `resigned`: whether whoever had the seat has given it up.
    """
    context = with_printable_names(context)
    view = context.view
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


# --- the last letter ------------------------------------------------------------------------------------


def render_stopped_before_start(made: InvitationContext, everywhere: bool) -> Letter:
    """The last letter, to somebody who was invited to a game that has not begun."""
    ticket = Ticket(made.game, made.seat, made.after, ACCEPT_WORDS)
    parts = LetterParts(
        page=made.links.ticket_link(ticket),
        settings=made.links.settings_link(ticket),
        unwanted=made.links.unwanted,
    )
    reader = phrases.safe_name(made.players[made.seat])
    words = {"reader": reader, "everywhere": everywhere, "begun": False, "over": False}
    return render_letter(LetterKind.STOPPED, made.name, parts, words)


def render_stopped(context: GameLetterContext, everywhere: bool) -> Letter:
    """The last letter, of this game or of all: what it means to get no more, and how to get them again."""
    context = with_printable_names(context)
    view, ticket = context.view, Ticket(context.game, context.view.my_seat, context.after)
    parts = LetterParts(
        summary=standings.summarize_game(view),
        time=turn_limit_text(context.turn_time.minutes),
        page=context.links.ticket_link(ticket),
        settings=context.links.settings_link(ticket),
        unwanted=context.links.unwanted,
        messages=excerpt_chat(context.messages),
    )
    reader = view.table.names[view.my_seat]
    words = {"reader": reader, "everywhere": everywhere, "begun": True, "over": view.table.over}
    subject = game_subject(LetterKind.STOPPED, context)
    return render_letter(LetterKind.STOPPED, context.name, parts, words, subject=subject)
