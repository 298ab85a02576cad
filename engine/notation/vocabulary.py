"""The words of orders: those of each language, and what is composed of several in which somebody writes.

No language stands here but the canonical words, which are written and read everywhere. Whoever reads what
people write hands a vocabulary in: it holds their language and others, whose words may be mixed, and are all
read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain
from typing import TypeVar

from engine.cards import Symbol
from engine.notation.canonical_text import Verb

CARD_VERBS = frozenset((Verb.CHOOSE, Verb.PLAY, Verb.STAY, Verb.TAKE, Verb.LEVY))
"""The actions that name a card and no place: there a symbol's name is that, even where a place bears it."""
NO_WORDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class OrderWords:
    """The words of one language, in small letters. Where several mean the same the first is written."""

    language: str
    """Its code (BCP 47)."""
    verbs: Mapping[Verb, tuple[str, ...]]
    """For each action the words that can begin it."""
    symbols: Mapping[Symbol, tuple[str, ...]]
    """What each symbol is called, one and several."""
    give: str
    """What comes before the cards for the loser of a take-over."""
    either: str
    """What stands between orders or names of which one is meant."""
    pairs: Mapping[Verb, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """For some actions two words that begin it; the second may come later, as in "take Troy back"."""
    joining: frozenset[str] = NO_WORDS
    """What stands between names, or between orders."""
    following: frozenset[str] = NO_WORDS
    """What stands between orders only: one after the other."""
    opening: frozenset[str] = NO_WORDS
    """What may stand before the first order of a line."""
    never_opened: frozenset[str] = NO_WORDS
    """Verbs that are none behind such a word: the Dutch "dan pas" means "only then"."""
    leading: frozenset[str] = NO_WORDS
    """Words without a meaning of their own after which something must come: none of them ends an order."""
    leaving: frozenset[str] = NO_WORDS
    """Those of them before the point where a march begins."""
    passing: frozenset[str] = NO_WORDS
    """What stands before points that a march only passes."""
    owning: frozenset[str] = NO_WORDS
    """What stands between a thing and whose it is, as in "corner C5 of Larissa"."""
    small: frozenset[str] = NO_WORDS
    """The other words without a meaning of their own."""
    articles: frozenset[str] = NO_WORDS
    own: frozenset[str] = NO_WORDS
    """What says that a thing is the writer's."""
    cards: frozenset[str] = NO_WORDS
    """Small words for a card: what an abbreviation beside a symbol's verb could stand for as well."""
    guards: frozenset[str] = NO_WORDS
    points: frozenset[str] = NO_WORDS
    taxes: frozenset[str] = NO_WORDS
    turns: frozenset[str] = NO_WORDS
    beside: Mapping[Verb, frozenset[str]] = field(default_factory=dict)
    """The small words that may stand beside a verb where nothing is named.

    With others it is a sentence and no order: "Pas op!" means "Look out!".
    """
    numbered: frozenset[str] = NO_WORDS
    """What may stand before a number that is an answer, or before one of a corner."""
    dotted: frozenset[str] = NO_WORDS
    """Those of them that need their dot: "no" negates."""
    lettered: frozenset[str] = NO_WORDS
    """What may stand before a letter that is an answer."""
    thanks: frozenset[tuple[str, ...]] = frozenset()
    """What may stand behind an order."""
    common: frozenset[str] = NO_WORDS
    """Everyday words, names and days that are no abbreviation and no slip, though they could be taken for
    one: orders, symbols or places begin so, or a verb would be guessed.

    What does neither has no business here, and a test finds it. Where a board or a language brings new words,
    add the everyday words of the language that begin them.
    """
    places: Mapping[str, str] = field(default_factory=dict)
    """What the language calls places, and what a board calls them."""
    spoken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The phrases of each kind in which orders are told in sentences; see speech.py."""

    @property
    def named_words(self) -> Iterator[str]:
        """All its verbs and symbols."""
        return chain(*self.verbs.values(), *self.symbols.values())

    def name_verb(self, verb: str) -> str:
        """A canonical verb as this language writes it; anything else as it is."""
        return self.verbs[Verb(verb)][0] if verb in self.verbs else verb

    def name_card(self, card: str) -> str:
        """A canonical symbol as this language writes it; anything else as it is."""
        return next((words[0] for symbol, words in self.symbols.items() if symbol == card), card)


CANONICAL = OrderWords(
    "",
    verbs={verb: (verb,) for verb in Verb},
    symbols={symbol: (str(symbol),) for symbol in Symbol},
    give="give",
    either="or",
    leading=frozenset(("from", "to", "via")),
    leaving=frozenset(("from",)),
    passing=frozenset(("via",)),
)
"""The words that are written everywhere: in logs, in links, and by programs."""

Meaning = TypeVar("Meaning")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The words of some languages together. Where two differ about a word the first of them is followed."""

    languages: tuple[OrderWords, ...]
    verbs: Mapping[str, Verb]
    """Every word that can begin an action, and the action it means."""
    pairs: Mapping[tuple[str, str], Verb]
    """Every two words that mean an action together. The first of them is a verb by itself too."""
    symbols: Mapping[str, Symbol]
    """Every word for a symbol."""
    language_of: Mapping[str, OrderWords]
    """The language of each verb and symbol; a word of several belongs to the first of them."""
    places: Mapping[str, str]
    """What else than on a board places are called, and what a board calls them."""
    thanks: frozenset[tuple[str, ...]]
    beside: Mapping[Verb, frozenset[str]]
    give: frozenset[str]
    either: frozenset[str]
    """What stands between orders or names of which one is meant; "of" can be English too."""
    joining: frozenset[str]
    following: frozenset[str]
    opening: frozenset[str]
    never_opened: frozenset[str]
    leading: frozenset[str]
    leaving: frozenset[str]
    passing: frozenset[str]
    owning: frozenset[str]
    small: frozenset[str]
    """All words that carry no meaning of their own."""
    articles: frozenset[str]
    cards: frozenset[str]
    guards: frozenset[str]
    points: frozenset[str]
    taxes: frozenset[str]
    turns: frozenset[str]
    numbered: frozenset[str]
    dotted: frozenset[str]
    lettered: frozenset[str]
    common: frozenset[str]
    own: frozenset[str]
    spoken: Mapping[tuple[str, ...], str]
    """The phrases in which orders are told in sentences, word by word, and the kind of each."""
    pictures: Mapping[str, Symbol]
    """The pictures that stand for a card, in every language."""
    pair_starts: frozenset[str] = field(init=False)
    """Words that begin a pair."""
    verb_beginnings: Mapping[str, Mapping[str, Verb]] = field(init=False)
    """What could be an abbreviation of a verb, and of which."""
    symbol_beginnings: Mapping[str, Mapping[str, Symbol]] = field(init=False)
    """What could be an abbreviation of a symbol, and of which."""
    letters: str = field(init=False)
    """The letters that its words are written with, as in the brackets of a pattern."""

    def __post_init__(self) -> None:
        verbs = {word: verb for word, verb in self.verbs.items() if word not in self.small}
        derived = {
            "pair_starts": frozenset(first for first, _ in self.pairs),
            "verb_beginnings": self.abbreviations_of(verbs),
            "symbol_beginnings": self.abbreviations_of(self.symbols),
            "letters": "A-Za-z" + "".join(sorted(self._accented_letters())),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def abbreviations_of(
        self, words: Mapping[str, Meaning], least: int = 1
    ) -> Mapping[str, Mapping[str, Meaning]]:
        """For each beginning of a word, of `least` letters or more, the words that begin so."""
        found: dict[str, dict[str, Meaning]] = {}
        for word, meaning in words.items():
            for end in range(least, len(word)):
                begun = word[:end]
                if begun not in words and begun not in self.common and begun not in self.small:
                    found.setdefault(begun, {})[word] = meaning
        return found

    def _accented_letters(self) -> set[str]:
        """Those that English does without, small and capital."""
        words = (*self.verbs, *self.symbols, *self.small, *self.places, *self.opening, *self.numbered)
        said = (word for phrase in self.thanks for word in phrase)
        letters = set("".join((*words, *said, *(second for _, second in self.pairs))))
        found = {letter for letter in letters if letter.isalpha() and not letter.isascii()}
        return found | {letter.upper() for letter in found if len(letter.upper()) == 1}

    def suggest_words(self, word: str, known: Iterable[str], language: OrderWords | None) -> tuple[str, ...]:
        """The words most like a word that nobody knows, in this language or in that of the first of them."""
        by_fold = {name.casefold(): name for name in known}
        found: list[str] = []
        if language is not None:
            own = [fold for fold in by_fold if self.language_of.get(fold, language) is language]
            found = get_close_matches(word, own, n=3, cutoff=0.7)
        if not found:
            found = get_close_matches(word, by_fold, n=3, cutoff=0.7)
        languages = [None, *(self.language_of.get(name) for name in found[:1])]
        return tuple(by_fold[name] for name in found if self.language_of.get(name) in languages)


def compose_vocabulary(
    languages: Sequence[OrderWords], pictures: Mapping[str, Symbol] | None = None
) -> Vocabulary:
    """The words of these languages together."""

    def every(name: str) -> frozenset[str]:
        return NO_WORDS.union(*(getattr(own, name) for own in languages))

    leading = every("leading")
    nouns = ("cards", "guards", "points", "taxes", "turns")
    small = every("small").union(leading, every("joining"), *map(every, nouns))
    give = frozenset(own.give for own in languages)
    return Vocabulary(
        languages=tuple(languages),
        verbs=_first_of((word, verb) for own in languages for verb in own.verbs for word in own.verbs[verb]),
        pairs=_first_of((pair, verb) for own in languages for verb in own.pairs for pair in own.pairs[verb]),
        symbols=_first_of(
            (word, symbol) for own in languages for symbol in own.symbols for word in own.symbols[symbol]
        ),
        language_of=_first_of((word, own) for own in languages for word in own.named_words),
        places=_first_of(pair for own in languages for pair in own.places.items()),
        thanks=frozenset(phrase for own in languages for phrase in own.thanks),
        beside={
            verb: NO_WORDS.union(*(own.beside.get(verb, NO_WORDS) for own in languages)) for verb in Verb
        },
        give=give,
        either=frozenset(own.either for own in languages),
        joining=every("joining"),
        following=every("following"),
        opening=every("opening"),
        never_opened=every("never_opened"),
        leading=leading,
        leaving=every("leaving"),
        passing=every("passing"),
        owning=every("owning"),
        small=small | give,
        articles=every("articles"),
        cards=every("cards"),
        guards=every("guards"),
        points=every("points"),
        taxes=every("taxes"),
        turns=every("turns"),
        numbered=every("numbered"),
        dotted=every("dotted"),
        lettered=every("lettered"),
        common=every("common"),
        own=every("own"),
        pictures=pictures or {},
        spoken=_first_of(
            (tuple(phrase.split()), kind)
            for own in languages
            for kind in own.spoken
            for phrase in own.spoken[kind]
        ),
    )


Key = TypeVar("Key")


def _first_of(pairs: Iterable[tuple[Key, Meaning]]) -> dict[Key, Meaning]:
    """A mapping in which the first meaning of each key stands."""
    found: dict[Key, Meaning] = {}
    for key, meaning in pairs:
        found.setdefault(key, meaning)
    return found


CANONICAL_VOCABULARY = compose_vocabulary([CANONICAL])
"""With which is read what we have written ourselves."""


# --- orders in another language ---------------------------------------------------------------------------

ORDER_SEPARATOR = re.compile(rf"(\s*;\s*| or (?=(?:{'|'.join(Verb)})\b))")
"""What parts several orders, and several of which one is meant; no place is taken for the "or"."""


def translate_orders(words: str, own: OrderWords) -> str:
    """The canonical text of an action in the words of a language, such as `kies harp` for `choose lyre`.

    Of several actions too, parted by `;` or by "or". Places and points are called the same in every language.
    What is nothing canonical stays as it is.
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
    return " ".join((own.name_verb(verb), *rest))
