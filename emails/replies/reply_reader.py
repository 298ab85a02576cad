"""A mail becomes a message: its writer's own lines are found, and among them those that are commands.

It fails closed. A mail is read twice, by our own eyes and by another reader's, and where the two find
different commands nothing is played and the writer is asked; so they are where they wrote something under
their commands by which they could take them back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from email_reply_extractor import STATUS_FAILED, extract_new_text, split_html_parts, strip_parent_content

from emails.i18n import gettext, gettext_noop
from emails.replies import bodies, quotations
from emails.replies.command_lines import CommandLines, check_run_on, extract_commands, split_at_semicolons
from emails.replies.doubtful_remarks import find_doubtful_remark
from emails.replies.grammars import Grammar, ReadLine
from emails.replies.mail import Mail, MailText
from emails.replies.plan_lines import PlanLine
from emails.replies.remarks.remark_words import RemarkContext
from emails.wording.requests import REQUESTS_THAT_ACT, REQUESTS_TO_ALL, Request
from engine.notation.orders import OrderLine

DOUBT = gettext_noop("What stands beside the orders could change them: “%(line)s”.")
NOTHING_FOUND = gettext_noop(
    "Nothing was found that stands above the mail it answers. The subject of a mail is not read."
)
LONGEST_DOUBT = 80
"""Characters of the doubtful words that are repeated."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a mail says, read: orders, chat, requests, or a yes."""

    found: tuple[ReadLine, ...]
    """The lines to be read as commands, in order.

    One that cannot be read makes the game refuse the whole mail.
    """
    doubtful: bool = False
    """Nothing of it may be played: the writer must be asked."""
    reason: str | None = None
    """What is doubtful, or that nothing was found, as a sentence in the language spoken; else None."""
    rest: tuple[str, ...] = ()
    """What they wrote under the commands and nobody reads."""
    lines: tuple[str, ...] = ()
    """The lines as they were written."""
    orders: tuple[OrderLine, ...] = ()
    """What is to be played, and what cannot be read."""
    plans: tuple[PlanLine, ...] = ()
    """What is planned for a later turn."""
    chat: tuple[str, ...] = ()
    """The lines that are said to other players; see chat_lines.py."""
    requests: tuple[Request, ...] = ()
    """What its writer wants to be shown, or done outside the rules, each once for the same words."""
    doubt: str | None = None
    """What they wrote beside orders that could change them, as it is written."""
    cut: bool = False
    """Whether something of the mail is missing."""

    @property
    def is_orders_alone(self) -> bool:
        """Whether it is certain, and says nothing but orders, all of which can be read."""
        beside = self.doubtful or self.rest or self.plans or self.chat or self.requests
        orders = len(self.orders) == len(self.found) and all(line.is_command for line in self.found)
        readable = all(line.refusal is None for line in self.orders)
        return bool(self.orders) and orders and readable and not beside

    @property
    def may_be_meant(self) -> bool:
        """Whether it is doubtful and its writer can be asked whether what it says is meant."""
        readable = all(line.refusal is None for line in self.orders)
        readable = readable and all(line.refusal is None for line in self.plans)
        does = self.orders or self.chat or self.plans or self.acts
        return self.doubtful and not self.cut and bool(does) and readable

    @property
    def acts(self) -> bool:
        """Whether what it asks for would do something."""
        return any(one.kind in REQUESTS_THAT_ACT for one in self.requests)

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

    `sent_text`: the plain text of the letter it answers, if known, as it is kept: without its tokens.
    `names`: of the players, which may stand alone under a reply or in a greeting.
    """
    body = mail.body
    if body.strange:
        return Message((), True, gettext("This mail is built in a way that cannot be read here."))
    if body.encrypted:
        return Message((), True, gettext("This mail is encrypted or packed: send it as plain text."))
    text = mail.text
    sent_text = sent_text or ""
    people = _words_of_names(names, *mail.headers.writer) | _initials_of(*mail.headers.writer)
    lines = _find_own_lines(text, grammar, people)
    if not lines.found.taken:
        return Message((), False, gettext(NOTHING_FOUND))
    why = _check_late_commands(lines.found)
    doubt = _find_doubt(lines, sent_text) if why is None else None
    if doubt is not None:
        why = gettext(DOUBT, line=doubt[:LONGEST_DOUBT])
    cut = (text.cut and len(lines.here) == len(text.lines)) or body.cut
    if cut and why is None:
        missing = gettext("The end of the mail is missing: send it again.")
        why = missing if body.cut else gettext("The mail is too long.")
    if why is None:
        why = _check_boundaries(lines, text, sent_text, grammar)
    return replace(_sort_lines(lines.found, why, doubt), cut=cut)


@dataclass(frozen=True, slots=True)
class _OwnLines:
    """What the writer of a mail wrote themselves, and which of it are commands."""

    own: Sequence[str]
    quoted: Sequence[str]
    """The lines from the first sign of anything quoted on."""
    found: CommandLines
    here: Sequence[ReadLine]
    """The lines among which they were found: all of the mail where they stand below what they quote."""
    context: RemarkContext
    """Where what stands beside the commands is judged."""


def _find_own_lines(text: MailText, grammar: Grammar, people: frozenset[str]) -> _OwnLines:
    """What stands above the quotation; where no command does, what stands between and below it.

    `people`: the words of their names.
    """
    context = replace(grammar.remark_context, people=people)
    own, quoted = quotations.split_at_quotation(text.lines)
    found = extract_commands(own, grammar, context)
    if found.taken:
        return _OwnLines(own, quoted, found, found.read, context)
    own, quoted = quotations.split_below(quoted)
    found = extract_commands(own, grammar, context)
    here = grammar.read_lines(text.lines) if found.taken else ()
    return _OwnLines(own, quoted, found, here, context)


def _words_of_names(names: Collection[str], name: str, address: str) -> frozenset[str]:
    """The words of the players' names and of the writer's own, in small letters."""
    return frozenset(re.findall(r"\w+", " ".join((*names, name, address.partition("@")[0])).casefold()))


def _initials_of(name: str, address: str) -> frozenset[str]:
    """The letters with a dot by which a writer may sign, by their name or the name of their mailbox."""
    return frozenset(f"{word[0]}." for word in re.findall(r"[^\W\d_]+", (name or address).casefold())[:1])


def _sort_lines(found: CommandLines, why: str | None, doubt: str | None) -> Message:
    """The message that these lines are; `why` it is doubtful, or None, and the words that make it so."""
    taken = found.taken
    return Message(
        taken,
        doubtful=why is not None,
        reason=why,
        rest=tuple(line.words for line in (*found.rest, *found.under)),
        lines=tuple(line.words for line in taken),
        orders=tuple(line.order for line in taken if line.order is not None and line not in found.beside),
        plans=tuple(line.plan for line in taken if line.plan is not None),
        chat=tuple(line.words for line in taken if line.chat),
        requests=tuple({line.words: line.request for line in taken if line.request is not None}.values()),
        doubt=doubt,
    )


# --- doubts ---------------------------------------------------------------------------------------------


def _check_late_commands(found: CommandLines) -> str | None:
    if any(line.chat and quotations.has_swallowed_quotation(line.words) for line in found.taken):
        return gettext("It is not certain where your words end and the quoted mail begins.")
    late = next((line.words for line in (*found.rest, *found.under) if line.is_command), None)
    if late is None:
        return None
    return gettext("Only the first lines count, and “%(line)s” stands after other words.", line=late[:60])


def _find_doubt(lines: _OwnLines, letter: str) -> str | None:
    """What else they wrote that may take back or change what they ordered; None where there is nothing."""
    said = [line for line in lines.found.taken if line.is_command and not _is_harmless(line.request)]
    if not said:
        return None
    context = lines.context
    if all(line.chat for line in said):  # words for the others alone are no move
        context = replace(context, of_game=False)
    return find_doubtful_remark(lines.found, lines.own, lines.quoted, letter, context)


def _is_harmless(request: Request | None) -> bool:
    """Whether a line asks to be shown something, and does nothing."""
    return request is not None and request.kind not in REQUESTS_THAT_ACT | REQUESTS_TO_ALL


def _check_boundaries(lines: _OwnLines, text: MailText, sent_text: str, grammar: Grammar) -> str | None:
    """Why it is not certain where a message, or all that they wrote, ends; None where it is."""
    if (why := check_run_on(lines.here)) is not None:
        return why
    other = _read_again(text, sent_text, grammar)
    if other is None or not _agrees(other, lines, grammar):
        return gettext("It is not certain where your words end and the quoted mail begins.")
    return None


def _agrees(theirs: Sequence[str], lines: _OwnLines, grammar: Grammar) -> bool:
    """Whether the lines that another reader found say the same as those that we did."""
    if "\n".join(theirs).strip() == "\n".join(lines.own).strip():
        return True
    again = extract_commands(theirs, grammar, lines.context)
    return _effective_commands(again.taken) == _effective_commands(lines.found.taken)


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
