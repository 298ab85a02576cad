"""A line as it is heard when somebody tells orders in sentences: each phrase as a sign of its kind.

It is heard whole or not at all: one word that nobody knows, and the line is none of orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.cards import Symbol
from engine.lattice import Point, Space
from engine.notation.lexer import BoardNames
from engine.notation.vocabulary import Vocabulary

CARD, PLACE, POINT, NUMBER, ORDINAL, LETTER, NAME = "C", "P", "X", "N", "O", "L", "U"
DIGITS = "n"
"""The signs of what is named."""
SIGNS: Mapping[str, str] = {
    "choose": "c",
    "play": "p",
    "march": "m",
    "stay": "s",
    "draw": "d",
    "take": "t",
    "occupy": "o",
    "takeover": "v",
    "levy": "l",
    "recall": "r",
    "end": "e",
    "put": "u",
    "back": "b",
    "away": "x",
    "going": "q",
    "is": "=",
    "intent": "i",
    "opening": "Y",
    "passed_over": "f",
    "display": "D",
    "hand": "H",
    "supply": "S",
    "blind": "B",
    "card": "K",
    "guard": "G",
    "corner": "Z",
    "choice": "k",
    "turn": "W",
    "at": "@",
    "to": ">",
    "via": "~",
    "from": "F",
    "with": "w",
    "levied": "V",
    "and": "&",
    "then": "^",
    "first": "1",
    "labels": "#",
    "own": "h",
    "give": "g",
    "tax": "T",
}
"""The sign of each kind of phrase, for the patterns of clauses."""
DROPPED = frozenset("ifA")
"""What says nothing: that its writer wants it, please, an article."""
ARTICLE = "A"
MOST_SIGNS = 60
LONGEST_PHRASE = 6
PIECE = re.compile(
    r"(?P<count>[0-9]+ ?x\b|\bx ?[0-9]+\b)|(?P<number>[0-9]+)(?![^\W_])"
    r"|(?P<word>[^\W\d_]+[0-9]*(?:['-][^\W\d_]{2,}|'[^\W\d_])*(?![^\W_]))"
    r"|(?P<arrow>-+>|=+>|[\u2192\u27a1\u27f6])|(?P<sign>[.,;:!()+&-])|(?P<blank>\s+)|(?P<other>.)"
)
SEPARATORS = {"+": "&", "!": "."}
"""What signs stand for that are others than they seem."""
UNHEARD = "\ufe0f"
"""It says of the sign before it that it is a picture."""


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A line as it is heard: a sign for each phrase and separator, and what it names."""

    signs: str
    values: tuple[object, ...]

    def named(self, kind: str, start: int, end: int) -> Iterator[object]:
        """What the signs of a kind name within a part of the line."""
        return (self.values[at] for at in range(start, end) if self.signs[at] == kind)

    def cards(self, start: int, end: int) -> list[Symbol]:
        """The cards that are named within a part of the line."""
        return [card for card in self.named(CARD, start, end) if isinstance(card, Symbol)]

    def places(self, start: int, end: int) -> list[Space]:
        """The places that are named within a part of the line."""
        return [place for place in self.named(PLACE, start, end) if isinstance(place, Space)]

    def points(self, start: int, end: int) -> list[Point]:
        """The points that are named within a part of the line."""
        return [point for point in self.named(POINT, start, end) if isinstance(point, Point)]

    def numbers(self, start: int, end: int) -> list[int]:
        """The numbers that are said within a part of the line."""
        found = self.values[start:end]
        return [one for at, one in enumerate(found, start) if self.signs[at] in "Nn" and isinstance(one, int)]


def hear_line(
    line: str, names: BoardNames, vocabulary: Vocabulary, letters: frozenset[str] = frozenset()
) -> SpokenLine | None:
    """A line as it is heard; None where a sign in it is none of orders, or it is too long.

    `letters`: the marks of choices, to be heard as such and not as articles.
    """
    plain = line.replace("\u2019", "'").replace("\u2018", "'").replace(UNHEARD, "")
    found: list[tuple[str, object]] = []
    words: list[str] = []
    for piece in PIECE.finditer(plain):
        kind = str(piece.lastgroup)
        if kind == "word" or (kind == "count" and words):
            words.append(piece.group().casefold())
            continue
        if kind == "blank":
            continue
        found += _hear_words(words, names, vocabulary, letters)
        words.clear()
        heard = _hear_sign(kind, piece.group(), vocabulary)
        if heard is None or len(found) >= MOST_SIGNS:
            return None
        found.append(heard)
    found += _hear_words(words, names, vocabulary, letters)
    kept = [one for one in found if one[0] not in DROPPED]
    last = [sign for sign, _ in found if sign.isalpha()][-1:]
    if not kept or len(found) > MOST_SIGNS or last == [ARTICLE]:
        return None
    signs, values = zip(*kept, strict=True)
    return SpokenLine("".join(signs), values)


def _hear_sign(kind: str, written: str, vocabulary: Vocabulary) -> tuple[str, object] | None:
    if kind in ("number", "count"):
        digits = written.strip("xX ")
        return (DIGITS if kind == "number" else NUMBER, int(digits)) if len(digits) <= 2 else None
    if kind == "arrow":
        return (">", None)
    if kind == "sign":
        return (SEPARATORS.get(written, written), None)
    card = vocabulary.pictures.get(written)
    return None if card is None else (CARD, card)


def _hear_words(
    words: list[str], names: BoardNames, vocabulary: Vocabulary, letters: frozenset[str]
) -> Iterator[tuple[str, object]]:
    at = 0
    while at < len(words):
        for count in range(min(LONGEST_PHRASE, len(words) - at), 0, -1):
            kind = vocabulary.spoken.get(tuple(words[at : at + count]))
            if kind is not None and not (count == 1 and words[at] in letters):
                yield _spoken_sign(kind)
                break
        else:
            count = 1
            yield _hear_word(words[at], names, vocabulary, letters)
        at += count


def _spoken_sign(kind: str) -> tuple[str, object]:
    table, _, number = kind.partition(" ")
    if number:
        return (NUMBER if table == "number" else ORDINAL, int(number))
    return SIGNS[kind], kind


def _hear_word(
    word: str, names: BoardNames, vocabulary: Vocabulary, letters: frozenset[str]
) -> tuple[str, object]:
    """What a word means that is no phrase of people's talk: what it means in orders."""
    if word in letters:
        return (LETTER, word)
    if word in vocabulary.symbols:
        return (CARD, vocabulary.symbols[word])
    place = names.places.get(word) or names.places.get(word.removesuffix("'s"))
    if place is not None:
        return (PLACE, place)
    if word in names.points:
        return (POINT, names.points[word])
    if word in vocabulary.verbs:
        return (SIGNS[vocabulary.verbs[word]], word)
    for kind, known in (
        (ARTICLE, vocabulary.articles),
        ("h", vocabulary.own),
        ("~", vocabulary.passing),
        ("&", vocabulary.joining),
        ("^", vocabulary.following),
        ("g", vocabulary.give),
        ("T", vocabulary.taxes),
        ("K", vocabulary.cards),
        ("G", vocabulary.guards),
        ("Z", vocabulary.points),
        ("W", vocabulary.turns),
    ):
        if word in known:
            return (kind, word)
    return (NAME, word)
