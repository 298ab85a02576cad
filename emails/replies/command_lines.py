"""Which lines of a mail are commands, of those that its writer wrote themselves.

Commands are taken from the top only: a first block of lines, then further blocks as long as they begin with a
command. A greeting or a farewell is passed over; any other line in a block of commands is kept, so that the
game refuses the whole mail instead of playing half of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from emails.i18n import gettext
from emails.replies import bodies
from emails.replies.chat_lines import is_chat
from emails.replies.grammars import Grammar, ReadLine
from emails.replies.greetings import (
    count_greetings,
    find_farewells,
    has_known_name,
    is_farewell,
    is_greeting,
)
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

    taken: tuple[ReadLine, ...]
    rest: tuple[ReadLine, ...]
    under: tuple[ReadLine, ...]
    """Those under the name of their writer."""


def extract_commands(lines: Sequence[ReadLine], grammar: Grammar, people: Collection[str]) -> CommandLines:
    """The commands at the top of what somebody wrote, and the lines after them that nobody reads.

    The first block, up to a blank line, is taken whole; a further one if it begins with a command. A farewell
    or a name under a command ends it all.
    """
    parted = groupby(lines, lambda line: bool(line.words))
    blocks = [_join_block(list(block), grammar, people) for written, block in parted if written]
    begins = [at == 0 for block in blocks for at in range(len(block))]
    pieces = [piece for block in blocks for piece in block]
    first = count_greetings(pieces, people)
    farewells = find_farewells(pieces, people)
    taken: list[ReadLine] = []
    rest: list[ReadLine] = []
    under: list[ReadLine] = []
    over = named = False
    for at, piece in enumerate(pieces[first:], first):
        signed = at > first and (at in farewells or _is_signature(piece, people))
        over = over or signed or (at > first and begins[at] and not _is_meant_as_command(piece))
        if signed:
            named = named or has_known_name(piece.words, people)
        elif over:
            (under if named else rest).append(piece)
        else:
            taken.append(piece)
    return CommandLines(tuple(taken), tuple(rest), tuple(under))


def _is_meant_as_command(line: ReadLine) -> bool:
    """Whether a line is a command, or is misspelt where one was meant."""
    return line.is_command or begins_a_command(line.words)


def _join_block(block: Sequence[ReadLine], grammar: Grammar, people: Collection[str]) -> list[ReadLine]:
    """The lines between two blank ones, wrapped lines joined, split at `;`.

    Those without a word are left out unless they are commands, and what programs write for a picture.
    """
    joined = list(block[:1])
    for above, line in pairwise(block):
        if _is_wrapped(joined[-1], above.words, line, people):
            joined[-1] = grammar.read_line(f"{joined[-1].words} {line.words}")
        else:
            joined.append(line)
    pieces = [piece for line in joined for piece in _split_line(line, grammar)]
    said = (piece for piece in pieces if re.search(r"\w", piece.words) or piece.is_command)
    return [piece for piece in said if not PICTURE_PLACEHOLDER.fullmatch(piece.words)]


PICTURE_PLACEHOLDER = re.compile(r"\[(?:image|cid|inline image) ?:[^\]]*\]")
"""What programs write in plain text where a picture stands."""


def _split_line(line: ReadLine, grammar: Grammar) -> Sequence[ReadLine]:
    pieces = split_at_semicolons([line.words], grammar)
    return [line] if pieces == [line.words] else grammar.read_lines(pieces)


def split_at_semicolons(lines: Iterable[str], grammar: Grammar) -> list[str]:
    """Lines split at `;`, each whole where it does not begin as commands do: it may be an example of ours.

    What is said to other players goes on to the end of the line.
    """
    found: list[str] = []
    for line in lines:
        pieces = [piece.strip() for piece in line.split(";")]
        first = next(filter(None, pieces), "")
        if len(pieces) == 1 or not (_is_meant_as_command(grammar.read_line(first)) or is_greeting(first, ())):
            found.append(line)
            continue
        talk = next((at for at, piece in enumerate(pieces) if is_chat(piece)), len(pieces))
        said = ";".join(line.split(";")[talk:]).strip()
        found += filter(None, (*pieces[:talk], said))
    return found


SHORTEST_WRAPPED = 45
"""Characters; programs wrap lines near 72, and no word of a command is longer than the difference."""
NARROWEST, WIDEST = 70, 80
"""Characters; programs wrap a line of chat at some width in this range."""


def _is_wrapped(line: ReadLine, above: str, following: ReadLine, people: Collection[str]) -> bool:
    """Whether the following line is the end of this one, which a mail program has wrapped after `above`."""
    wrapped = SHORTEST_WRAPPED <= len(line.words) <= 2 * bodies.LONGEST_LINE
    if line.chat:
        wrapped = line.is_empty_chat or (
            len(above) <= WIDEST and wrapped and _would_overflow(above, following.words)
        )
    if not wrapped or _is_meant_as_command(following):
        return False
    return not is_farewell(following.words, people) and not _is_signature(following, people)


def check_run_on(lines: Sequence[ReadLine]) -> str:
    """Why an order right under a message may be its end, which a mail program has wrapped; else nothing."""
    talking = False
    for above, line in pairwise(lines):
        talking = above.chat or (talking and bool(above.words) and not above.is_command)
        order = talking and line.is_command and not line.chat
        if order and len(above.words) <= WIDEST and _would_overflow(above.words, line.words):
            return gettext(
                "It is not certain whether “%(line)s” is the end of the message above it: leave an empty "
                "line between them.",
                line=line.words[:60],
            )
    return ""


def _would_overflow(line: str, following: str) -> bool:
    return len(line) + 1 + len(following.partition(" ")[0]) >= NARROWEST


def _is_signature(line: ReadLine, people: Collection[str]) -> bool:
    """Whether a line is the name of somebody of the game and nothing else."""
    if line.chat:
        return False
    words = re.findall(r"\w+", line.words)
    known = all(word.casefold() in people for word in words)
    return known and 0 < len(words) <= 4 and not begins_a_command(line.words)
