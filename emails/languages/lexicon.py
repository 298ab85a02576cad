"""The lexicon of a reader: the words of their language and of English, put together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeVar

from emails.languages.order_words import read_order_words, read_plan_words, read_remark_grammar
from emails.languages.programs import read_signs
from emails.languages.request_phrases import AnswerPhrases, ChatWords, read_requests
from emails.languages.supported_languages import ENGLISH, LANGUAGES, folder_of
from emails.languages.time_words import (
    DateWords,
    TopicWords,
    VoteWords,
    join_dates,
    read_dates,
    read_topic_words,
    read_vote_words,
)
from emails.languages.toml_tables import Words, join_fields
from engine.board import Point, Space
from engine.notation.clauses import read_told
from engine.notation.lexer import BoardNames, OrderWords, Vocabulary, compose_vocabulary, translate_orders
from engine.plans.syntax import PlanVocabulary, PlanWords


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """The words in which mails are read."""

    languages: tuple[str, ...]
    """Their codes."""
    orders: Vocabulary
    shown: Mapping[str, str]
    """What can be asked for in a game, by each phrase that asks for it."""
    chat: ChatWords
    answers: AnswerPhrases
    please: Words
    numbers: Mapping[str, int]
    plans: PlanVocabulary
    dates: DateWords
    votes: VoteWords
    topics: TopicWords


@cache
def lexicon_of(language: str) -> Lexicon:
    """The words in which somebody's mails are read, by the code of their language."""
    return _compose_lexicon(tuple(dict.fromkeys((ENGLISH, language))))


def whole_lexicon() -> Lexicon:
    """The words of all languages, for what nobody in particular has written."""
    return _compose_lexicon(tuple(LANGUAGES))


@cache
def _compose_lexicon(languages: tuple[str, ...]) -> Lexicon:
    folders = [folder_of(language) for language in languages]
    requests = [read_requests(folder) for folder in folders]
    grammars = [read_remark_grammar(folder) for folder in folders]
    return Lexicon(
        languages,
        compose_vocabulary([read_order_words(folder) for folder in folders], read_signs().cards),
        {phrase: kind for own in requests for kind, phrases in own.shown.items() for phrase in phrases},
        join_fields(tuple(own.chat for own in requests)),
        join_fields(tuple(own.answers for own in requests)),
        frozenset[str]().union(*(own.please for own in grammars)),
        _first_numbers([own.numbers for own in grammars]),
        PlanVocabulary(tuple(read_plan_words(folder) for folder in folders)),
        join_dates(tuple(map(read_dates, folders))),
        join_fields(tuple(map(read_vote_words, folders))),
        join_fields(tuple(map(read_topic_words, folders))),
    )


def _first_numbers(every: list[Mapping[str, int]]) -> Mapping[str, int]:
    """Numbers by their words; of a word that means several the first."""
    return {word: number for own in reversed(every) for word, number in own.items()}


# --- orders in the language of a reader -------------------------------------------------------------------


def order_words(language: str) -> OrderWords:
    """The words of orders of one language."""
    return read_order_words(folder_of(language))


def plan_words(language: str) -> PlanWords:
    """The words of plans of one language."""
    return read_plan_words(folder_of(language if language in LANGUAGES else ENGLISH))


def say_orders(words: str, language: str) -> str:
    """The canonical text of actions in the words of a language."""
    return (
        words
        if language == ENGLISH or language not in LANGUAGES
        else translate_orders(words, order_words(language))
    )


Named = TypeVar("Named")
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


class _AnyName(Mapping[str, Named]):
    """Takes each word for a name but those that orders are made of."""

    def __init__(self, meant: Named, vocabulary: Vocabulary) -> None:
        self.meant = meant
        self.known = frozenset(
            word
            for words in (
                vocabulary.symbols,
                vocabulary.verbs,
                vocabulary.articles,
                vocabulary.own,
                vocabulary.passing,
                vocabulary.joining,
                vocabulary.following,
                vocabulary.give,
                vocabulary.taxes,
                vocabulary.cards,
                vocabulary.guards,
                vocabulary.points,
                vocabulary.turns,
            )
            for word in words
        )

    def __getitem__(self, word: str) -> Named:
        if word in self.known:
            raise KeyError(word)
        return self.meant

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __contains__(self, word: object) -> bool:
        return word not in self.known


@lru_cache(maxsize=1)
def _any_names(vocabulary: Vocabulary) -> BoardNames:
    return BoardNames({}, _AnyName(Space(0, 0), vocabulary), dict[str, Point](), {})


@lru_cache(maxsize=1)
def _words_of_orders(vocabulary: Vocabulary) -> frozenset[str]:
    """All words in which orders are told, but names."""
    spoken = (word for phrase in vocabulary.spoken for word in phrase)
    return _AnyName(None, vocabulary).known.union(spoken)


@lru_cache(maxsize=4096)
def is_told(line: str) -> bool:
    """Whether each part of a line tells orders, were all its unknown words with a capital names of places."""
    vocabulary = whole_lexicon().orders
    known = _words_of_orders(vocabulary)
    if not all(word[0].isupper() or word in known for word in WORD.findall(line)):
        return False
    names = _any_names(vocabulary)
    parts = [part.strip() for part in line.split(";") if part.strip()]
    return bool(parts) and all(read_told(part, {}, names, vocabulary) is not None for part in parts)
