"""Words of orders and plans: orders.toml, phrases.toml, places.toml and plans.toml of each language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from emails.languages.mail_words import read_remarks
from emails.languages.vocabulary_files import (
    FilledWordList,
    InvalidLanguage,
    ListedPhrases,
    Name,
    SpelledPhrases,
    Table,
    WordList,
    WordPair,
    Words,
    keys_of,
    read_file,
)
from engine.cards import Symbol
from engine.notation.clauses import SIGNS
from engine.notation.lexer import OrderWords
from engine.notation.orders import Verb
from engine.plans.syntax import PlanPhrases, PlanWords


def _check_letters(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if not name.isalpha():
            raise ValueError(f"“{name}” must consist of letters")
    return names


Word = Annotated[str, Field(pattern=r"^\S+$"), AfterValidator(str.casefold)]

SMALL_WORDS = """
    joining following opening never_opened leading leaving passing owning small articles own cards guards
    points taxes turns numbered dotted lettered common
    """.split()
"""The keys of words without a meaning of their own."""


@dataclass(frozen=True, slots=True)
class _OrdersFile(Table):
    give: Word
    either: Word
    verbs: Annotated[Mapping[Verb, FilledWordList], keys_of(Verb)]
    pairs: Mapping[Verb, tuple[WordPair, ...]]
    symbols: Annotated[Mapping[Symbol, FilledWordList], keys_of(Symbol)]
    words: Annotated[Mapping[str, Words], keys_of(SMALL_WORDS)]
    beside: Mapping[Verb, Words]


@dataclass(frozen=True, slots=True)
class _PlacesFile(Table):
    places: Mapping[str, Annotated[WordList, AfterValidator(_check_letters)]]


@dataclass(frozen=True, slots=True)
class _PhrasesFile(Table):
    verbs: Annotated[Mapping[str, ListedPhrases], keys_of(SIGNS, needed=False)]
    parts: Annotated[Mapping[str, ListedPhrases], keys_of(SIGNS, needed=False)]
    numbers: Mapping[str, ListedPhrases]
    ordinals: Mapping[str, ListedPhrases]


@cache
def read_order_words(folder: Path) -> OrderWords:
    """Return the words of orders of the language of a folder. Raises `InvalidLanguage`."""
    file = folder / "orders.toml"
    orders = read_file(_OrdersFile, file)
    places = read_file(_PlacesFile, folder / "places.toml").places
    remarks = read_remarks(folder)
    found = OrderWords(
        language=folder.name,
        verbs=orders.verbs,
        symbols=orders.symbols,
        give=orders.give,
        either=orders.either,
        pairs=orders.pairs,
        beside={verb: words | orders.words["articles"] for verb, words in orders.beside.items()},
        thanks=frozenset(tuple(phrase.split()) for phrase in remarks.thanks | remarks.please),
        places={name: place for place, names in places.items() for name in names},
        spoken=_read_spoken(folder / "phrases.toml"),
        **orders.words,
    )
    _check_meanings(file, found)
    return found


def _read_spoken(file: Path) -> Mapping[str, tuple[str, ...]]:
    """Return the phrases by their kind; a language may do without this file."""
    if not file.exists():
        return {}
    phrases = read_file(_PhrasesFile, file)
    numbers = {f"number {number}": words for number, words in phrases.numbers.items()}
    ordinals = {f"ordinal {number}": words for number, words in phrases.ordinals.items()}
    return {**phrases.verbs, **phrases.parts, **numbers, **ordinals}


def _check_meanings(file: Path, found: OrderWords) -> None:
    """Refuse a word with two meanings, and a pair that does not begin with a verb."""
    named: dict[str, str] = {}
    for key, meaning, word in _meanings(found):
        if named.setdefault(word, meaning) != meaning:
            raise InvalidLanguage(file, f"{key}: “{word}” also means {named[word]}")
    for verb, pairs in found.pairs.items():
        for first, _ in pairs:
            if named.get(first) not in found.verbs:
                raise InvalidLanguage(file, f"pairs.{verb}: “{first}” is not a verb")


def _meanings(found: OrderWords) -> Iterator[tuple[str, str, str]]:
    """Yield the key, the meaning and the word of all words; small words share one meaning."""
    for verb, words in found.verbs.items():
        yield from ((f"verbs.{verb}", verb, word) for word in words)
    for symbol, words in found.symbols.items():
        yield from ((f"symbols.{symbol}", symbol, word) for word in words)
    for name in ("leading", "small", "cards", "guards", "points", "taxes", "turns", "joining"):
        yield from ((f"words.{name}", "a small word", word) for word in sorted(getattr(found, name)))


# --- plans ----------------------------------------------------------------------------------------------


def _check_stars(phrases: PlanPhrases, stars: int) -> PlanPhrases:
    for phrase in phrases:
        if phrase.split().count("*") != stars:
            raise ValueError(f"“{phrase}” must have {stars or 'no'} *")
    return phrases


_AnyPhrases = Annotated[SpelledPhrases, Field(min_length=1)]
_Plain = Annotated[_AnyPhrases, AfterValidator(lambda phrases: _check_stars(phrases, 0))]
_Naming = Annotated[_AnyPhrases, AfterValidator(lambda phrases: _check_stars(phrases, 1))]
"""Phrases with a "*" for the name of a card or a place."""


@dataclass(frozen=True, slots=True)
class _PlansFile(Table):
    heading: _Plain
    condition: _Plain
    otherwise: _Plain
    also: _Plain
    then: _Plain
    card: _Naming
    free: _Naming
    small: Words
    open_cards: Annotated[Mapping[Symbol, Name], keys_of(Symbol)]


@cache
def read_plan_words(folder: Path) -> PlanWords:
    """Return the words of plans of the language of a folder. Raises `InvalidLanguage`."""
    return PlanWords(read_order_words(folder), **asdict(read_file(_PlansFile, folder / "plans.toml")))
