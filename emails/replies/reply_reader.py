"""A mail comes in: its writer's own lines are found, and among them those that are commands.

It fails closed. A mail is read twice, by our own eyes and by another reader's, and where the two find
different commands nothing is played and the writer is asked; so he is where he wrote something under his
commands by which he could take them back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from email_reply_extractor import STATUS_FAILED, extract_new_text, split_html_parts, strip_parent_content

from emails.i18n import say
from emails.replies import bodies, html_bodies, quotations, retractions
from emails.replies.chat_lines import is_bare, is_chat
from emails.replies.command_lines import Found, pieces_of, run_on, take
from emails.replies.command_lines import begins_a_command as begins_a_command
from emails.replies.retractions import Judge as Judge
from emails.wording.requests import requested


@dataclass(frozen=True, slots=True)
class Reply:
    """What a mail says to the game."""

    lines: tuple[str, ...]
    """To be read as commands, in order, with those that are said to other players (see chat.py) among them.

    A line that is neither makes the game refuse the whole mail.
    """
    doubtful: bool
    """Nothing of it may be played: the writer must be asked."""
    why: str
    """What is doubtful, or that nothing was found, as a sentence in the language spoken; else empty."""
    rest: tuple[str, ...]
    """What he wrote under the commands and nobody reads."""


def read_reply(
    raw: bytes,
    sent_text: str | None = None,
    is_command: Judge = begins_a_command,
    names: Collection[str] = (),
) -> Reply:
    """What the writer of this mail wrote; never raises, and takes a bounded time whatever the mail.

    `sent_text`: the plain text of the letter it answers, if known. `is_command`: whether the game's grammar
    takes a line. `names`: of the players, which may stand alone under a reply or in a greeting.
    """
    is_command = _or_chat(is_command)
    body = bodies.body(raw)
    if body.strange:
        return Reply((), True, say("This mail is built in a way that cannot be read here."), ())
    if body.sealed:
        return Reply((), True, say("This mail is encrypted or packed: send it as plain text."), ())
    text, page = (body.text, "") if body.text else html_bodies.read(body.html)
    lines, cut = bodies.cap(text)
    people = frozenset(re.findall(r"\w+", " ".join((*names, body.writer)).casefold()))
    here = own = quotations.written(lines)
    found = take(here, is_command, people)
    if not found.taken:
        under = quotations.below(lines)
        lower = take(under, is_command, people)
        if lower.taken:
            here, own, found = lines, under, lower
    if not found.taken:
        return Reply((), False, say("Nothing was found that stands above the letter it answers."), ())
    why = _doubt(found, is_command) or _second_thoughts(found, lines, own, sent_text or "", is_command)
    if not why and cut and here == lines:
        why = say("The mail is too long.")
    if not why and body.cut:
        why = say("The end of the mail is missing: send it again.")
    if not why:
        why = run_on(here, is_command)
    if not why:
        other = _second(lines, page, sent_text, is_command)
        theirs = () if other is None else take(_unsigned(other), is_command, people).taken
        if other is None or _commands(theirs, is_command) != _commands(found.taken, is_command):
            why = say("It is not certain where your words end and the quoted letter begins.")
    return Reply(found.taken, bool(why), why, (*found.rest, *found.under))


def _commands(lines: Sequence[str], is_command: Judge) -> list[str]:
    """The lines that do something; to say nothing to somebody does not, and looks as programs write."""
    return [line for line in lines if is_command(line) and not is_bare(line)]


def _or_chat(is_order: Judge) -> Judge:
    """What is said to other players counts as a command does."""
    return lambda line: is_chat(line) or is_order(line)


# --- doubts ---------------------------------------------------------------------------------------------


def _doubt(found: Found, is_command: Judge) -> str:
    if any(is_chat(line) and quotations.swallows(line) for line in found.taken):
        return say("It is not certain where your words end and the quoted letter begins.")
    late = next((line for line in (*found.rest, *found.under) if is_command(line)), None)
    if late is None:
        return ""
    return say("Only the first lines count, and “%(line)s” stands after other words.", line=late[:60])


def _second_thoughts(
    found: Found, lines: Sequence[str], own: Sequence[str], letter: str, is_command: Judge
) -> str:
    """Why what else he wrote may take back or change what he ordered; else nothing."""
    orders = [line for line in found.taken if is_command(line) and not _only_asks(line)]
    if not orders:
        return ""
    lone = next(filter(retractions.is_lone, own), "")
    if lone:
        return say(
            "“%(sign)s” stands alone beside “%(line)s”. Send it again without that sign, if it is meant.",
            sign=lone[:20],
            line=orders[0][:60],
        )
    above = retractions.not_of(letter, (*found.rest, *quotations.postscripts(lines)))
    turning = retractions.turning(above, retractions.not_of(letter, found.under), is_command)
    turning = turning or retractions.under_a_rule(lines, is_command)
    if not turning:
        return ""
    return say(
        "What stands under the orders could change them: “%(line)s”. Send the orders alone, or begin what "
        "you say to others with “say:”.",
        line=turning[:60],
    )


def _only_asks(line: str) -> bool:
    """Whether a line asks to be shown something, and does nothing."""
    wish = requested(line)
    return wish is not None and wish.kind != "resign"


def _second(
    lines: Sequence[str], page: str, sent_text: str | None, is_command: Judge
) -> tuple[str, ...] | None:
    """What another reader takes to be written by this writer; None where he fails."""
    if page:
        lines = bodies.cap(split_html_parts(page[:MOST_PAGE]).novel_text)[0]
    text = "\n".join(_up_to_marker(lines))
    if _knotty(text):
        return None
    theirs = extract_new_text(text)
    if theirs.status == STATUS_FAILED:
        return None
    found = "\n".join("\n".join(pieces_of(line, is_command)) for line in theirs.text.splitlines())
    if sent_text and _wordy(found):
        letter = "\n".join(bodies.cap(sent_text)[0])
        found = strip_parent_content(found, letter, continuation=True)
    return bodies.cap(found)[0]


MOST_WORDS, MOST_WORDS_OF_A_LINE = 9, 7
"""The other reader takes fewer words for nobody else's, even if they stand in the letter too."""


def _wordy(text: str) -> bool:
    counts = [len(line.split()) for line in text.splitlines()]
    return sum(counts) > MOST_WORDS or max(counts, default=0) > MOST_WORDS_OF_A_LINE


MOST_PAGE = 60_000
MOST_KNOTS = 60


def _knotty(text: str) -> bool:
    """Whether the other reader would take long: he looks for "On … wrote" and `<…@…>` in cubic time."""
    knots = max((line.count("<") * line.count("@") for line in text.splitlines()), default=0)
    return text.count("On") > MOST_KNOTS or knots > MOST_KNOTS


def _up_to_marker(lines: Sequence[str]) -> list[str]:
    """What stands above our marker, unless that is quoted too.

    Of quoted lines only that they are quoted, and of the lines right above them, by which a program says who
    wrote them or praises itself.
    """
    ends = [at for at, line in enumerate(lines) if quotations.marked(line) and not quotations.quoted(line)]
    above = [">" if quotations.quoted(line) else line for line in lines[: min(ends, default=len(lines))]]
    for kind in (quotations.introduction, quotations.praise):
        for at in range(len(above)):
            count = kind(above, at)
            above[at : at + count] = [">"] * count
    return above


def _unsigned(lines: Sequence[str]) -> Sequence[str]:
    end = next((at for at, line in enumerate(lines) if line and quotations.closed(line)), len(lines))
    return lines[:end]
