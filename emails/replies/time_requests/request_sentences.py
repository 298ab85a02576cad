"""Sentences about time cut into pieces: phrases that are known, dates, names, and words that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from emails.languages.dates import DateRole
from emails.languages.lexicon import Lexicon
from emails.languages.toml_tables import Phrases, match_words
from emails.replies.dates.date_tokens import DASHES, holds_dates, read_tokens
from emails.replies.remarks.sentences import SMILEY

MOST_SENTENCES, LONGEST_SENTENCE = 12, 240
"""Of a mail in which requests are looked for."""
SENTENCE_END = re.compile(r"(?<=[^\W_])[.!]+(?=\s|$)|[!?…]+|\.{2,}|\n")
DOTTED = re.compile(r"\b(\d{1,2})\.(?=\s+[^\W\d_])|\b([a-z])\.(?=[a-z]\.)|(?<=\b[a-z])\.(?=\s|$)")


@dataclass(frozen=True, slots=True)
class RequestSentence:
    """A sentence in small letters, without its signs."""

    words: str
    asks: bool
    trails: bool
    """Whether dots stand behind it."""


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left of a sentence where known phrases are taken out."""

    found: Collection[str]
    """The phrases."""
    words: tuple[str, ...]
    """The words that are none of them and no dates."""
    dates: tuple[str, ...]
    """The runs of words that tell dates."""
    bracketed: tuple[str, ...] = ()
    """Those of them that stand in brackets."""


def cut_sentences(lines: Sequence[str]) -> list[RequestSentence] | None:
    """The sentences of some lines; None where there are more than anybody writes about their time."""
    text = re.sub(r"(?<=[^\W\d_,])\n(?=[a-z(])|(?<=,)\n", " ", "\n".join(lines))  # a line that was wrapped
    found: list[RequestSentence] = []
    start = 0
    text = DOTTED.sub(lambda one: one[1] or one[2] or "", text.replace("\u2019", "'"))
    for end in [*SENTENCE_END.finditer(text), None]:
        words = text[start : len(text) if end is None else end.start()]
        sign = "" if end is None else end.group()
        plain = _clean(words)
        if plain and (re.search(r"\w", plain) or plain.startswith("+")):
            found.append(RequestSentence(plain, "?" in sign, ".." in sign or "…" in sign))
        elif found and "?" in sign:
            found[-1] = RequestSentence(found[-1].words, True, found[-1].trails)
        start = 0 if end is None else end.end()
    if len(found) > MOST_SENTENCES or any(len(one.words) > LONGEST_SENTENCE for one in found):
        return None
    return found


def _clean(words: str) -> str:
    words = DASHES.sub(" - ", SMILEY.sub(" ", words).casefold())
    words = re.sub(r"[;!\"“”„*_]|(?<=\D):|:(?=\D)|:$", " ", words)
    words = re.sub(r"\s*,\s*", " , ", words).strip(" ,")
    return " ".join(words.split())


def holds(words: str, phrases: Phrases) -> bool:
    """Whether one of some phrases stands among words."""
    return bool(phrases) and _holding(phrases).search(words) is not None


def begins(words: str, phrases: Phrases) -> bool:
    """Whether words begin with one of some phrases."""
    found = _holding(phrases).match(words) if phrases else None
    return found is not None


@lru_cache(maxsize=512)
def _holding(phrases: Phrases) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{match_words(phrases)})(?![\w'])")


def take_out(words: str, phrases: Phrases, lexicon: Lexicon, names: Collection[str] = ()) -> Remainder:
    """What is left of words without some phrases and names, and without the runs that tell dates.

    A word that stands among the phrases and in dates is one of dates. A comma, a bracket or a word that
    nobody knows ends a run.
    """
    found: list[str] = []
    left: list[str] = []
    runs: list[list[str]] = [[]]
    within: list[list[str]] = []
    depth = 0
    for match in _pattern_of(phrases, lexicon).finditer(words):
        piece = match.group()
        known = match["known"] is not None
        if piece in lexicon.dates.words or (not known and read_tokens(piece, lexicon)):
            runs[-1].append(piece)
            continue
        if known:
            found.append(piece)
            continue
        if piece not in names and re.search(r"\w", piece):
            left.append(piece)
        depth += (piece == "(") - (piece == ")")
        runs.append([])
        if depth > 0:
            within.append(runs[-1])
    bracketed = [run for run in runs if any(run is one for one in within)]
    told, inside = (_telling(some, lexicon) for some in (runs, bracketed))
    return Remainder(tuple(found), tuple(left), told, inside)


def _telling(runs: Sequence[list[str]], lexicon: Lexicon) -> tuple[str, ...]:
    """The runs that tell dates, without the words at their ends that join."""
    found = []
    for run in runs:
        joins = [_joins(word, lexicon) for word in run]
        begin = next((at for at, join in enumerate(joins) if not join), len(run))
        hangs = [joins[at] or _is_within(word, lexicon) for at, word in enumerate(run)]
        end = next((at for at in range(len(run), begin, -1) if not hangs[at - 1]), begin)
        found.append(" ".join(run[begin:end]))
    return tuple(run for run in found if run not in lexicon.topics.homonyms and holds_dates(run, lexicon))


def _joins(word: str, lexicon: Lexicon) -> bool:
    known = lexicon.dates.words.get(word)
    return known is not None and known.role in (DateRole.AND, DateRole.SKIPPED)


def _is_within(word: str, lexicon: Lexicon) -> bool:
    """Whether a word behind all dates tells of a place: "ten days in Spain"."""
    known = lexicon.dates.words.get(word)
    return known is not None and known.role is DateRole.IN


@lru_cache(maxsize=512)
def _pattern_of(phrases: Phrases, lexicon: Lexicon) -> re.Pattern[str]:
    """What matches one piece of a sentence: the longest phrase, or one word."""
    every = tuple(dict.fromkeys((*phrases, *lexicon.dates.words)))
    return re.compile(rf"(?<![\w'])(?P<known>{match_words(every)})(?![\w'])|[()]|[^\s()]+")
