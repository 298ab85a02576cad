"""A mail becomes a message: its writer's own lines are found, and among them those that are commands.

It fails closed. A mail is read twice, by our own eyes and by another reader's, and where the two find
different commands nothing is played and the writer is asked; so they are where they wrote something under
their commands by which they could take them back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from email_reply_extractor import STATUS_FAILED, extract_new_text, split_html_parts, strip_parent_content

from emails.i18n import gettext
from emails.links import mask_tokens
from emails.replies import bodies, quotations, retractions
from emails.replies.command_lines import CommandLines, check_run_on, extract_commands, split_at_semicolons
from emails.replies.grammars import Grammar, ReadLine
from emails.replies.mail import Mail, MailText
from emails.wording.requests import REQUESTS_THAT_ACT, Request
from engine.notation.orders import OrderLine


@dataclass(frozen=True, slots=True)
class Message:
    """What a mail says, read: orders, chat, requests, or a yes."""

    found: tuple[ReadLine, ...]
    """The lines to be read as commands, in order.

    One that cannot be read makes the game refuse the whole mail.
    """
    doubtful: bool
    """Nothing of it may be played: the writer must be asked."""
    reason: str
    """What is doubtful, or that nothing was found, as a sentence in the language spoken; else empty."""
    rest: tuple[str, ...] = ()
    """What they wrote under the commands and nobody reads."""
    lines: tuple[str, ...] = ()
    """The lines as they were written."""
    orders: tuple[OrderLine, ...] = ()
    """What is to be played, and what cannot be read."""
    chat: tuple[str, ...] = ()
    """The lines that are said to other players; see chat_lines.py."""
    requests: tuple[Request, ...] = ()
    """What its writer wants to be shown, or done outside the rules, each once for the same words."""

    @property
    def says_yes(self) -> bool:
        """Whether it begins with a yes, and is not doubtful."""
        return not self.doubtful and bool(self.found) and self.found[0].yes

    @property
    def is_meant_for_game(self) -> bool:
        """Whether any of it was meant for the game, as no program that answers by itself would write."""
        return any(line.is_meant_for_game for line in self.found)


def read_reply(
    mail: Mail, grammar: Grammar, sent_text: str | None = None, names: Collection[str] = ()
) -> Message:
    """What the writer of this mail wrote; never raises, and takes a bounded time whatever the mail.

    `sent_text`: the plain text of the letter it answers, if known. `names`: of the players, which may stand
    alone under a reply or in a greeting.
    """
    body = mail.body
    if body.strange:
        return Message((), True, gettext("This mail is built in a way that cannot be read here."))
    if body.encrypted:
        return Message((), True, gettext("This mail is encrypted or packed: send it as plain text."))
    text = mail.text
    sent_text = mask_tokens(sent_text or "")  # as the lines of the mail are; a letter of old was kept whole
    writer = mail.headers.first("from")  # good enough to know their own signature by
    people = frozenset(re.findall(r"\w+", " ".join((*names, writer)).casefold()))
    own, quoted = quotations.split_at_quotation(text.lines)
    here = grammar.read_lines(own)
    found = extract_commands(here, grammar, people)
    if not found.taken:
        own = quotations.lines_below(quoted)
        found = extract_commands(grammar.read_lines(own), grammar, people)
        if not found.taken:
            return Message((), False, gettext("Nothing was found that stands above the letter it answers."))
        here = grammar.read_lines(text.lines)
    why = _check_late_commands(found) or _check_retraction(found, own, quoted, text.lines, sent_text, grammar)
    if not why and text.cut and len(here) == len(text.lines):
        why = gettext("The mail is too long.")
    if not why and body.cut:
        why = gettext("The end of the mail is missing: send it again.")
    if not why:
        why = check_run_on(here)
    if not why:
        other = _read_again(text, sent_text, grammar)
        if other is None or not _agrees(other, own, found, grammar, people):
            why = gettext("It is not certain where your words end and the quoted letter begins.")
    return _sort_lines(found, why)


def _sort_lines(found: CommandLines, why: str) -> Message:
    """The message that these lines are; `why` it is doubtful, or nothing."""
    taken = found.taken
    return Message(
        taken,
        doubtful=bool(why),
        reason=why,
        rest=tuple(line.words for line in (*found.rest, *found.under)),
        lines=tuple(line.words for line in taken),
        orders=tuple(line.order for line in taken if line.order is not None),
        chat=tuple(line.words for line in taken if line.chat),
        requests=tuple({line.words: line.request for line in taken if line.request is not None}.values()),
    )


# --- doubts ---------------------------------------------------------------------------------------------


def _check_late_commands(found: CommandLines) -> str:
    if any(line.chat and quotations.has_swallowed_quotation(line.words) for line in found.taken):
        return gettext("It is not certain where your words end and the quoted letter begins.")
    late = next((line.words for line in (*found.rest, *found.under) if line.is_command), None)
    if late is None:
        return ""
    return gettext("Only the first lines count, and “%(line)s” stands after other words.", line=late[:60])


def _check_retraction(
    found: CommandLines,
    own: Sequence[str],
    quoted: Sequence[str],
    lines: Sequence[str],
    letter: str,
    grammar: Grammar,
) -> str:
    """Why what else they wrote may take back or change what they ordered; else nothing."""
    orders = [line.words for line in found.taken if line.is_command and not _is_harmless(line.request)]
    if not orders:
        return ""
    lone = retractions.find_lone_sign(own)
    if lone:
        return gettext(
            "“%(sign)s” stands alone beside “%(line)s”. Send it again without that sign, if it is meant.",
            sign=lone[:20],
            line=orders[0][:60],
        )
    above = [*(line.words for line in found.rest), *quotations.find_postscripts(lines)]
    below = [line.words for line in found.under]
    turning = retractions.find_retraction(above, below, quoted, letter, grammar)
    if not turning:
        return ""
    return gettext(
        "What stands under the orders could change them: “%(line)s”. Send the orders alone, or begin what "
        "you say to others with “say:”.",
        line=turning[:60],
    )


def _is_harmless(request: Request | None) -> bool:
    """Whether a line asks to be shown something, and does nothing."""
    return request is not None and request.kind not in REQUESTS_THAT_ACT


def _agrees(
    theirs: Sequence[str],
    own: Sequence[str],
    found: CommandLines,
    grammar: Grammar,
    people: Collection[str],
) -> bool:
    """Whether the lines that another reader found say the same as those that we did."""
    if "\n".join(theirs).strip() == "\n".join(own).strip():
        return True
    again = extract_commands(grammar.read_lines(theirs), grammar, people)
    return _effective_commands(again.taken) == _effective_commands(found.taken)


def _effective_commands(lines: Sequence[ReadLine]) -> list[str]:
    """The lines that do something; chat without text does nothing, and looks like an attribution line."""
    return [line.words for line in lines if line.is_command and not line.is_empty_chat]


def _read_again(text: MailText, sent_text: str, grammar: Grammar) -> Sequence[str] | None:
    """What another reader takes to be written by this writer; None where it fails."""
    lines = text.lines
    if text.page:
        lines = bodies.cap_lines(split_html_parts(text.page[:MOST_HTML_READ]).novel_text)[0]
    plain = "\n".join(quotations.cut_at_marker(lines))
    if _is_costly(plain):
        return None
    theirs = extract_new_text(plain)
    if theirs.status == STATUS_FAILED:
        return None
    found = "\n".join(split_at_semicolons(theirs.text.splitlines(), grammar))
    if sent_text and _has_many_words(found):
        letter = "\n".join(bodies.cap_lines(sent_text)[0])
        found = strip_parent_content(found, letter, continuation=True)
    return quotations.cut_signature(bodies.cap_lines(found)[0])


MOST_WORDS, MOST_WORDS_OF_A_LINE = 9, 7
"""The library never takes fewer words than these for a quotation, even where our letter has them."""


def _has_many_words(text: str) -> bool:
    counts = [len(line.split()) for line in text.splitlines()]
    return sum(counts) > MOST_WORDS or max(counts, default=0) > MOST_WORDS_OF_A_LINE


MOST_HTML_READ = 60_000
MOST_COSTLY_SIGNS = 60


def _is_costly(text: str) -> bool:
    """Whether the other reader would take long: it looks for "On … wrote" and `<…@…>` in cubic time."""
    knots = max((line.count("<") * line.count("@") for line in text.splitlines()), default=0)
    return text.count("On") > MOST_COSTLY_SIGNS or knots > MOST_COSTLY_SIGNS
