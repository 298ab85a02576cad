"""The vocabulary of orders in each language, and the translation of canonical orders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import TypeVar

from engine.board import Board, Point, Space
from engine.cards import Symbol
from engine.notation.orders import CARD_VERBS, Verb

NO_WORDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordSets:
    """Words in lower case that are neither verbs nor names, of one language or several."""

    joining: frozenset[str] = NO_WORDS
    """Words between two names or two orders, such as "and"."""
    following: frozenset[str] = NO_WORDS
    """Words between two orders only, such as "then"."""
    opening: frozenset[str] = NO_WORDS
    """Words allowed before the first order of a line."""
    leading: frozenset[str] = NO_WORDS
    """Prepositions and similar words that cannot end an order."""
    leaving: frozenset[str] = NO_WORDS
    """Prepositions before the start of a march, such as "from"."""
    passing: frozenset[str] = NO_WORDS
    """Words before points on the way of a march, such as "via"."""
    small: frozenset[str] = NO_WORDS
    """Words without meaning in an order."""
    articles: frozenset[str] = NO_WORDS
    cards: frozenset[str] = NO_WORDS
    points: frozenset[str] = NO_WORDS
    numbered: frozenset[str] = NO_WORDS
    """Words allowed before the mark of a choice, a letter or a number."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OrderWords(WordSets):
    """The words of one language; of several synonyms, the first is used in output."""

    language: str
    verbs: Mapping[Verb, tuple[str, ...]]
    symbols: Mapping[Symbol, tuple[str, ...]]
    """Names of each symbol, singular and plural."""
    give: str
    """The word before the cards for the loser of a takeover."""
    either: str
    """The word "or"."""
    pairs: Mapping[Verb, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Verbs of two words, which may be apart as in "take Troy back"."""
    beside: Mapping[Verb, frozenset[str]] = field(default_factory=dict)
    """For each verb without arguments, the words that may stand beside it and are ignored.

    With any other word, the line is no order: Dutch "pas" means "pass", but "pas op" means "look out".
    """
    thanks: frozenset[str] = NO_WORDS
    """Phrases allowed beside the mark of a choice; the single words also in an order."""
    places: Mapping[str, str] = field(default_factory=dict)
    """For each place name in this language, the place's name on the board."""

    def name_verb(self, verb: str) -> str:
        """Translate a canonical verb; other words are returned unchanged."""
        return self.verbs[Verb(verb)][0] if verb in self.verbs else verb

    def name_card(self, card: str) -> str:
        """Translate a canonical symbol; other words are returned unchanged."""
        return next((words[0] for symbol, words in self.symbols.items() if symbol == card), card)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Vocabulary(WordSets):
    """The words of several languages; if a word has several meanings, the first language decides.

    `small` includes all words of `leading`, `joining`, `cards`, `points` and `give`.
    """

    verbs: Mapping[str, Verb]
    pairs: Mapping[tuple[str, str], Verb]
    symbols: Mapping[str, Symbol]
    places: Mapping[str, str]
    """For each place name in any of the languages, the place's name on the board."""
    beside: Mapping[Verb, frozenset[str]]
    thanks: frozenset[str]
    give: frozenset[str]
    either: frozenset[str]


def compose_vocabulary(languages: Sequence[OrderWords]) -> Vocabulary:
    sets = {
        one.name: NO_WORDS.union(*(getattr(own, one.name) for own in languages)) for one in fields(WordSets)
    }
    give = frozenset(own.give for own in languages)
    sets["small"] |= give.union(*(sets[name] for name in ("leading", "joining", "cards", "points")))
    return Vocabulary(
        verbs=_first_of((word, verb) for own in languages for verb in own.verbs for word in own.verbs[verb]),
        pairs=_first_of((pair, verb) for own in languages for verb in own.pairs for pair in own.pairs[verb]),
        symbols=_first_of(
            (word, one) for own in languages for one in own.symbols for word in own.symbols[one]
        ),
        places=_first_of(pair for own in languages for pair in own.places.items()),
        beside={
            verb: sets["articles"].union(*(own.beside.get(verb, NO_WORDS) for own in languages))
            for verb in Verb
        },
        thanks=NO_WORDS.union(*(own.thanks for own in languages)),
        give=give,
        either=frozenset(own.either for own in languages),
        **sets,
    )


Key = TypeVar("Key")
Meaning = TypeVar("Meaning")


def _first_of(pairs: Iterable[tuple[Key, Meaning]]) -> dict[Key, Meaning]:
    found: dict[Key, Meaning] = {}
    for key, meaning in pairs:
        found.setdefault(key, meaning)
    return found


CANONICAL_VOCABULARY = compose_vocabulary(
    [
        OrderWords(
            language="",
            verbs={verb: (verb,) for verb in Verb},
            symbols={symbol: (str(symbol),) for symbol in Symbol},
            give="give",
            either="or",
            leading=frozenset(("from", "to", "via")),
            leaving=frozenset(("from",)),
            passing=frozenset(("via",)),
        )
    ]
)
"""The words of canonical texts in logs, links and API calls."""


@lru_cache(maxsize=64)
def abbreviations_of(vocabulary: Vocabulary) -> Mapping[str, Verb | Symbol]:
    """Return the abbreviations of two letters or more that stand for one verb or one card; cached.

    The end of a turn has none, because it cannot be undone.
    """
    found: dict[str, set[Verb | Symbol]] = {}
    words: Mapping[str, Verb | Symbol] = {**vocabulary.symbols, **vocabulary.verbs}
    for word, meaning in words.items():
        for length in range(2, len(word)):
            found.setdefault(word[:length], set()).add(meaning)
    return {word: next(iter(one)) for word, one in found.items() if len(one) == 1 and Verb.END not in one}


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


# --- orders in another language ---------------------------------------------------------------------------

ORDER_SEPARATOR = re.compile(rf"(\s*;\s*| or (?=(?:{'|'.join(Verb)})\b))")
"""Separates orders (";") or alternatives (" or "); a place with the name "or" is not affected."""


def translate_orders(words: str, own: OrderWords) -> str:
    """Translate canonical orders, such as `choose lyre` to `kies harp`.

    Orders can be joined by `;` or "or". Places, points and unknown words remain unchanged.
    """
    parts = ORDER_SEPARATOR.split(words)
    parts[::2] = (_translated(part, own) for part in parts[::2])
    parts[1::2] = (f" {own.either} " if "or" in part else part for part in parts[1::2])
    return "".join(parts)


def _translated(words: str, own: OrderWords) -> str:
    verb, *rest = words.split(" ")
    if verb in CARD_VERBS:
        rest = [own.name_card(card) for card in rest]
    elif verb == Verb.TAKEOVER and len(rest) == 3:
        guards, _, cards = rest
        rest = [guards, own.give, "+".join(map(own.name_card, cards.split("+")))]
    return " ".join((own.name_card(own.name_verb(verb)), *rest))
