"""The sentences of a mail, and which phrases and dates stand in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from emails.languages.lexicon import Lexicon
from emails.languages.time_words import DateRole
from emails.languages.toml_tables import Phrases, match_words
from emails.replies.dates.days import DASHES, holds_dates, read_tokens
from emails.replies.remarks.remark_words import SMILEY

MOST_SENTENCES, LONGEST_SENTENCE = 12, 240
"""Of a mail in which requests are looked for."""
REACH = 4
"""Words in front of another within which one negates it."""
SENTENCE_END = re.compile(r"(?<=[^\W_])[.!]+(?=\s|$)|[!?…]+|\.{2,}|\n")
JOINING = (DateRole.AND, DateRole.SKIPPED)
DOTTED = re.compile(r"\b(\d{1,2})\.(?=\s+[^\W\d_])|\b([a-z])\.(?=[a-z]\.)|(?<=\b[a-z])\.(?=\s|$)")


@dataclass(frozen=True, slots=True)
class RequestSentence:
    """A sentence in small letters, without its signs."""

    words: str
    asks: bool
    trails: bool
    """Whether dots stand behind it."""


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


# --- dates ----------------------------------------------------------------------------------------------


def part_dates(words: str, lexicon: Lexicon) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The runs of words that tell dates, and the words that are none of dates; these end a run."""
    runs: list[list[str]] = [[]]
    others: list[str] = []
    for piece in _pieces_of(lexicon).findall(words):
        if piece in lexicon.dates.words or read_tokens(piece, lexicon):
            runs[-1].append(piece)
            continue
        runs.append([])
        if re.search(r"\w", piece):
            others.append(piece)
    told = _telling(runs, lexicon)
    homonyms = lexicon.topics.homonyms
    others += [run for run in told if run in homonyms]
    return tuple(run for run in told if run not in homonyms), tuple(others)


def _telling(runs: Sequence[list[str]], lexicon: Lexicon) -> list[str]:
    """The runs that tell dates, without the words at their ends that join, or begin a place: "in Spain"."""
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
    """What matches one piece of a sentence: the longest phrase of dates, or one word."""
    return re.compile(rf"(?<![\w'])(?:{match_words(tuple(lexicon.dates.words))})(?![\w'])|[()]|[^\s()]+")
