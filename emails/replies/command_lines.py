"""Which lines of a mail are commands, of those that its writer wrote themselves.

Commands are taken from the top only: a first block of lines, then further blocks as long as they begin with a
command. A greeting or a farewell is passed over; any other line in a block of commands is kept, so that the
game refuses the whole mail instead of playing half of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from emails.i18n import gettext
from emails.replies import bodies
from emails.replies.chat_lines import is_chat, is_empty_chat
from emails.replies.greetings import has_known_name, is_farewell, is_greeting
from emails.replies.retractions import CommandTest
from engine.notation.lexer import looks_like_order
from engine.notation.vocabulary import VERB_PAIRS, VERBS


def begins_a_command(line: str) -> bool:
    """Whether a line begins with a word of the game, readable or not."""
    words = re.findall(r"[a-z]+", line[:60].casefold())
    if not words or not line[:1].isalpha():
        return tuple(words[:2]) in VERB_PAIRS
    return (
        words[0] in VERBS
        or tuple(words[:2]) in VERB_PAIRS
        or (looks_like_order(line) and bool(CORNER.search(line[:60])))
    )


CORNER = re.compile(r"\b[A-Za-z]{1,2}[1-9]\d?\b")
"""Beside one an abbreviation or a card is meant as an order, readable or not: "m Larisa C3"."""


@dataclass(frozen=True, slots=True)
class CommandLines:
    """The lines to be read as commands, and those under them."""

    taken: tuple[str, ...]
    rest: tuple[str, ...]
    under: tuple[str, ...] = ()
    """Those under the name of their writer."""


def extract_commands(lines: Sequence[str], is_command: CommandTest, people: Collection[str]) -> CommandLines:
    """The commands at the top of what somebody wrote, and the lines after them that nobody reads.

    The first block, up to a blank line, is taken whole; a further one if it begins with a command. A farewell
    or a name under a command ends it all.
    """
    taken: list[str] = []
    rest: list[str] = []
    under: list[str] = []
    over = named = False
    for block in _split_blocks(lines, is_command, people):
        for at, piece in enumerate(block):
            signed = bool(taken) and (is_farewell(piece, people) or _signature(piece, people))
            if over or signed:
                over = True
                (under if named else rest).extend([] if signed else [piece])
                named = named or (signed and has_known_name(piece, people))
            elif not taken and is_greeting(piece, people):
                continue
            elif at == 0 and taken and not _is_meant_as_command(piece, is_command):
                over = True
                rest.append(piece)
            else:
                taken.append(piece)
    return CommandLines(tuple(taken), tuple(rest), tuple(under))


def _is_meant_as_command(line: str, is_command: CommandTest) -> bool:
    """Whether a line is a command, or is misspelt where one was meant."""
    return is_command(line) or begins_a_command(line)


def _split_blocks(
    lines: Sequence[str], is_command: CommandTest, people: Collection[str]
) -> Iterator[list[str]]:
    """The lines between blank ones, wrapped lines joined, split at `;`.

    Those without a word are left out unless they are commands, and what programs write for a picture.
    """
    block: list[str] = []
    for above, line in pairwise(("", *lines, "")):
        if line:
            if block and _is_wrapped(block[-1], above, line, is_command, people):
                block[-1] += f" {line}"
            else:
                block.append(line)
        elif block:
            pieces = [piece for whole in block for piece in split_at_semicolons(whole, is_command)]
            said = (piece for piece in pieces if re.search(r"\w", piece) or is_command(piece))
            yield [piece for piece in said if not PICTURE_PLACEHOLDER.fullmatch(piece)]
            block = []


PICTURE_PLACEHOLDER = re.compile(r"\[(?:image|cid|inline image) ?:[^\]]*\]")
"""What programs write in plain text where a picture stands."""


def split_at_semicolons(line: str, is_command: CommandTest) -> list[str]:
    """A line split at `;`, or whole where it does not begin as commands do: it may be an example of ours.

    What is said to other players goes on to the end of the line.
    """
    pieces = [piece.strip() for piece in line.split(";")]
    first = next(filter(None, pieces), "")
    if not _is_meant_as_command(first, is_command) and not is_greeting(first, ()):
        return [line]
    talk = next((at for at, piece in enumerate(pieces) if is_chat(piece)), len(pieces))
    said = ";".join(line.split(";")[talk:]).strip()
    return [piece for piece in (*pieces[:talk], said) if piece]


SHORTEST_WRAPPED = 45
"""Characters; programs wrap lines near 72, and no word of a command is longer than the difference."""
NARROWEST, WIDEST = 70, 80
"""Characters; programs wrap a line of chat at some width in this range."""


def _is_wrapped(
    line: str, above: str, following: str, is_command: CommandTest, people: Collection[str]
) -> bool:
    """Whether the following line is the end of this one, which a mail program has wrapped after `above`."""
    wrapped = SHORTEST_WRAPPED <= len(line) <= 2 * bodies.LONGEST_LINE
    if is_chat(line):
        wrapped = is_empty_chat(line) or (
            len(above) <= WIDEST and wrapped and _would_overflow(above, following)
        )
    if not wrapped or _is_meant_as_command(following, is_command):
        return False
    return not is_farewell(following, people) and not _signature(following, people)


def check_run_on(lines: Sequence[str], is_command: CommandTest) -> str:
    """Why an order right under a message may be its end, which a mail program has wrapped; else nothing."""
    talking = False
    for above, line in pairwise(("", *lines)):
        talking = is_chat(above) or (talking and bool(above) and not is_command(above))
        order = talking and bool(line) and is_command(line) and not is_chat(line)
        if order and len(above) <= WIDEST and _would_overflow(above, line):
            return gettext(
                "It is not certain whether “%(line)s” is the end of the message above it: leave an empty "
                "line between them.",
                line=line[:60],
            )
    return ""


def _would_overflow(line: str, following: str) -> bool:
    return len(line) + 1 + len(following.partition(" ")[0]) >= NARROWEST


def _signature(line: str, people: Collection[str]) -> bool:
    if is_chat(line):
        return False
    words = re.findall(r"\w+", line)
    known = all(word.casefold() in people for word in words)
    return known and 0 < len(words) <= 4 and not begins_a_command(line)
