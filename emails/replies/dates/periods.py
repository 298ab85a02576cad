"""Days away as they are said: from a day until another, for so long, next week.

What is certain is read and nothing else: where words can mean several days, or days that have passed, it is
told what they can mean, and their writer is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from emails.languages.time_words import DateRole
from emails.replies.dates.date_tokens import Token, TokenKind
from emails.replies.dates.day_reader import TokenReader
from emails.replies.dates.days import (
    A_DAY,
    A_WEEK,
    DayOfMonth,
    PeriodEnd,
    SaidDay,
    SaidWeekday,
    WholeDate,
    add_length,
    last_of_month,
    next_monday,
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
