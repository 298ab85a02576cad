"""What players tell one another by mail: a line "say: words" is for all, "tell Anna: words" for one.

In Dutch it is "zeg: words" and "vertel Anna: words"; both are always read, whoever writes. Such a line is
never an order, and a `;` in it is a part of what is said. But orders are parted by `;`, so that a writer may
have meant one: `find_swallowed_order` finds what must not be said before the writer was asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from engine.actions import Unreadable
from engine.board import Board
from engine.notation.lexer import TOKEN
from engine.notation.parser import parse
from engine.notation.vocabulary import SMALL_WORDS, SYMBOL_WORDS, VERB_PAIRS, VERBS

_LINE = re.compile(r"(?:(?:say|zeg) ?:|(?:say|zeg|tell|vertel) [^:]{1,70}:)", re.IGNORECASE)
_VERB = re.compile(r"(?:say|zeg|tell|vertel) ?", re.IGNORECASE)
MOST_PIECES = 20
"""Parted by `;`, of what is said at one time; nobody says more, and to judge a piece takes time."""
_CHAT_WITHOUT_COLON = re.compile(r"(?:say|zeg|tell|vertel)\b(?! *:)", re.IGNORECASE)
_TO = re.compile(r"(?:to|aan|tegen) ", re.IGNORECASE)
_ALL = frozenset("all everyone everybody allen allemaal iedereen".split())


@dataclass(frozen=True, slots=True)
class ChatLine:
    """What one line says to others."""

    seat: int | None
    """For whom; None: for all."""
    name: str
    """Of the one it is for as it was written, where nobody is called so; else empty."""
    words: str


def is_chat(line: str) -> bool:
    """Whether a line is said to other players, even if there are no words in it."""
    return _LINE.match(line) is not None


def is_chat_without_colon(line: str) -> bool:
    """Whether a line that is no chat begins as chat does."""
    return not is_chat(line) and _CHAT_WITHOUT_COLON.match(line) is not None


def parse_chat_line(line: str, names: Sequence[str]) -> ChatLine:
    """What a line, for which `is_chat` holds, says to others; `names` are those of the seats, in order."""
    rest = _VERB.sub("", line, count=1)
    if rest.startswith(":"):
        return ChatLine(None, "", rest[1:].strip())
    for colon in reversed([*re.finditer(":", rest[:80])]):  # a name may hold one itself
        called = rest[: colon.start()].strip()
        seat = _find_seat(called, names)
        if seat is not None and (":" not in called or ":" in names[seat]):
            return ChatLine(seat, "", rest[colon.end() :].strip())
    name, _, words = (part.strip() for part in rest.partition(":"))
    name = _TO.sub("", name, count=1)
    return ChatLine(None, "" if name.casefold() in _ALL else name, words)


def _find_seat(called: str, names: Sequence[str]) -> int | None:
    """Who is called so: best exactly, else by a name that differs in signs and accents alone."""
    for key in (str.casefold, _bare_name):
        for name in (called, _TO.sub("", called, count=1)):
            found = [seat for seat, one in enumerate(names) if key(one) == key(name)]
            if len(found) == 1:
                return found[0]
    return None


def _bare_name(name: str) -> str:
    """The words of a name alone, without accents; "Jo, Anna" is not Joanna."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(re.findall(r"[^\W_]+", bare)) or name.casefold()


def find_swallowed_order(line: str, board: Board) -> str:
    """The first piece after a `;` of a line that is said to others which was perhaps not meant so.

    It is said to somebody itself, or is an order, or begins as one; empty where nothing is. "Go on" and "take
    care" are no orders: a word of the game must follow.
    """
    pieces = [piece.strip() for piece in line.split(";")[1:] if piece.strip()]
    for at, piece in enumerate(pieces):
        if at == MOST_PIECES or _is_separate(_MARKS.sub("", piece), board):
            return piece
    return ""


def _is_separate(piece: str, board: Board) -> bool:
    """Whether a piece of what is said is itself said to somebody, or is an order or begins as one."""
    words = [word.casefold() for word in TOKEN.findall(piece)]
    if is_chat(piece) or not words:
        return is_chat(piece)
    if words[0] in VERBS and (named := next((word for word in words[1:] if word not in _UNNAMED), "")):
        known = _known_names(board)
        return named in known or bool(get_close_matches(named, known, 1, cutoff=_ALIKE))
    try:
        return any(said.verb for said in parse(_SIGNS.sub("", piece), board))  # a symbol alone is but a word
    except Unreadable:
        return False


@lru_cache(maxsize=16)
def _known_names(board: Board) -> frozenset[str]:
    """All that an order on this board may name."""
    return frozenset(name.casefold() for name in (*board.places, *board.point_names, *SYMBOL_WORDS))


_MARKS = re.compile(r"^(?:\[\d+\]|\W)+")
_SIGNS = re.compile(r"\W+$")
_UNNAMED = SMALL_WORDS.union(second for _, second in VERB_PAIRS)
"""Words that may stand between the verb of an order and what it names."""
_ALIKE = 0.85
"""How alike a misspelt word must be: "Larisa" and Larissa are, "part" and Sparta are not."""
