"""The words in which somebody's mails are read: those of their language and of English, put together.

Orders and requests are looked for in these two alone, so that no word of a third language is taken for one of
theirs. Courtesies and doubts are known in every language, whoever writes (replies/remarks): people greet each
other in that of the other, and what could take an order back is better seen once too often.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from emails.languages.dates import DateWords, join_dates, read_dates
from emails.languages.order_words import read_order_words
from emails.languages.plan_vocabulary import read_plan_words
from emails.languages.remark_grammar import read_remark_grammar
from emails.languages.request_phrases import (
    AnswerPhrases,
    ChatWords,
    read_requests,
)
from emails.languages.shared_signs import read_signs
from emails.languages.supported_languages import ENGLISH, LANGUAGES, folder_of
from emails.languages.toml_tables import Words, join_fields
from emails.languages.topic_words import TopicWords, read_topic_words
from emails.languages.vote_words import VoteWords, read_vote_words
from engine.notation.lexer import OrderWords, Vocabulary, compose_vocabulary, translate_orders
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
