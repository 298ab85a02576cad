"""What is answered to a mail that cannot be read whole: the turns that it may mean, put to its writer.

Nothing is played by that. The number of a turn in the answer plays it, and so does a yes the first, once and
in the position in which the mail was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from emails.i18n import current_locale, gettext
from emails.languages.lexicon import lexicon_of
from emails.replies.clerk.descriptions import ask_which_turn, explain_proposal
from emails.replies.clerk.turn_proposals import ProposalKind, propose
from emails.replies.grammars import ReadLine
from emails.replies.remarks.chat_lines import is_chat_without_colon
from emails.replies.reply_reader import Message
from engine.actions import Ambiguous, NotOffered, Unreadable
from engine.notation.lexer import looks_like_order
from engine.notation.parser import parse_line
from engine.position import View
from engine.views import view
from server.inbox.correspondent import Correspondent
from server.inbox.reply_outcome import MailRefusal
from server.outbox.sent_letters import SentLetter, add_to_detail
from server.outbox.unit_of_work import UnitOfWork
from server.store.histories import require_started
from server.store.models import OutgoingLetter
from server.turns.dry_run import LinesRefused

FIRST = "1"
"""What stands for the first of the turns, as a yes does."""
OTHER = "other"
"""A mail that could be read, and not be done."""
CLEAR = 0.99
"""How much of a mail a turn must explain that is proposed instead of one that is not legal."""


def propose_beside_doubt(writer: Correspondent, message: Message, why: MailRefusal) -> MailRefusal:
    """The refusal of a doubtful mail with what it may mean, where some of it cannot be read."""
    unread = next((line for line in message.orders if line.refusal is not None), None)
    if unread is None or unread.refusal is None or message.doubt is None or message.cut:
        return why
    return propose_instead(writer, message, LinesRefused(unread.words, unread.refusal), why)


def propose_instead(
    writer: Correspondent, message: Message, error: Exception, why: MailRefusal
) -> MailRefusal:
    """The refusal of orders with what they may mean, where they are to be played now."""
    if writer.ticket.after != writer.game.after or writer.ticket.seat in writer.history.resigned:
        return why
    known = view(require_started(writer.history).position, writer.ticket.seat)
    choices = {mark: words for mark, words in writer.choices.items() if mark not in writer.changed}
    return reconsider(message, known, choices, error, why)


def reconsider(
    message: Message, known: View, choices: Mapping[str, str], error: Exception, why: MailRefusal
) -> MailRefusal:
    """The same for what its writer knows, in the language spoken."""
    if not isinstance(error, LinesRefused) or isinstance(error.refusal, NotOffered) or not known.my_turn:
        return why
    told = any(line.is_told for line in message.orders)
    if isinstance(error.refusal, Ambiguous) and not told:
        return why
    lines = [*(line.words for line in message.found if not line.chat and line.request is None), *message.rest]
    found = propose(lines, known, choices, (current_locale().language,))
    if told or isinstance(error.refusal, Unreadable):
        lexicon = lexicon_of(current_locale().language)
        begun = looks_like_order(error.line, lexicon.orders)
        named = found.readings and found.kind is not ProposalKind.OFFER
        if is_chat_without_colon(error.line, lexicon) or (begun and not named):
            return why  # it says which word is wrong, and what it may be
        sentence = explain_proposal(found)
        if message.chat:
            sentence += " " + gettext("Nothing was told to the other players either.")
        why = replace(why, sentence=sentence, understood=found.kind.value)
    elif not found.readings or found.readings[0].explained < CLEAR:
        return why
    question = ask_which_turn(found, known)
    return replace(
        why, question=question, proposed=question is not None, meant=why.meant or question is not None
    )


def note_choice(unit: UnitOfWork, writer: Correspondent, message: Message) -> None:
    """Note in a letter that proposed turns which of them its reader has chosen: the number alone."""
    before, number = writer.earlier_refusal, message.orders[0].words.strip(" #.!)")
    if before is None or writer.letter is None or not before.proposed or number not in writer.choices:
        return
    letter = unit.session.get_one(OutgoingLetter, writer.letter.id, populate_existing=True)
    letter.detail = add_to_detail(letter.detail, SentLetter(chosen=number))
    unit.after_commit(lambda: unit.context.events.count_choice(before.understood or OTHER))


def find_first_turn(writer: Correspondent) -> Message | None:
    """What a yes to the letter that a mail answers orders; None where it proposes nothing."""
    before = writer.earlier_refusal
    if before is None or not before.proposed or FIRST not in writer.choices:
        return None
    order = parse_line(FIRST, writer.board, writer.choices, writer.lexicon.orders)
    return Message(
        (ReadLine(FIRST, order.refusal is None, order=order),),
        lines=(FIRST,),
        orders=(order,),
    )
