"""The letter in which somebody asks something of all who play."""

from __future__ import annotations

from dataclasses import replace

from emails.i18n import gettext
from emails.letters.chat_excerpts import excerpt_chat
from emails.letters.choice_lines import mailto_link
from emails.letters.contexts import GameLetterContext
from emails.letters.game_letter_layout import waited_until_text, with_printable_names
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import Letter, render_letter
from emails.letters.subjects import game_subject
from emails.tokens import Ticket
from emails.wording import phrases, standings
from emails.wording.requests import NO_TERMS, MotionKind, MotionTerms
from emails.wording.times.deadlines import format_deadline


def render_motion(
    context: GameLetterContext, motion: MotionKind, seat: int, hours: int, terms: MotionTerms = NO_TERMS
) -> Letter:
    """Somebody asks something of all who play: one button, and one word that says yes.

    `hours`: how many more time would be; `terms`: what it is about.
    """
    view = with_printable_names(context.view)
    context = replace(context, view=view)
    ticket = Ticket(context.game, view.my_seat, context.after)
    asker, word = view.table.names[seat], gettext("yes")
    subject = game_subject(LetterKind.MOTION, context)
    parts = LetterParts(
        summary=standings.summarize_game(view),
        page=context.links.agreements_link(ticket),
        mail=mailto_link(context.links.reply_address(ticket, context.letter), subject, word),
        settings=context.links.settings_link(ticket),
        stop=context.links.unsubscribe_links(context.game, view.my_seat)[0],
        unwanted=context.links.unwanted,
        messages=excerpt_chat(context.messages),
    )
    words = {
        "reader": view.table.names[view.my_seat],
        "asker": asker,
        "for_time": motion is MotionKind.MORE_TIME,
        "for_pause": motion is MotionKind.PAUSE,
        "for_end": motion is MotionKind.CLOSE,
        "for_other": motion is MotionKind.REPLACE,
        "gone": "" if terms.without is None else view.table.names[terms.without],
        "waited": waited_until_text(context),
        "added": phrases.format_hours(hours),
        "until": "" if terms.until is None else format_deadline(terms.until),
        "yes": word,
        "no": gettext("no"),
    }
    return render_letter(LetterKind.MOTION, context.name, parts, words, subject=subject)
