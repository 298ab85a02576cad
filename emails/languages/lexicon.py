"""The lexicon of a reader: the words of their language and of English, merged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeVar

from emails.languages.supported_languages import ENGLISH, FOLDERS, LANGUAGES
from emails.languages.vocabularies import (
    AnswerPhrases,
    ChatWords,
    DateWords,
    TopicWords,
    VoteWords,
    read_dates,
    read_order_words,
    read_plan_words,
    read_remarks,
    read_requests,
    read_signs,
    read_topic_words,
    read_vote_words,
)
from emails.languages.vocabulary_files import Words, join_fields
from engine.board import Point, Space
from engine.notation.clauses import parse_sentences
from engine.notation.lexer import BoardNames, OrderWords, Vocabulary, compose_vocabulary, translate_orders
from engine.plans import PlanVocabulary, PlanWords


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    languages: tuple[str, ...]
    orders: Vocabulary
    shown: Mapping[str, str]
    """The kind of request of each phrase."""
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
    """Return the words in which the mails of a player are read, by the code of their language."""
    return _compose_lexicon(tuple(dict.fromkeys((ENGLISH, language))))


def whole_lexicon() -> Lexicon:
    """Return the words of all languages, for mails from unknown senders."""
    return _compose_lexicon(tuple(LANGUAGES))


@cache
def _compose_lexicon(languages: tuple[str, ...]) -> Lexicon:
    folders = [FOLDERS[language] for language in languages]
    requests = [read_requests(folder) for folder in folders]
    remarks = [read_remarks(folder) for folder in folders]
    return Lexicon(
        languages=languages,
        orders=compose_vocabulary([read_order_words(folder) for folder in folders], read_signs().cards),
        shown={phrase: kind for own in requests for kind, phrases in own.shown.items() for phrase in phrases},
        chat=join_fields(tuple(own.chat for own in requests)),
        answers=join_fields(tuple(own.answers for own in requests)),
        please=frozenset[str]().union(*(own.please for own in remarks)),
        numbers={  # the first language decides
            word: int(number)
            for own in reversed(remarks)
            for number, words in own.numbers.items()
            if number.isdigit()
            for word in words
        },
        plans=PlanVocabulary(tuple(read_plan_words(folder) for folder in folders)),
        dates=join_fields(tuple(map(read_dates, folders))),
        votes=join_fields(tuple(map(read_vote_words, folders))),
        topics=join_fields(tuple(map(read_topic_words, folders))),
    )


# --- orders in the language of a reader -------------------------------------------------------------------


def order_words(language: str) -> OrderWords:
    return read_order_words(FOLDERS[language])


def plan_words(language: str) -> PlanWords:
    return read_plan_words(FOLDERS[language if language in LANGUAGES else ENGLISH])


def say_orders(words: str, language: str) -> str:
    """Translate the canonical text of actions into the words of a language."""
    return (
        words
        if language == ENGLISH or language not in LANGUAGES
        else translate_orders(words, order_words(language))
    )


Named = TypeVar("Named")
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


class _AnyName(Mapping[str, Named]):
    """A mapping that takes every word for a name, except the words of orders."""

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
    spoken = (word for phrase in vocabulary.phrases for word in phrase)
    return _AnyName(None, vocabulary).known.union(spoken)


@lru_cache(maxsize=4096)
def reads_as_orders(line: str) -> bool:
    """Whether each part of a line reads as orders if its unknown words with a capital are names of places."""
    vocabulary = whole_lexicon().orders
    known = _words_of_orders(vocabulary)
    if not all(word[0].isupper() or word in known for word in WORD.findall(line)):
        return False
    names = _any_names(vocabulary)
    parts = [part.strip() for part in line.split(";") if part.strip()]
    return bool(parts) and all(parse_sentences(part, {}, names, vocabulary) is not None for part in parts)
