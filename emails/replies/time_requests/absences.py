"""Absences: the days from which until which somebody is away, in a line or in a bare answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import lru_cache

from emails.languages.lexicon import Lexicon
from emails.languages.vocabularies import DateRole
from emails.languages.vocabulary_files import match_words
from emails.replies.time_requests.days import (
    A_DAY,
    A_WEEK,
    LONGEST,
    DayOfMonth,
    PeriodEnd,
    SaidDay,
    SaidWeekday,
    Token,
    TokenKind,
    TokenReader,
    WholeDate,
    add_length,
    clean_words,
    holds_dates,
    last_of_month,
    next_monday,
    read_tokens,
)

FARTHEST = 300
"""Days: a date without its year that next comes later than that has rather passed."""
LONGEST_RUNNING = 92
"""Days for which something may have begun before it is told."""
MOST_MEANINGS = 3
"""That somebody is asked about."""


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """Days away, the first and the last among them."""

    first: date
    last: date


class DateDoubt(StrEnum):
    """Why it is not certain when somebody is away."""

    UNCLEAR = "unclear"
    """The words cannot be read as dates."""
    NO_END = "no end"
    PASSED = "passed"
    SEVERAL = "several"
    """They can mean several things."""


@dataclass(frozen=True, slots=True)
class DateQuestion:
    """What has to be asked about when somebody is away."""

    doubt: DateDoubt
    meanings: tuple[Period, ...] = ()
    firsts: tuple[date, ...] = ()
    """The first day, where that is told and the last one is not; several where it can mean several."""


class EndKind(StrEnum):
    """What the day that is said is to the last day."""

    UNTIL = "until"
    """The last day itself."""
    BEFORE = "before"
    """The day after it."""


@dataclass(frozen=True, slots=True)
class SaidPeriod:
    """From a day, or from now, until a day or for a length of time."""

    first: SaidDay | None = None
    last: SaidDay | None = None
    end: EndKind = EndKind.UNTIL
    number: int = 0
    unit: int = 0
    """Of a length: the days by which it is named."""
    adjacent: bool = False
    """Whether the last day is said to be the one after the first."""


@dataclass(frozen=True, slots=True)
class SaidStretch:
    """A week, a weekend or a month by its name."""

    role: DateRole
    next: bool = False
    unit: int = 0
    month: int = 0


def read_period(tokens: Sequence[Token], today: date, written: str) -> Period | DateQuestion:
    """When somebody is away who says this on a day of theirs.

    `written`: which of two numbers is the day in their language.
    """
    reader = TokenReader(tokens, written)
    said = read_stretch(reader) or read_said_period(reader)
    if said is None or reader.rest:
        return DateQuestion(DateDoubt.UNCLEAR)
    if isinstance(said, SaidStretch):
        return decide(_stretch_meanings(said, today), today)
    if said.last is None and not said.number:
        firsts = () if said.first is None else said.first.from_on(today, today)
        return DateQuestion(DateDoubt.NO_END, firsts=firsts)
    found = decide(find_meanings(said, today), today)
    if isinstance(found, Period) and _may_be_two_days(tokens):
        return DateQuestion(DateDoubt.UNCLEAR)
    told = isinstance(said.last, WholeDate)
    if isinstance(found, Period) and not told and (found.last - found.first).days > FARTHEST:
        return DateQuestion(DateDoubt.UNCLEAR)  # its end rather lies before its beginning
    return found


def _may_be_two_days(tokens: Sequence[Token]) -> bool:
    """Whether words tell nothing but two numbers that are a day and its month, or two days: "away 12-14"."""
    if len(tokens) != 1 or tokens[0].kind is not TokenKind.PAIR or tokens[0].between != "-":
        return False
    first, *others = tokens[0].numbers
    return len(others) == 1 and first < others[0]


# --- what is said ---------------------------------------------------------------------------------------


def read_stretch(reader: TokenReader) -> SaidStretch | None:
    """A week, a weekend or a month by its name; else nothing is read."""
    at = reader.at
    _ = reader.take(DateRole.LENGTH)  # "for the rest of the week"
    named = reader.take(DateRole.IN) is not None
    while reader.take(DateRole.THIS):
        named = True  # "this whole week"
    is_next = reader.take(DateRole.NEXT) is not None
    named = named or is_next
    if reader.take(DateRole.COMING_WEEK):
        found = SaidStretch(DateRole.COMING_WEEK)
    elif reader.take(DateRole.WEEKEND):
        found = SaidStretch(DateRole.WEEKEND, is_next)
    elif named and (unit := reader.take(DateRole.UNIT)) and unit.value in (7, 30):
        found = SaidStretch(DateRole.UNIT, is_next, unit.value)
    elif not is_next and (month := reader.take(DateRole.MONTH)):
        found = SaidStretch(DateRole.MONTH, month=month.value)
    else:
        reader.at = at
        return None
    if reader.rest:
        reader.at = at
        return None
    return found


def read_said_period(reader: TokenReader) -> SaidPeriod | None:
    """From a day until another or for so long; None where it is none."""
    if (days := reader.take_days_of_month()) is not None:
        return SaidPeriod(*days)
    opened = reader.take(DateRole.FROM) or reader.take(DateRole.BETWEEN)
    said = SaidPeriod()
    if length := reader.take_length():
        said = replace(said, number=length[0], unit=length[1])
        first = reader.take_day() if reader.take(DateRole.FROM) else None
        return replace(said, first=first)
    if (day := reader.take_day()) is not None:
        if len(reader.rest) == 1 and reader.take(DateRole.RETURNING):
            return SaidPeriod(last=day, end=EndKind.BEFORE)
        said = replace(said, first=day)
    elif opened:
        return None
    return _read_end(reader, said, opened)


def _read_end(reader: TokenReader, said: SaidPeriod, opened: Token | None) -> SaidPeriod | None:
    """What follows the first day, or stands alone where there is none."""
    if length := reader.take_length():
        return replace(said, number=length[0], unit=length[1])
    joined = reader.take(DateRole.AND)
    between = opened is not None and opened.kind is DateRole.BETWEEN
    before = reader.take(DateRole.BEFORE) or reader.take(DateRole.RETURNING)
    if not (joined or before or reader.take(DateRole.UNTIL) or reader.take(TokenKind.DASH)):
        alone = said.first is not None and opened is None
        return replace(said, last=said.first) if alone else said
    last = reader.take_day()
    if last is None:
        return None
    ends_before = before is not None and not (said.first is not None and before.kind is DateRole.BEFORE)
    end = EndKind.BEFORE if ends_before else EndKind.UNTIL
    return replace(said, last=last, end=end, adjacent=joined is not None and not between)


# --- what it can mean -----------------------------------------------------------------------------------


def decide(meanings: Iterator[Period], today: date) -> Period | DateQuestion:
    """The one meaning that lies ahead, or what has to be asked."""
    every = set(meanings)
    found = sorted(one for one in every if max(one.first, today) <= one.last)
    match found:
        case []:
            return DateQuestion(
                DateDoubt.PASSED if any(one.last < today for one in every) else DateDoubt.UNCLEAR
            )
        case [one]:
            return replace(one, first=max(one.first, today))
        case _:
            return DateQuestion(DateDoubt.SEVERAL, tuple(found[:MOST_MEANINGS]))


def find_meanings(said: SaidPeriod, today: date) -> Iterator[Period]:
    """The days that it can mean, those that have passed among them."""
    if said.first is None:
        yield from _ends(said, today, today, today)
        return
    if (
        isinstance(said.first, DayOfMonth)
        and said.last is not None
        and _is_told_by_end(said.first, said.last)
    ):
        for last in said.last.from_on(today, today):
            day = said.first.up_to(last)
            if day is not None and not (said.first.month is None and day < today):
                yield Period(day, last)
        return
    if said.first is said.last:
        for day in said.first.from_on(today, today):
            passed = _has_rather_passed(said.first, day, today)
            meant = add_length(day, -1, 365) if passed else day
            yield Period(meant, meant)
        return
    starts = [today - LONGEST_RUNNING * A_DAY, today] if said.first.is_dated else [today]
    for start in starts:
        found = [
            period
            for first in said.first.from_on(start, today)
            if _is_near(first, today) or isinstance(said.first, WholeDate)
            for period in _ends(said, first, today, first)
            if period.last >= today
        ]
        if found:
            yield from found
            return


def _is_told_by_end(first: DayOfMonth, last: SaidDay | None) -> bool:
    """Whether the year, or the month, of a first day is that of the last."""
    return isinstance(last, WholeDate) or (first.month is None and isinstance(last, DayOfMonth))


def _ends(said: SaidPeriod, first: date, today: date, since: date) -> Iterator[Period]:
    """The periods that begin on a day."""
    if said.last is None:
        told_now = said.first is None  # what is left of today is no whole day
        last = add_length(first, said.number, said.unit)
        yield Period(first, last if told_now else last - A_DAY)
        return
    if said.first is None and _is_todays_name(said.last, today):  # "until Friday", on a Friday
        yield from (Period(today, today), Period(today, today + A_WEEK))
        return
    for day in said.last.from_on(since, today):
        if said.first is None and _has_rather_passed(said.last, day, today):
            yield Period(add_length(day, -1, 365), add_length(day, -1, 365))
            continue
        before = said.end is EndKind.BEFORE and not isinstance(said.last, PeriodEnd)
        last = day - A_DAY if before else day
        if not said.adjacent or last == first + A_DAY:
            yield Period(first, last)


def _is_todays_name(said: SaidDay, today: date) -> bool:
    """Whether a weekday is that of today, and nothing tells of which week."""
    bare = isinstance(said, SaidWeekday) and not (said.this or said.next or said.next_week)
    return bare and said.from_on(today, today)[0] == today


def _is_near(day: date, today: date) -> bool:
    return (day - today).days <= FARTHEST


def _has_rather_passed(said: SaidDay, day: date, today: date) -> bool:
    """Whether a day without its year comes next so late that the one of last year is rather meant."""
    return said.is_dated and not isinstance(said, WholeDate) and not _is_near(day, today)


def _stretch_meanings(said: SaidStretch, today: date) -> Iterator[Period]:
    monday = next_monday(today)
    match said.role:
        case DateRole.WEEKEND:
            sunday = monday - A_DAY
            first = Period(max(sunday - A_DAY, today), sunday)
            second = Period(sunday - A_DAY + A_WEEK, sunday + A_WEEK)
            if not said.next:
                yield first
            else:
                yield second
                if today < sunday - A_DAY:
                    yield first
        case DateRole.COMING_WEEK:
            yield Period(monday, monday + A_WEEK - A_DAY)
            yield Period(today, today + A_WEEK - A_DAY)
        case DateRole.UNIT if said.unit == 7:
            yield Period(monday, monday + A_WEEK - A_DAY) if said.next else Period(today, monday - A_DAY)
        case DateRole.UNIT:
            begins = last_of_month(today) + A_DAY if said.next else today
            yield Period(begins, last_of_month(begins))
        case DateRole.MONTH:
            year = today.year if said.month >= today.month else today.year + 1
            begins = date(year, said.month, 1)
            if _is_near(begins, today):
                yield Period(begins, last_of_month(begins))
        case _:
            raise ValueError(said.role)


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
    told = match_words((*dates.away, *dates.away_after_opening))
    lines = (
        rf"{beside}(?:(?:{away})|(?:{opening}) {beside}(?:{told})){behind}(?P<dates> .+?)??{behind}",
        rf"{beside}(?:{opening}) {beside}(?P<dates>.+?) {beside}(?:{told}){behind}",
        rf"{beside}(?P<dates>.+?) {beside}(?:(?:{opening}) {beside}(?:{told})|(?:{away})){behind}",
    )
    return tuple(re.compile(line) for line in lines)


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
