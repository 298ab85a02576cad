"""A bare answer to the question when somebody is away: "the 4th", "Friday", "for two weeks".

Only the letter that asked gives it a meaning: a day alone is the last one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from emails.languages.lexicon import Lexicon
from emails.languages.time_words import DateRole
from emails.languages.toml_tables import match_words
from emails.replies.dates.absence_lines import read_absence_line
from emails.replies.dates.date_tokens import LONGEST, Token, clean_words, read_tokens
from emails.replies.dates.day_reader import TokenReader
from emails.replies.dates.days import WholeDate
from emails.replies.dates.periods import (
    FARTHEST,
    DateDoubt,
    DateQuestion,
    Period,
    SaidPeriod,
    decide,
    find_meanings,
    read_period,
    read_said_period,
    read_stretch,
)

LONGEST_DAY = 3
"""Words of a day within others: "14 March 2027"."""


@dataclass(frozen=True, slots=True)
class DaysAsked:
    """What a letter asks of somebody's days away, so that a day alone can answer it."""

    firsts: tuple[date, ...] = ()
    """The first day, as they have told it; several where it can mean several; none: that of their answer."""
    alone: bool = False
    """Whether a day alone can be the only one too: the letter asks for all of the days."""


def days_asked(question: DateQuestion) -> DaysAsked:
    """What is asked where days that somebody told are not certain."""
    match question.doubt:
        case DateDoubt.NO_END:
            return DaysAsked(question.firsts)
        case DateDoubt.SEVERAL:
            return DaysAsked(tuple(sorted({one.first for one in question.meanings})))
        case _:
            return DaysAsked(alone=True)


def read_days_answer(
    line: str, lexicon: Lexicon, asked: DaysAsked, today: date
) -> Period | DateQuestion | None:
    """The days that a line tells in answer to what is asked; None where it says anything but days."""
    if len(line) > LONGEST or line.rstrip().endswith("?"):
        return None
    in_sentence = read_absence_line(line, lexicon)
    words = _words_of_answer(line, lexicon) if in_sentence is None else in_sentence
    tokens = read_tokens(words, lexicon)
    if not tokens:
        return None
    if read_stretch(TokenReader(tokens, lexicon.dates.written)) is not None:
        return DateQuestion(DateDoubt.UNCLEAR)  # "next week": until it begins, or until it ends
    said = _read_end_alone(tokens, lexicon, bare=in_sentence is None)
    if said is None:
        return read_period(tokens, today, lexicon.dates.written)
    found = decide(_meanings(said, asked, today), today)
    named = said.last is not None and not isinstance(said.last, WholeDate)
    if isinstance(found, Period) and named and (found.last - found.first).days > FARTHEST:
        return DateQuestion(DateDoubt.PASSED)  # "3 March", the week after
    return found


def holds_day(line: str, lexicon: Lexicon) -> bool:
    """Whether some words of a line tell a day: a month alone may be an order, as to march is."""
    words = _words_of_answer(line, lexicon).split()
    for begins in range(len(words)):
        for length in range(1, LONGEST_DAY + 1):
            tokens = read_tokens(" ".join(words[begins : begins + length]), lexicon)
            reader = TokenReader(tokens or (), lexicon.dates.written)
            if reader.take_day() is not None and not reader.rest:
                return True
    return False


def _read_end_alone(tokens: tuple[Token, ...], lexicon: Lexicon, *, bare: bool) -> SaidPeriod | None:
    """A last day, or a length of time, and nothing before it; None where a first day is told too.

    `bare`: whether a day alone is a last one; "I am away on Friday" tells all of it.
    """
    reader = TokenReader(tokens, lexicon.dates.written)
    said = read_said_period(reader)
    if said is None or reader.rest or (said.last is None and not said.number):
        return None
    if said.first is None:
        return said
    return replace(said, first=None) if bare and said.first is said.last else None


def _meanings(said: SaidPeriod, asked: DaysAsked, today: date) -> Iterator[Period]:
    """The days that it can mean, from each first day that was told on."""
    if not asked.firsts:
        yield from find_meanings(said, today)
    for first in asked.firsts:
        yield from find_meanings(replace(said, first=WholeDate(first)), today)
    if asked.alone and said.last is not None:
        yield from find_meanings(replace(said, first=said.last), today)


def _words_of_answer(line: str, lexicon: Lexicon) -> str:
    """A line without courtesies, and with the numbers of days as numbers."""
    dates = lexicon.dates
    aside = match_words((*dates.beside, *lexicon.please))
    words = re.sub(rf"(?<!\w)(?:{aside})(?!\w)", " ", clean_words(line))
    ordinals = match_words(tuple(dates.ordinals))
    ending = dates.endings[0]
    words = re.sub(
        rf"(?<![\w-])(?:{ordinals})(?![\w-])", lambda found: f"{dates.ordinals[found[0]]}{ending}", words
    )
    return " ".join(_part_day(word, lexicon) for word in words.split())


def _part_day(word: str, lexicon: Lexicon) -> str:
    """A weekday written as one with a part of it, as two words: "zondagavond"."""
    known = lexicon.dates.words
    for day, meaning in known.items():
        rest = word.removeprefix(day)
        if meaning.role is DateRole.WEEKDAY and rest != word and rest in known:
            return f"{day} {rest}" if known[rest].role is DateRole.SKIPPED else word
    return word
