"""The vocabulary of orders in one or several languages, and the translation of canonical orders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from engine.board import Board, Point, Space
from engine.cards import Symbol
from engine.notation.orders import USAGES, Verb

NO_WORDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Vocabulary:
    """The words of orders in lower case; of several synonyms, the first is used in output."""

    verbs: Mapping[str, Verb]
    """Words or phrases, such as "take over"."""
    symbols: Mapping[str, Symbol]
    """Names of symbols, singular and plural."""
    give: tuple[str, ...]
    """The word before the cards for the loser of a takeover."""
    either: tuple[str, ...]
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
    """For each place name in these languages, the place's name on the board."""

    def words_for(self, thing: str) -> list[str]:
        """Return the words for a canonical verb or symbol."""
        return [word for known in (self.verbs, self.symbols) for word, own in known.items() if own == thing]

    def translate(self, thing: str) -> str:
        """Translate a canonical verb or symbol; other words are returned unchanged."""
        return next(iter(self.words_for(thing)), thing)


CANONICAL_VOCABULARY = Vocabulary(
    verbs={verb: verb for verb in Verb},
    symbols={symbol: symbol for symbol in Symbol},
    give=("give",),
    either=("or",),
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


def translate_orders(words: str, own: Vocabulary) -> str:
    """Translate canonical orders, such as `choose lyre` to `kies harp`.

    Orders can be joined by `;` or "or". Places, points and unknown words remain unchanged.
    """
    parts = ORDER_SEPARATOR.split(words)
    parts[::2] = (_translate_order(part, own) for part in parts[::2])
    parts[1::2] = (f" {own.either[0]} " if "or" in part else part for part in parts[1::2])
    return "".join(parts)


def _translate_order(words: str, own: Vocabulary) -> str:
    verb, *rest = words.split(" ")
    if verb in USAGES and USAGES[Verb(verb)].takes_only_cards:
        rest = [*map(own.translate, rest)]
    elif verb == Verb.TAKEOVER and len(rest) == 3:
        guards, _, cards = rest
        rest = [guards, own.give[0], "+".join(map(own.translate, cards.split("+")))]
    return " ".join((own.translate(verb), *rest))
