"""Clauses of a mail about time, and which words about time by what they do stand in each."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
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


def strange_words(
    clause: TopicClause, lexicon: Lexicon, names: Collection[str], before: Phrases
) -> list[str]:
    """The words of a clause that nobody knows, beside a few behind some words: "to New Zealand"."""
    known, free = _plain_words(lexicon), 0
    found: list[str] = []
    for word in re.findall(r"[^\W\d_][\w'/-]*", clause.words):
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
    topics = lexicon.topics
    beside = frozenset(
        ("others", "hedge", "partly", "past", "greeting", "telling_when", "automatic", "any_day")
    )
    own = [getattr(topics, field.name) for field in fields(topics) if field.name not in beside]
    lists = (*own, tuple(lexicon.dates.words), tuple(lexicon.numbers))
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
    topics = lexicon.topics
    spelt = (
        *(topics.absent, topics.returned, topics.cancelling, topics.absence, topics.extending),
        *(topics.pausing, topics.resuming, topics.nudging, topics.night, topics.time, topics.play),
        *(topics.extended, topics.wish, topics.dropping, topics.leaving_game, topics.negation),
        *(topics.past, topics.weekly, topics.others, topics.aside),
        *(tuple(lexicon.dates.words), tuple(lexicon.numbers)),
    )
    return frozenset(
        word.rstrip("*")
        for some in spelt
        for one in some
        for word in one.split()
        if len(word.rstrip("*")) > 3
    )
