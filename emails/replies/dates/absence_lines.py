"""A line in which its writer tells that they are away, and from when till when.

Such a line says nothing else: prose in which somebody was away, or may be, is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from emails.languages.lexicon import Lexicon
from emails.languages.time_words import DateRole
from emails.languages.toml_tables import match_words
from emails.replies.dates.date_tokens import LONGEST, Token, clean_words, holds_dates, read_tokens
from emails.replies.dates.day_reader import TokenReader
from emails.replies.dates.periods import DateDoubt, DateQuestion, Period, read_period


def read_absence_line(line: str, lexicon: Lexicon) -> str | None:
    """The words that tell when its writer is away, empty where they tell no days; None of another line."""
    if len(line) > LONGEST or line.rstrip().endswith("?"):
        return None
    words = clean_words(line)
    dates = _find_dates(words, lexicon)
    if dates is None:
        return _find_return(words, lexicon)
    tokens = read_tokens(dates, lexicon)
    return None if tokens is None or _tells_less(words, tokens, lexicon) else dates


def _tells_less(words: str, tokens: Sequence[Token], lexicon: Lexicon) -> bool:
    """Whether a line with one day tells less than that somebody is away all of it: going, or an evening."""
    reader = TokenReader(tokens, lexicon.dates.written)
    if reader.take_day() is None or reader.rest:
        return False
    return _less_of(lexicon).search(_ahead_of(lexicon).sub(" ", words)) is not None


@lru_cache(maxsize=64)
def _less_of(lexicon: Lexicon) -> re.Pattern[str]:
    topics = lexicon.topics
    words = (*topics.going, *topics.free_from_work, *topics.hours_of_day)
    return re.compile(rf"(?<!\w)(?:{match_words(words)})(?!\w)")


@lru_cache(maxsize=64)
def _ahead_of(lexicon: Lexicon) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{match_words(lexicon.topics.ahead)})(?!\w)")


def seems_absence_line(line: str, lexicon: Lexicon) -> bool:
    """Whether a line that cannot be read tells of days on which its writer is away."""
    dates = _find_dates(clean_words(line), lexicon)
    return dates is not None and holds_dates(dates, lexicon)


def read_absence(dates: str, lexicon: Lexicon, today: date) -> Period | DateQuestion:
    """The days that such words tell, on a day of their writer's; or what has to be asked."""
    tokens = read_tokens(dates, lexicon)
    if tokens is None:
        return DateQuestion(DateDoubt.UNCLEAR)
    if not tokens:
        return DateQuestion(DateDoubt.NO_END)
    return read_period(tokens, today, lexicon.dates.written)


def _find_dates(words: str, lexicon: Lexicon) -> str | None:
    """What a line says beside that its writer is away; None where it does not say so."""
    for pattern in _patterns_of(lexicon):
        if found := pattern.fullmatch(words):
            return (found["dates"] or "").strip()
    return None


def _find_return(words: str, lexicon: Lexicon) -> str | None:
    """What a line says of the day on which its writer is there again: "back on Monday"; None: nothing."""
    dates = " ".join(_opening_of(lexicon).sub(" ", words).split())
    tokens = read_tokens(dates, lexicon) or ()
    returns = len(tokens) > 1 and any(one.kind is DateRole.RETURNING for one in tokens)
    return dates if returns else None


@lru_cache(maxsize=64)
def _opening_of(lexicon: Lexicon) -> re.Pattern[str]:
    words = (*lexicon.dates.opening, *lexicon.dates.beside)
    return re.compile(rf"(?<!\w)(?:{match_words(words)})(?!\w)")


@lru_cache(maxsize=64)
def _patterns_of(lexicon: Lexicon) -> tuple[re.Pattern[str], ...]:
    """A line that tells of days away: they stand behind it, within it or before it."""
    dates = lexicon.dates
    beside = rf"(?:(?:{match_words(dates.beside)}) )*"
    behind = rf"(?: (?:{match_words(dates.beside)}))*"
    opening, away = match_words(dates.opening), match_words(dates.away)
    told = match_words((*dates.away, *dates.told))
    lines = (
        rf"{beside}(?:(?:{away})|(?:{opening}) {beside}(?:{told})){behind}(?P<dates> .+?)??{behind}",
        rf"{beside}(?:{opening}) {beside}(?P<dates>.+?) {beside}(?:{told}){behind}",
        rf"{beside}(?P<dates>.+?) {beside}(?:(?:{opening}) {beside}(?:{told})|(?:{away})){behind}",
    )
    return tuple(re.compile(line) for line in lines)
