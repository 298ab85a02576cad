"""The last letter: that its reader gets no more, and how to get them again."""

from __future__ import annotations

from emails.letters.chat_excerpts import excerpt_chat
from emails.letters.contexts import GameLetterContext, InvitationContext
from emails.letters.game_letter_layout import turn_limit_text, with_printable_names
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import Letter, render_letter
from emails.letters.subjects import game_subject
from emails.tokens import ACCEPT_WORDS, Ticket
from emails.wording import phrases, standings


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
    view = with_printable_names(context.view)
    ticket = Ticket(context.game, view.my_seat, context.after)
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
