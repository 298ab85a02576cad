"""What players tell one another by mail: a line "say: words" is for all, "tell Anna: words" for one.

In Dutch it is "zeg: words" and "vertel Anna: words". Such a line is never an order, and a `;` in it is a part
of what is said. But orders are parted by `;`, so that a writer may have meant one: `find_swallowed_order`
finds what must not be said before the writer was asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from emails.languages.lexicon import Lexicon
from emails.languages.vocabulary_files import match_words
from emails.names import plain_name
from engine.actions import Unreadable
from engine.board import Board
from engine.notation.lexer import Vocabulary, patterns_of
from engine.notation.parser import NO_CHOICES, parse

MOST_PIECES = 20
"""Parted by `;`, of what is said at one time; nobody says more, and to judge a piece takes time."""


@dataclass(frozen=True, slots=True, eq=False)
class _ChatPatterns:
    """How lines begin that are said to other players, in the words of a lexicon."""

    line: re.Pattern[str]
    verb: re.Pattern[str]
    without_colon: re.Pattern[str]
    to: re.Pattern[str]


@lru_cache(maxsize=64)
def _patterns_of(lexicon: Lexicon) -> _ChatPatterns:
    say, verbs = match_words(lexicon.chat.say), match_words(lexicon.chat.say | lexicon.chat.tell)
    patterns = (
        rf"(?:(?:{say}) ?:|(?:{verbs}) [^:]{{1,70}}:)",
        rf"(?:{verbs}) ?",
        rf"(?:{verbs})\b(?! *:)",
        rf"(?:{match_words(lexicon.chat.to)}) ",
    )
    return _ChatPatterns(*(re.compile(pattern, re.IGNORECASE) for pattern in patterns))


@dataclass(frozen=True, slots=True)
class ChatLine:
    """What one line says to others."""

    seat: int | None
    """For whom; None: for all."""
    name: str
    """Of the one it is for as it was written, where nobody is called so; else empty."""
    words: str


def is_chat(line: str, lexicon: Lexicon) -> bool:
    """Whether a line is said to other players, even if there are no words in it."""
    return _patterns_of(lexicon).line.match(line) is not None


def is_chat_without_colon(line: str, lexicon: Lexicon) -> bool:
    """Whether a line that is no chat begins as chat does."""
    return not is_chat(line, lexicon) and _patterns_of(lexicon).without_colon.match(line) is not None


def parse_chat_line(line: str, names: Sequence[str], lexicon: Lexicon) -> ChatLine:
    """What a line, for which `is_chat` holds, says to others; `names` are those of the seats, in order."""
    patterns = _patterns_of(lexicon)
    rest = patterns.verb.sub("", line, count=1)
    if rest.startswith(":"):
        return ChatLine(None, "", rest[1:].strip())
    for colon in reversed([*re.finditer(":", rest[:80])]):  # a name may hold one itself
        called = rest[: colon.start()].strip()
        seat = _find_seat(called, names, patterns.to)
        if seat is not None and (":" not in called or ":" in names[seat]):
            return ChatLine(seat, "", rest[colon.end() :].strip())
    name, _, words = (part.strip() for part in rest.partition(":"))
    name = patterns.to.sub("", name, count=1)
    return ChatLine(None, "" if name.casefold() in lexicon.chat.everybody else name, words)


def _find_seat(called: str, names: Sequence[str], to: re.Pattern[str]) -> int | None:
    """Who is called so: best exactly, else by a name that differs in signs and accents alone."""
    for key in (str.casefold, _bare_name):
        for name in (called, to.sub("", called, count=1)):
            found = [seat for seat, one in enumerate(names) if key(one) == key(name)]
            if len(found) == 1:
                return found[0]
    return None


def _bare_name(name: str) -> str:
    """The words of a name alone, without accents; "Jo, Anna" is not Joanna."""
    plain = unicodedata.normalize("NFKD", plain_name(name)).casefold()
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(re.findall(r"[^\W_]+", bare)) or name.casefold()


def find_swallowed_order(line: str, board: Board, lexicon: Lexicon) -> str | None:
    """The first piece after a `;` of a line that is said to others which was perhaps not meant so.

    It is said to somebody itself, or is an order, or begins as one; None where nothing is. "Go on" and "take
    care" are no orders: a word of the game must follow.
    """
    pieces = [piece.strip() for piece in line.split(";")[1:] if piece.strip()]
    for at, piece in enumerate(pieces):
        if at == MOST_PIECES or _is_separate(_MARKS.sub("", piece), board, lexicon):
            return piece
    return None


def _is_separate(piece: str, board: Board, lexicon: Lexicon) -> bool:
    """Whether a piece of what is said is itself said to somebody, or is an order or begins as one."""
    orders = lexicon.orders
    words = [word.casefold() for word in patterns_of(orders).token.findall(piece)]
    if is_chat(piece, lexicon) or not words:
        return is_chat(piece, lexicon)
    unnamed = orders.small.union(second for _, second in orders.pairs)  # between a verb and what it names
    if words[0] in orders.verbs and (named := next((word for word in words[1:] if word not in unnamed), "")):
        known = _known_names(board, orders)
        return named in known or bool(get_close_matches(named, known, 1, cutoff=_ALIKE))
    try:
        said = parse(_SIGNS.sub("", piece), board, NO_CHOICES, orders)
    except Unreadable:
        return False
    return any(one.verb for one in said)  # a symbol alone is but a word


@lru_cache(maxsize=64)
def _known_names(board: Board, vocabulary: Vocabulary) -> frozenset[str]:
    """All that an order on this board may name."""
    names = (*board.places, *vocabulary.places, *board.point_names, *vocabulary.symbols)
    return frozenset(name.casefold() for name in names)


_MARKS = re.compile(r"^(?:\[\d+\]|\W)+")
_SIGNS = re.compile(r"\W+$")
_ALIKE = 0.85
"""How alike a misspelt word must be: "Larisa" and Larissa are, "part" and Sparta are not."""
