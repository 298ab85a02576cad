"""The letter of a vote: a player has got more time, or asks all for more time or for a pause."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

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
from emails.wording import standings
from emails.wording.requests import VoteKind
from emails.wording.times.deadlines import format_deadline


def render_vote(
    context: GameLetterContext,
    vote: VoteKind | None,
    seat: int,
    *,
    done: bool = False,
    until: datetime | None = None,
) -> Letter:
    """One button, and one word for the answer that most want to give.

    `done`: whether the time is added already, so that only a no does anything; `until`: of a pause.
    """
    view = with_printable_names(context.view)
    context = replace(context, view=view)
    table, ticket = view.table, Ticket(context.game, view.my_seat, context.after)
    for_time, word = vote is VoteKind.MORE_TIME, gettext("no") if done else gettext("yes")
    if done:
        happened = gettext("%(name)s has got 24 hours more", name=table.names[table.seat])
    elif for_time:
        happened = gettext("%(name)s asks for another 24 hours", name=table.names[seat])
    else:
        happened = gettext("%(name)s asks for a pause", name=table.names[seat])
    subject = game_subject(LetterKind.VOTE, context, happened)
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
        "happened": happened,
        "for_time": for_time,
        "added": done,
        "waited": waited_until_text(context),
        "until": "" if until is None else format_deadline(until),
        "yes": gettext("yes"),
        "no": gettext("no"),
    }
    return render_letter(LetterKind.VOTE, context.name, parts, words, subject=subject)
