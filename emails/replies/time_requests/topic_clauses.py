"""Clauses of a mail about time, and which words about time by what they do stand in each."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import lru_cache

from emails.languages.lexicon import Lexicon
from emails.languages.toml_tables import Phrases
from emails.replies.time_requests.request_sentences import RequestSentence

SHORTEST_MISSPELT = 6
"""Letters of a word that is read with a mistake in it."""
ALIKE = 0.83
QUOTED = re.compile(
    '["\u201c\u201d\u201e\u00ab\u00bb\u2018][^"\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019]{2,200}["\u201c\u201d\u201e\u00ab\u00bb\u2019]'
    r"|https?://\S+|\S+@\S+"
)
PARTED = re.compile(
    r"\s*(?:,|\(|\)|\s-\s|\b(?:so|but|because|as|since|and|although|dus|maar|want|omdat|en|al|terwijl)\b)\s*"
)
PARTICLE = re.compile(r"\b(?:nog|toch|laat) maar\b|\bmaar (?=een|even|eens|weer|over|wat|zitten|vallen)")
"""A word that parts no clauses there, though it does elsewhere."""
MOST_BEHIND = 3
"""Words behind another that tell where somebody goes."""
REACH = 4
"""Words in front of another within which one negates it."""


@dataclass(frozen=True, slots=True)
class TopicClause:
    """A part of a sentence, in small letters, with its misspelt words as they are spelt."""

    words: str
    sentence: str
    """That in which it stands."""
    asks: bool


def cut_clauses(
    sentences: Sequence[RequestSentence], lexicon: Lexicon, names: Collection[str]
) -> list[TopicClause]:
    """The clauses of some sentences; what is quoted is left out by `without_quotations`."""
    found: list[TopicClause] = []
    for one in sentences:
        spelt = spell(one.words, lexicon, names)
        parts = (part.strip() for part in PARTED.split(_without_particles(spelt)))
        found.extend(TopicClause(part, spelt, one.asks) for part in parts if part)
    return found


def _without_particles(words: str) -> str:
    return " ".join(PARTICLE.sub(lambda found: found.group().replace("maar", ""), words).split())


def without_quotations(lines: Sequence[str]) -> list[str]:
    """Lines without what stands in quotation marks, and without addresses."""
    return [QUOTED.sub(" ", line) for line in lines]


def has(words: str, phrases: Phrases) -> bool:
    """Whether one of some phrases stands among words."""
    return _pattern_of(phrases).search(words) is not None


def without(words: str, phrases: Phrases) -> str:
    """Words without some phrases."""
    return " ".join(_pattern_of(phrases).sub(" ", words).split())


def places_of(words: str, phrases: Phrases) -> Iterator[int]:
    """The numbers of the words at which one of some phrases begins."""
    for found in _pattern_of(phrases).finditer(words):
        yield len(words[: found.start()].split())


def negates(words: str, negation: Phrases, phrases: Phrases, *, behind: bool = True) -> bool:
    """Whether a negation stands by one of some phrases: shortly before it, or right behind it."""
    negated = list(places_of(words, negation))
    for at in places_of(words, phrases):
        if any(0 < at - one <= REACH or (behind and 0 < one - at <= 2) for one in negated):
            return True
    return False


@lru_cache(maxsize=512)
def _pattern_of(phrases: Phrases) -> re.Pattern[str]:
    longest = sorted(phrases, key=lambda one: (-len(one), one))
    written = (r"\w+(?: \w+)?" if one == "*" else one for one in map(_escape, longest))
    return re.compile(rf"(?<![\w'])(?:{'|'.join(written) or '(?!)'})(?![\w'])")


def _escape(phrase: str) -> str:
    """A phrase as a pattern: "a*" is a word that begins so, a star alone is a word or two."""
    pieces = (
        r"\w+(?: \w+)?" if one == "*" else re.escape(one).replace(r"\*", r"\w*") for one in phrase.split()
    )
    return " ".join(pieces)


def strange_words(
    clause: TopicClause, lexicon: Lexicon, names: Collection[str], before: Phrases
) -> list[str]:
    """The words of a clause that nobody knows, beside a few behind some words: "to New Zealand"."""
    known, free = _plain_words(lexicon), 0
    found: list[str] = []
    for word in re.findall(r"[^\W\d_][\w'-]*", clause.words):
        if word in before:
            free = MOST_BEHIND
        elif word in names or known.fullmatch(word):
            free = 0
        elif free:
            free -= 1
        else:
            found.append(word)
    return found


@lru_cache(maxsize=64)
def _plain_words(lexicon: Lexicon) -> re.Pattern[str]:
    """What matches a word that tells something about time, or nothing at all."""
    topics, time_requests = lexicon.topics, lexicon.time_requests
    beside = frozenset(("others", "addressed", "hedge", "partly", "past", "greeting", "telling_when"))
    beside |= frozenset(("is_verb", "any_day", "until_then", "likely_free"))
    own = [getattr(topics, field.name) for field in fields(topics) if field.name not in beside]
    lists = (
        *own,
        time_requests.own,
        time_requests.aside,
        time_requests.amount,
        topics.addressed,
        tuple(lexicon.dates.words),
        tuple(lexicon.numbers),
    )
    words = {word for some in lists for one in some for word in one.split() if word != "*"}
    return re.compile(
        "|".join(sorted((re.escape(one).replace(r"\*", r"\w*") for one in words), reverse=True))
    )


# --- misspelt words -------------------------------------------------------------------------------------


def spell(words: str, lexicon: Lexicon, names: Collection[str]) -> str:
    """Words with the long ones that nobody knows as the known ones that they are nearly."""
    known = _known_words(lexicon)
    return " ".join(_spell_word(one, known, names) for one in words.split())


def _spell_word(word: str, known: frozenset[str], names: Collection[str]) -> str:
    if len(word) < SHORTEST_MISSPELT or not word.isalpha() or word in known or word in names:
        return word
    if any(word.startswith(one) for one in known if len(one) >= SHORTEST_MISSPELT - 1):
        return word  # another form of a word that is known
    alike = [one for one in known if one[0] == word[0] and abs(len(one) - len(word)) <= 1 and len(one) > 4]
    return next(iter(get_close_matches(word, sorted(alike), 1, cutoff=ALIKE)), word)


@lru_cache(maxsize=64)
def _known_words(lexicon: Lexicon) -> frozenset[str]:
    """Every word that tells anything about time."""
    topics, time_requests = lexicon.topics, lexicon.time_requests
    lists = (
        *(
            topics.absent,
            topics.returned,
            topics.cancelling,
            topics.absence,
            topics.extending,
            topics.pausing,
        ),
        *(
            topics.resuming,
            topics.nudging,
            topics.night,
            topics.time,
            topics.play,
            topics.extended,
            topics.wish,
        ),
        *(topics.dropping, topics.leaving_game, topics.negation, topics.past, topics.weekly, topics.others),
        *(
            time_requests.aside,
            time_requests.own,
            time_requests.absent,
            tuple(lexicon.dates.words),
            tuple(lexicon.numbers),
        ),
    )
    return frozenset(
        word.rstrip("*")
        for some in lists
        for one in some
        for word in one.split()
        if len(word.rstrip("*")) > 3
    )
