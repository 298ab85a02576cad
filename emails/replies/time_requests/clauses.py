"""Sentences and clauses of a mail about time or a vote, with their phrases, dates and names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from enum import StrEnum
from functools import lru_cache

from emails.languages.lexicon import DateRole, Lexicon, TopicWords
from emails.languages.supported_languages import Phrases, match_words
from emails.replies.remarks import APOSTROPHES, SMILEY, cut_at
from emails.replies.time_requests.absences import DateQuestion
from emails.replies.time_requests.days import DASHES, holds_dates, part_day, read_tokens
from emails.wording.requests import Request

MOST_SENTENCES, LONGEST_SENTENCE = 12, 240
REACH = 4
SENTENCE_END = re.compile(r"((?<=[^\W_])[.!]+(?=\s|$)|[!?…]+|\.{2,}|\n)")
JOINING = (DateRole.AND, DateRole.SKIPPED)
DOTTED = re.compile(r"\b(\d{1,2})\.(?=\s+[^\W\d_])|\b([a-z])\.(?=[a-z]\.)|(?<=\b[a-z])\.(?=\s|$)")


@dataclass(frozen=True, slots=True)
class RequestSentence:
    words: str
    asks: bool
    trails: bool


def cut_sentences(lines: Sequence[str]) -> list[RequestSentence] | None:
    """Split lines into sentences; None if there are too many for a mail about time."""
    text = re.sub(r"(?<=[^\W\d_,])\n(?=[a-z(])|(?<=,)\n", " ", "\n".join(lines))  # join wrapped lines
    text = DOTTED.sub(lambda one: one[1] or one[2] or "", text.translate(APOSTROPHES))
    found: list[RequestSentence] = []
    for words, sign in cut_at(SENTENCE_END, text):
        plain = _clean(words)
        if plain and (re.search(r"\w", plain) or plain.startswith("+")):
            found.append(RequestSentence(plain, "?" in sign, ".." in sign or "…" in sign))
        elif found and "?" in sign:
            found[-1] = RequestSentence(found[-1].words, True, found[-1].trails)
    if len(found) > MOST_SENTENCES or any(len(one.words) > LONGEST_SENTENCE for one in found):
        return None
    return found


def _clean(words: str) -> str:
    words = DASHES.sub(" - ", SMILEY.sub(" ", words).casefold())
    words = re.sub(r"[!\"“”„*_]|(?<=\D):|:(?=\D)|:$", " ", words)
    words = re.sub(r"\s*[,;]\s*", " , ", words).strip(" ,")
    return " ".join(words.split())


def has(words: str, phrases: Phrases) -> bool:
    return _pattern_of(phrases).search(words) is not None


def without(words: str, phrases: Phrases) -> str:
    return " ".join(_pattern_of(phrases).sub(" ", words).split())


def places_of(words: str, phrases: Phrases) -> Iterator[int]:
    for found in _pattern_of(phrases).finditer(words):
        yield len(words[: found.start()].split())


def begins(words: str, phrases: Phrases) -> bool:
    return next(places_of(words, phrases), 1) == 0


def negates(words: str, negation: Phrases, phrases: Phrases, *, behind: bool = True) -> bool:
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
    """Convert a phrase to a pattern: "a*" is a word that begins with "a", "*" alone is one or two words."""
    pieces = (
        r"\w+(?: \w+)?" if one == "*" else re.escape(one).replace(r"\*", r"\w*") for one in phrase.split()
    )
    return " ".join(pieces)


# --- dates ----------------------------------------------------------------------------------------------


def split_dates(words: str, lexicon: Lexicon) -> tuple[tuple[str, ...], tuple[str, ...]]:
    runs: list[list[str]] = [[]]
    others: list[str] = []
    for piece in _pieces_of(lexicon).findall(words):
        if piece in lexicon.dates.words or read_tokens(piece, lexicon):
            runs[-1].append(piece)
            continue
        runs.append([])
        if re.search(r"\w", piece):
            others.append(piece)
    dated = _date_runs(runs, lexicon)
    homonyms = lexicon.topics["homonyms"]
    others += [run for run in dated if run in homonyms]
    return tuple(run for run in dated if run not in homonyms), tuple(others)


def _date_runs(runs: Sequence[list[str]], lexicon: Lexicon) -> list[str]:
    found = []
    for run in runs:
        begin, end = 0, len(run)
        while begin < end and _role_of(run[begin], lexicon) in JOINING:
            begin += 1
        while begin < end and _role_of(run[end - 1], lexicon) in (*JOINING, DateRole.IN):
            end -= 1
        found.append(" ".join(run[begin:end]))
    return [run for run in found if holds_dates(run, lexicon)]


def _role_of(word: str, lexicon: Lexicon) -> DateRole | None:
    known = lexicon.dates.words.get(word)
    return None if known is None else known.role


@lru_cache(maxsize=64)
def _pieces_of(lexicon: Lexicon) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{match_words(tuple(lexicon.dates.words))})(?![\w'])|[()]|[^\s()]+")


SHORTEST_MISSPELT = 6
ALIKE = 0.83
QUOTED = re.compile(
    '["\u201c\u201d\u201e\u00ab\u00bb\u2018][^"\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019]{2,200}["\u201c\u201d\u201e\u00ab\u00bb\u2019]'
    r"|https?://\S+|\S+@\S+"
)
PARTED = re.compile(
    r"\s*(?:,|\(|\)|\s-\s|\b(?:so|but|because|as|since|and|although|dus|maar|want|omdat|en|al|terwijl)\b)\s*"
)
PARTICLE = re.compile(r"\b(?:nog|toch|laat) maar\b|\bmaar (?=een|even|eens|weer|over|wat|zitten|vallen)")
"""The Dutch "maar" where it does not separate clauses."""
MOST_BEHIND = 3


@dataclass(frozen=True, slots=True)
class TopicClause:
    words: str
    sentence: str
    asks: bool


def cut_clauses(
    sentences: Sequence[RequestSentence], lexicon: Lexicon, names: Collection[str]
) -> list[TopicClause]:
    """Split sentences into clauses; the caller removes quotations first (`without_quotations`)."""
    known = _known_words(lexicon)
    found: list[TopicClause] = []
    for one in sentences:
        spelt = " ".join(part_day(_spell_word(word, known, names), lexicon) for word in one.words.split())
        joined = PARTICLE.sub(lambda phrase: phrase[0].replace("maar", ""), spelt)
        parts = (part.strip() for part in PARTED.split(" ".join(joined.split())))
        found.extend(TopicClause(part, spelt, one.asks) for part in parts if part)
    return found


def without_quotations(lines: Sequence[str]) -> list[str]:
    return [QUOTED.sub(" ", line) for line in lines]


def strange_words(
    clause: TopicClause, lexicon: Lexicon, names: Collection[str], before: Phrases
) -> list[str]:
    """Return the unknown words of a clause, except up to three after a word of `before`: "to New Zealand"."""
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
    topics = lexicon.topics
    beside = frozenset(
        ("others", "hedge", "partly", "past", "greeting", "telling_when", "automatic", "any_day")
    )
    own = (phrases for topic, phrases in topics.items() if topic not in beside)
    lists = (*own, tuple(lexicon.dates.words), tuple(lexicon.numbers))
    words = {word for some in lists for one in some for word in one.split() if word != "*"}
    return re.compile(
        "|".join(sorted((re.escape(one).replace(r"\*", r"\w*") for one in words), reverse=True))
    )


# --- misspelt words -------------------------------------------------------------------------------------


def _spell_word(word: str, known: frozenset[str], names: Collection[str]) -> str:
    if len(word) < SHORTEST_MISSPELT or not word.isalpha() or word in known or word in names:
        return word
    if any(word.startswith(one) for one in known if len(one) >= SHORTEST_MISSPELT - 1):
        return word  # an inflected form of a known word
    alike = [one for one in known if one[0] == word[0] and abs(len(one) - len(word)) <= 1 and len(one) > 4]
    return next(iter(get_close_matches(word, sorted(alike), 1, cutoff=ALIKE)), word)


@lru_cache(maxsize=64)
def _known_words(lexicon: Lexicon) -> frozenset[str]:
    topics = lexicon.topics
    spelt = (
        *(topics["absent"], topics["returned"], topics["cancelling"], topics["absence"], topics["extending"]),
        *(
            topics["pausing"],
            topics["resuming"],
            topics["nudging"],
            topics["night"],
            topics["time"],
            topics["play"],
        ),
        *(topics["extended"], topics["wish"], topics["dropping"], topics["leaving_game"], topics["negation"]),
        *(topics["past"], topics["weekly"], topics["others"], topics["aside"]),
        *(tuple(lexicon.dates.words), tuple(lexicon.numbers)),
    )
    return frozenset(
        word.rstrip("*")
        for some in spelt
        for one in some
        for word in one.split()
        if len(word.rstrip("*")) > 3
    )


@dataclass(frozen=True, slots=True)
class Speaker:
    own: frozenset[str]
    others: frozenset[str]
    mover: frozenset[str]
    today: date
    paused: bool = False

    @property
    def moves(self) -> bool:
        return bool(self.own & self.mover)


@dataclass(frozen=True, slots=True)
class TopicGuess:
    """Possible requests in a mail; `doubt`: why the days of an absence are unclear."""

    meanings: tuple[Request, ...] = ()
    """Possible requests, the best first."""
    doubt: DateQuestion | None = None
    absences: tuple[Request, ...] = ()
    """Absences that the days in the mail may mean, although none of its words speaks of an absence."""
    clauses: tuple[TopicClause, ...] = ()
    plain: bool = False

    @property
    def is_about_time(self) -> bool:
        return bool(self.meanings) or self.doubt is not None


def is_named(name: str, words: Sequence[str], topics: TopicWords) -> bool:
    """True if an ordinary word is used as a name: in "Ben is", but not in "ik ben"."""
    padded = (",", *words, ",")
    for before, one, after in zip(padded, padded[1:], padded[2:], strict=False):
        if one == name:
            opens = before == "," and after not in topics["third"]
            if not (opens or before in topics["own"] or after in topics["own"]):
                return True
    return False


class TopicMail:
    def __init__(self, clauses: Sequence[TopicClause], lexicon: Lexicon, speaker: Speaker) -> None:
        self.lexicon, self.speaker, self.words = lexicon, speaker, lexicon.topics
        self.all = clauses
        self.clauses = [one for one in clauses if not has(one.words, lexicon.topics["past"])]

    def is_own(self, clause: TopicClause) -> bool:
        """True if a clause is about the writer, or about no person."""
        own = has(clause.words, self.words["own"]) or self.names(clause.words) & self.speaker.own
        return bool(own) or not (self.is_others(clause.words))

    def is_others(self, words: str) -> bool:
        return has(words, self.words["others"]) or bool(self.names(words) & self.speaker.others)

    def names(self, words: str) -> set[str]:
        every = words.split()
        plain = {one.removesuffix("'s").removesuffix("s'") for one in every} | set(every)
        found = plain & (self.speaker.own | self.speaker.others)
        return {one for one in found if one not in self.words["small"] or is_named(one, every, self.words)}

    def names_writer(self, clause: TopicClause) -> bool:
        return has(clause.words, self.words["own"])

    def negated(self, clause: TopicClause, words: tuple[str, ...], *, behind: bool = True) -> bool:
        return negates(clause.words, self.words["negation"], words, behind=behind)

    def dates_of(self, words: str) -> tuple[str, ...]:
        return split_dates(words, self.lexicon)[0]


class SaidAnswer(StrEnum):
    AGREES = "agrees"
    DECLINES = "declines"
    UNCLEAR = "unclear"
    """About the vote, but neither a clear yes nor a clear no."""


def read_vote_answer(lines: Sequence[str], lexicon: Lexicon, names: frozenset[str]) -> SaidAnswer | None:
    """Return the answer to a vote in lines of a mail; None if they are not about the vote.

    `names`: the words of all players' names, in lower case.
    """
    own = lexicon.votes
    sentences = cut_sentences([line.replace(",", " ") for line in lines]) or []
    agrees = [_consists_of(one, own["agree"], lexicon, names) for one in sentences]
    declines = [_consists_of(one, own["decline"], lexicon, names) for one in sentences]
    depends = any(has(one.words, own["depends"]) or one.asks or one.trails for one in sentences)
    if not any(agrees) and not any(declines):
        begins = any(has(one.words, (*own["agree"], *own["decline"])) for one in sentences[:1])
        return SaidAnswer.UNCLEAR if begins or depends else None
    if any(agrees) == any(declines) or depends:
        return SaidAnswer.UNCLEAR
    others = [one for one, yes in zip(sentences, agrees, strict=True) if not yes]
    if any(declines):
        return SaidAnswer.DECLINES
    turned = any(has(one.words, (*lexicon.topics["negation"], *own["doubt"])) for one in others)
    return SaidAnswer.UNCLEAR if turned else SaidAnswer.AGREES


def says_by_sign(lines: Sequence[str], lexicon: Lexicon) -> bool:
    """True if the first line of a mail is only a sign of agreement, such as a thumbs-up."""
    first = next((line.strip() for line in lines if line.strip()), "")
    return first in lexicon.votes["agree"] and re.search(r"\w", first) is None


def _consists_of(
    sentence: RequestSentence, phrases: Phrases, lexicon: Lexicon, names: frozenset[str]
) -> bool:
    left = without(sentence.words, (*phrases, *lexicon.topics["aside"], *lexicon.votes["agree_aside"]))
    return has(sentence.words, phrases) and names.issuperset(re.findall(r"\w[\w']*", left))
