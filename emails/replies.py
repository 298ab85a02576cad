"""A mail comes in: its writer's own lines are found, and among them those that are commands.

It fails closed. A mail is read twice, by our own eyes and by another reader's, and where the two find
different commands nothing is played and the writer is asked. Commands are taken from the top only: a first
block of lines, then further blocks as long as they begin with a command. A greeting or a farewell is passed
over; any other line in a block of commands is kept, so that the game refuses the whole mail instead of
playing half of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from email_reply_extractor import STATUS_FAILED, extract_new_text, split_html_parts, strip_parent_content

from emails import bodies, markup, quotations
from emails.chat import is_bare, is_chat
from emails.courtesy import greets, takes_leave
from emails.tongue import say
from engine.lines import begins
from engine.words import PAIRS, VERBS

Judge = Callable[[str], bool]
"""Says whether a line reads as a command."""


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


def begins_a_command(line: str) -> bool:
    """Whether a line begins with a word of the game, readable or not."""
    words = re.findall(r"[a-z]+", line[:60].casefold())
    if not words or not line[:1].isalpha():
        return tuple(words[:2]) in PAIRS
    return words[0] in VERBS or tuple(words[:2]) in PAIRS or (begins(line) and bool(CORNER.search(line[:60])))


CORNER = re.compile(r"\b[A-Za-z]{1,2}[1-9]\d?\b")
"""Beside one an abbreviation or a card is meant as an order, readable or not: "m Larisa C3"."""


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
    text, page = (body.text, "") if body.text else markup.read(body.html)
    lines, cut = bodies.cap(text)
    people = frozenset(re.findall(r"\w+", " ".join((*names, body.writer)).casefold()))
    here = quotations.written(lines)
    found = take(here, is_command, people)
    if not found.taken:
        under = quotations.below(lines)
        lower = take(under, is_command, people)
        if lower.taken:
            here, found = lines, lower
    if not found.taken:
        return Reply((), False, say("Nothing was found that stands above the letter it answers."), ())
    why = _doubt(found, is_command)
    if not why and cut and here == lines:
        why = say("The mail is too long.")
    if not why and body.cut:
        why = say("The end of the mail is missing: send it again.")
    if not why:
        why = _run_on(here, is_command)
    if not why:
        other = _second(lines, page, sent_text, is_command)
        theirs = () if other is None else take(_unsigned(other), is_command, people).taken
        if other is None or _commands(theirs, is_command) != _commands(found.taken, is_command):
            why = say("It is not certain where your words end and the quoted letter begins.")
    return Reply(found.taken, bool(why), why, found.rest)


def _commands(lines: Sequence[str], is_command: Judge) -> list[str]:
    """The lines that do something; to say nothing to somebody does not, and looks as programs write."""
    return [line for line in lines if is_command(line) and not is_bare(line)]


def _or_chat(is_order: Judge) -> Judge:
    """What is said to other players counts as a command does."""
    return lambda line: is_chat(line) or is_order(line)


# --- which of the lines are commands ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """The lines to be read as commands, and those under them."""

    taken: tuple[str, ...]
    rest: tuple[str, ...]


def take(lines: Sequence[str], is_command: Judge, people: Collection[str]) -> Found:
    """The commands at the top of what somebody wrote, and the lines after them that nobody reads.

    The first block, up to a blank line, is taken whole; a further one if it begins with a command. A farewell
    or a name under a command ends it all.
    """
    taken: list[str] = []
    rest: list[str] = []
    over = False
    for block in _blocks(lines, is_command, people):
        for at, piece in enumerate(block):
            signed = bool(taken) and (takes_leave(piece, people) or _signature(piece, people))
            if over or signed:
                over = True
                rest += [] if signed else [piece]
            elif not taken and greets(piece, people):
                continue
            elif at == 0 and taken and not _meant(piece, is_command):
                over = True
                rest.append(piece)
            else:
                taken.append(piece)
    return Found(tuple(taken), tuple(rest))


def _meant(line: str, is_command: Judge) -> bool:
    """Whether a line is a command, or is misspelt where one was meant."""
    return is_command(line) or begins_a_command(line)


def _blocks(lines: Sequence[str], is_command: Judge, people: Collection[str]) -> Iterator[list[str]]:
    """The lines between blank ones, wrapped lines joined, split at `;`.

    Those without a word are left out unless they are commands, and what programs write for a picture.
    """
    block: list[str] = []
    for above, line in pairwise(("", *lines, "")):
        if line:
            if block and _goes_on(block[-1], above, line, is_command, people):
                block[-1] += f" {line}"
            else:
                block.append(line)
        elif block:
            pieces = [piece for whole in block for piece in _pieces(whole, is_command)]
            said = (piece for piece in pieces if re.search(r"\w", piece) or is_command(piece))
            yield [piece for piece in said if not PICTURE.fullmatch(piece)]
            block = []


PICTURE = re.compile(r"\[(?:image|cid|inline image) ?:[^\]]*\]")
"""What programs write in plain text where a picture stands."""


def _pieces(line: str, is_command: Judge) -> list[str]:
    """A line split at `;`, or whole where it does not begin as commands do: it may be an example of ours.

    What is said to other players goes on to the end of the line.
    """
    pieces = [piece.strip() for piece in line.split(";")]
    first = next(filter(None, pieces), "")
    if not _meant(first, is_command) and not greets(first, ()):
        return [line]
    talk = next((at for at, piece in enumerate(pieces) if is_chat(piece)), len(pieces))
    said = ";".join(line.split(";")[talk:]).strip()
    return [piece for piece in (*pieces[:talk], said) if piece]


SHORTEST_WRAPPED = 45
"""Characters; programs wrap lines near 72, and no word of a command is longer than the difference."""
NARROWEST, WIDEST = 70, 80
"""Characters; a program breaks a line of what is said where the next word would go beyond such a width."""


def _goes_on(line: str, above: str, following: str, is_command: Judge, people: Collection[str]) -> bool:
    """Whether the following line is the end of this one, which a mail program has wrapped after `above`."""
    wrapped = SHORTEST_WRAPPED <= len(line) <= 2 * bodies.LONGEST_LINE
    if is_chat(line):
        wrapped = is_bare(line) or (len(above) <= WIDEST and wrapped and _too_long(above, following))
    if not wrapped or _meant(following, is_command):
        return False
    return not takes_leave(following, people) and not _signature(following, people)


def _run_on(lines: Sequence[str], is_command: Judge) -> str:
    """Why an order right under a message may be its end, which a mail program has wrapped; else nothing."""
    talking = False
    for above, line in pairwise(("", *lines)):
        talking = is_chat(above) or (talking and bool(above) and not is_command(above))
        order = talking and bool(line) and is_command(line) and not is_chat(line)
        if order and len(above) <= WIDEST and _too_long(above, line):
            return say(
                "It is not certain whether “%(line)s” is the end of the message above it: leave an empty "
                "line between them.",
                line=line[:60],
            )
    return ""


def _too_long(line: str, following: str) -> bool:
    return len(line) + 1 + len(following.partition(" ")[0]) >= NARROWEST


def _signature(line: str, people: Collection[str]) -> bool:
    if is_chat(line):
        return False
    words = re.findall(r"\w+", line)
    known = all(word.casefold() in people for word in words)
    return known and 0 < len(words) <= 4 and not begins_a_command(line)


# --- doubts ---------------------------------------------------------------------------------------------


def _doubt(found: Found, is_command: Judge) -> str:
    if any(is_chat(line) and quotations.swallows(line) for line in found.taken):
        return say("It is not certain where your words end and the quoted letter begins.")
    late = next((line for line in found.rest if is_command(line)), None)
    if late is None:
        return ""
    return say("Only the first lines count, and “%(line)s” stands after other words.", line=late[:60])


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
    found = "\n".join("\n".join(_pieces(line, is_command)) for line in theirs.text.splitlines())
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
