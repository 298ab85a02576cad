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
from emails.replies import bodies, quotations, retractions
from emails.replies.chat_lines import is_chat, is_empty_chat
from emails.replies.command_lines import CommandLines, check_run_on, extract_commands, split_at_semicolons
from emails.replies.grammars import Grammar, LineReader, ReadLine
from emails.replies.mail import Mail
from emails.replies.retractions import CommandTest
from emails.wording.requests import Request, RequestKind, parse_request
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

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines as they were written."""
        return tuple(line.words for line in self.found)

    @property
    def orders(self) -> tuple[OrderLine, ...]:
        """What is to be played, and what cannot be read."""
        return tuple(line.order for line in self.found if line.order is not None)

    @property
    def chat(self) -> tuple[str, ...]:
        """The lines that are said to other players; see chat_lines.py."""
        return tuple(line.words for line in self.found if line.chat)

    @property
    def requests(self) -> tuple[Request, ...]:
        """What its writer wants to be shown, or done outside the rules, each once for the same words."""
        asked = {line.words: line.request for line in self.found if line.request is not None}
        return tuple(asked.values())

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
    reader = LineReader(grammar)
    is_command: CommandTest = reader.is_command
    lines, cut, page = mail.text.lines, mail.text.cut, mail.text.page
    writer = mail.headers.first("from")  # good enough to know their own signature by
    people = frozenset(re.findall(r"\w+", " ".join((*names, writer)).casefold()))
    here = own = quotations.lines_above(lines)
    found = extract_commands(here, is_command, people)
    if not found.taken:
        under = quotations.lines_below(lines)
        lower = extract_commands(under, is_command, people)
        if lower.taken:
            here, own, found = lines, under, lower
    if not found.taken:
        return Message((), False, gettext("Nothing was found that stands above the letter it answers."))
    why = _check_late_commands(found, is_command) or _check_retraction(
        found, lines, own, sent_text or "", is_command
    )
    if not why and cut and here == lines:
        why = gettext("The mail is too long.")
    if not why and body.cut:
        why = gettext("The end of the mail is missing: send it again.")
    if not why:
        why = check_run_on(here, is_command)
    if not why:
        other = _read_again(lines, page, sent_text, is_command)
        theirs = () if other is None else extract_commands(_cut_signature(other), is_command, people).taken
        if other is None or _effective_commands(theirs, is_command) != _effective_commands(
            found.taken, is_command
        ):
            why = gettext("It is not certain where your words end and the quoted letter begins.")
    taken = tuple(map(reader.read_line, found.taken))
    return Message(taken, bool(why), why, (*found.rest, *found.under))


def _effective_commands(lines: Sequence[str], is_command: CommandTest) -> list[str]:
    """The lines that do something; chat without text does nothing, and looks like an attribution line."""
    return [line for line in lines if is_command(line) and not is_empty_chat(line)]


# --- doubts ---------------------------------------------------------------------------------------------


def _check_late_commands(found: CommandLines, is_command: CommandTest) -> str:
    if any(is_chat(line) and quotations.has_swallowed_quotation(line) for line in found.taken):
        return gettext("It is not certain where your words end and the quoted letter begins.")
    late = next((line for line in (*found.rest, *found.under) if is_command(line)), None)
    if late is None:
        return ""
    return gettext("Only the first lines count, and “%(line)s” stands after other words.", line=late[:60])


def _check_retraction(
    found: CommandLines, lines: Sequence[str], own: Sequence[str], letter: str, is_command: CommandTest
) -> str:
    """Why what else they wrote may take back or change what they ordered; else nothing."""
    orders = [line for line in found.taken if is_command(line) and not _is_harmless_request(line)]
    if not orders:
        return ""
    lone = next(filter(retractions.is_lone_sign, own), "")
    if lone:
        return gettext(
            "“%(sign)s” stands alone beside “%(line)s”. Send it again without that sign, if it is meant.",
            sign=lone[:20],
            line=orders[0][:60],
        )
    above = retractions.drop_copied_lines(letter, (*found.rest, *quotations.find_postscripts(lines)))
    turning = retractions.find_retraction(
        above, retractions.drop_copied_lines(letter, found.under), is_command
    )
    turning = turning or retractions.find_command_under_dashes(lines, is_command)
    if not turning:
        return ""
    return gettext(
        "What stands under the orders could change them: “%(line)s”. Send the orders alone, or begin what "
        "you say to others with “say:”.",
        line=turning[:60],
    )


def _is_harmless_request(line: str) -> bool:
    """Whether a line asks to be shown something, and does nothing."""
    wish = parse_request(line)
    return wish is not None and wish.kind != RequestKind.RESIGN


def _read_again(
    lines: Sequence[str], page: str, sent_text: str | None, is_command: CommandTest
) -> tuple[str, ...] | None:
    """What another reader takes to be written by this writer; None where it fails."""
    if page:
        lines = bodies.cap_lines(split_html_parts(page[:MOST_HTML_READ]).novel_text)[0]
    text = "\n".join(_cut_at_marker(lines))
    if _is_costly(text):
        return None
    theirs = extract_new_text(text)
    if theirs.status == STATUS_FAILED:
        return None
    found = "\n".join("\n".join(split_at_semicolons(line, is_command)) for line in theirs.text.splitlines())
    if sent_text and _has_many_words(found):
        letter = "\n".join(bodies.cap_lines(sent_text)[0])
        found = strip_parent_content(found, letter, continuation=True)
    return bodies.cap_lines(found)[0]


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


def _cut_at_marker(lines: Sequence[str]) -> list[str]:
    """What stands above our marker, unless that is quoted too.

    Of quoted lines only that they are quoted, and of the lines right above them, by which a program says who
    wrote them or praises itself.
    """
    ends = [
        at for at, line in enumerate(lines) if quotations.is_marker(line) and not quotations.is_quoted(line)
    ]
    above = [">" if quotations.is_quoted(line) else line for line in lines[: min(ends, default=len(lines))]]
    for kind in (quotations.count_introduction_lines, quotations.count_client_lines):
        for at in range(len(above)):
            count = kind(above, at)
            above[at : at + count] = [">"] * count
    return above


def _cut_signature(lines: Sequence[str]) -> Sequence[str]:
    end = next((at for at, line in enumerate(lines) if line and quotations.is_closing_line(line)), len(lines))
    return lines[:end]
