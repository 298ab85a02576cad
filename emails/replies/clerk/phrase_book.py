"""What words and phrases can mean to somebody who writes as they talk; a word may mean several things.

It is wider than the vocabulary of orders, since nothing is played by it. A language brings its words in
languages/<language>/clerk.toml.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from emails.languages.order_words import read_order_words
from emails.languages.supported_languages import ENGLISH, folder_of
from emails.languages.toml_tables import read_file
from engine.board import Point, Space
from engine.cards import Symbol

FILE = "clerk.toml"


class MeaningKind(StrEnum):
    """The kind of a meaning: what sort of thing a word names."""

    VERB = "verb"
    PARTICLE = "particle"
    CARD = "card"
    PLACE = "place"
    POINT = "point"
    CORNER = "corner"
    NUMBER = "number"
    ORDINAL = "ordinal"
    LETTER = "letter"
    PLAYER = "player"
    NOUN = "noun"
    SIGN = "sign"
    FILLER = "filler"


MentionedThing = Symbol | Space | Point | int | str
"""What a word can name of its kind: seats and corners by their number, verbs and signs by a word."""
Meaning = tuple[MeaningKind, MentionedThing]
_Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PhraseBook:
    """What the phrases of some languages can mean."""

    phrases: Mapping[_Phrase, frozenset[Meaning]]
    places: Mapping[str, str]
    """What places of the board are called in these languages, and by the board."""
    longest: int
    """Words of the longest phrase."""
    guessed: Mapping[str, frozenset[Meaning]]
    """Single words that a misspelt one may be."""


@cache
def load_lexicon(languages: tuple[str, ...]) -> PhraseBook:
    """The words of these languages and of English."""
    found: dict[_Phrase, set[Meaning]] = {}
    places: dict[str, str] = {}
    for language in dict.fromkeys((*languages, ENGLISH)):
        for phrase, meaning in _read_language(language):
            found.setdefault(phrase, set()).add(meaning)
        places |= read_order_words(folder_of(language)).places
    phrases = {phrase: frozenset(meanings) for phrase, meanings in found.items()}
    guessed = {
        phrase[0]: meanings
        for phrase, meanings in phrases.items()
        if len(phrase) == 1 and len(phrase[0]) >= SHORTEST_GUESSED and _is_guessed(meanings)
    }
    return PhraseBook(phrases, places, max(map(len, phrases), default=1), guessed)


SHORTEST_GUESSED = 4
"""Letters from which on a misspelt word is taken for another."""


def _is_guessed(meanings: frozenset[Meaning]) -> bool:
    kinds = {kind for kind, _ in meanings}
    named = bool(kinds & {MeaningKind.VERB, MeaningKind.CARD}) or (MeaningKind.NOUN, "card") in meanings
    return named and MeaningKind.FILLER not in kinds


def _read_language(language: str) -> Iterator[tuple[_Phrase, Meaning]]:
    file = read_file(folder_of(language) / FILE)
    file.check_keys(frozenset(SECTIONS))
    for section, kind in SECTIONS.items():
        table = file.table(section)
        for key in table.content:
            value: MentionedThing = key
            if kind is MeaningKind.CARD:
                value = Symbol(key)
            elif kind in (MeaningKind.NUMBER, MeaningKind.ORDINAL):
                value = int(key)
            for phrase in table.raw_phrases(key):
                yield tuple(phrase.split()), (kind, value)


SECTIONS = {
    "verbs": MeaningKind.VERB,
    "particles": MeaningKind.PARTICLE,
    "cards": MeaningKind.CARD,
    "nouns": MeaningKind.NOUN,
    "signs": MeaningKind.SIGN,
    "numbers": MeaningKind.NUMBER,
    "ordinals": MeaningKind.ORDINAL,
    "filler": MeaningKind.FILLER,
}
"""What the words of each section of the file are."""
