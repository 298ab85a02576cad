"""The vocabulary of orders in each language, and the translation of canonical orders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from engine.board import Board, Point, Space
from engine.cards import Symbol
from engine.notation.orders import USAGES, Verb

NO_WORDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OrderWords:
    """The words of one language in lower case; of several synonyms, the first is used in output."""

    verbs: Mapping[Verb, tuple[str, ...]]
    """Words or phrases, such as "take over"."""
    symbols: Mapping[Symbol, tuple[str, ...]]
    """Names of each symbol, singular and plural."""
    give: str
    """The word before the cards for the loser of a takeover."""
    either: str
    """The word "or"."""
    joining: frozenset[str] = NO_WORDS
    """Words between two names or two orders, such as "and"."""
    following: frozenset[str] = NO_WORDS
    """Words between two orders only, such as "then"."""
    small: frozenset[str] = NO_WORDS
    """Words without meaning before a name, such as "the"."""
    please: frozenset[str] = NO_WORDS
    """Words without meaning at the end of a line."""
    places: Mapping[str, str] = field(default_factory=dict)
    """For each place name in this language, the place's name on the board."""

    def name_verb(self, verb: str) -> str:
        """Translate a canonical verb; other words are returned unchanged."""
        return self.verbs[Verb(verb)][0] if verb in self.verbs else verb

    def name_card(self, card: str) -> str:
        """Translate a canonical symbol; other words are returned unchanged."""
        return next((words[0] for symbol, words in self.symbols.items() if symbol == card), card)


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The words of several languages; if a word has several meanings, the first language decides."""

    verbs: Mapping[str, Verb]
    symbols: Mapping[str, Symbol]
    places: Mapping[str, str]
    give: frozenset[str]
    joining: frozenset[str]
    following: frozenset[str]
    small: frozenset[str]
    please: frozenset[str]


Meaning = TypeVar("Meaning")


def compose_vocabulary(languages: Sequence[OrderWords]) -> Vocabulary:
    def by_word(tables: Iterable[Mapping[Meaning, tuple[str, ...]]]) -> dict[str, Meaning]:
        found: dict[str, Meaning] = {}
        for table in tables:
            for meaning, words in table.items():
                found |= {word: found.get(word, meaning) for word in words}
        return found

    return Vocabulary(
        by_word(own.verbs for own in languages),
        by_word(own.symbols for own in languages),
        {name: place for own in reversed(languages) for name, place in own.places.items()},
        frozenset(own.give for own in languages),
        NO_WORDS.union(*(own.joining for own in languages)),
        NO_WORDS.union(*(own.following for own in languages)),
        NO_WORDS.union(*(own.small for own in languages)),
        NO_WORDS.union(*(own.please for own in languages)),
    )


CANONICAL_VOCABULARY = compose_vocabulary(
    [
        OrderWords(
            verbs={verb: (verb,) for verb in Verb},
            symbols={symbol: (str(symbol),) for symbol in Symbol},
            give="give",
            either="or",
        )
    ]
)
"""The words of canonical texts in logs, links and API calls."""


@dataclass(frozen=True, slots=True)
class BoardNames:
    places: Mapping[str, Space]
    points: Mapping[str, Point]


@lru_cache(maxsize=64)
def names_of(board: Board, vocabulary: Vocabulary) -> BoardNames:
    """Return the names of a board's places and points in the languages of a vocabulary; cached."""
    called = {name: board.places[own] for name, own in vocabulary.places.items() if own in board.places}
    return BoardNames(
        called | {name.casefold(): space for name, space in board.places.items()},
        {name.casefold(): point for name, point in board.point_names.items()},
    )


ORDER_SEPARATOR = re.compile(rf"(\s*;\s*| or (?=(?:{'|'.join(Verb)})\b))")
"""Separates orders (";") or alternatives (" or "); a place with the name "or" is not affected."""


def translate_orders(words: str, own: OrderWords) -> str:
    """Translate canonical orders, such as `choose lyre` to `kies harp`.

    Orders can be joined by `;` or "or". Places, points and unknown words remain unchanged.
    """
    parts = ORDER_SEPARATOR.split(words)
    parts[::2] = (_translate_order(part, own) for part in parts[::2])
    parts[1::2] = (f" {own.either} " if "or" in part else part for part in parts[1::2])
    return "".join(parts)


def _translate_order(words: str, own: OrderWords) -> str:
    verb, *rest = words.split(" ")
    if verb in USAGES and USAGES[Verb(verb)].takes_only_cards:
        rest = [own.name_card(card) for card in rest]
    elif verb == Verb.TAKEOVER and len(rest) == 3:
        guards, _, cards = rest
        rest = [guards, own.give, "+".join(map(own.name_card, cards.split("+")))]
    return " ".join((own.name_card(own.name_verb(verb)), *rest))
