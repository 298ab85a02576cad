"""A day as it is said: which days of the calendar it can mean, seen from another day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Protocol

A_DAY = timedelta(days=1)
A_WEEK = timedelta(days=7)
CENTURY = 2000
"""Of years that are written with two numbers."""
YEARS = range(2000, 2200)


class SaidDay(Protocol):
    """A day as it is said."""

    @property
    def is_dated(self) -> bool:
        """Whether it names a day of a month, so that it may have begun before today."""

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        """The days that it can mean from a day on; several where it is not certain, none where none is."""


@dataclass(frozen=True, slots=True)
class WholeDate:
    """A date with its year."""

    day: date
    is_dated: bool = field(default=True, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        """The date, wherever it lies."""
        return (self.day,)


@dataclass(frozen=True, slots=True)
class DayInTime:
    """So many days from today."""

    days: int
    is_dated: bool = field(default=False, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        """The day that lies so many days after today."""
        return (today + self.days * A_DAY,)


@dataclass(frozen=True, slots=True)
class DayOfMonth:
    """The day of a month, of any year, or where no month is said of any month."""

    number: int
    month: int | None = None
    is_dated: bool = field(default=True, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        """The first such day."""
        return tuple(next(((one,) for one in self._days(day, 1) if one >= day), ()))

    def up_to(self, day: date) -> date | None:
        """The last such day up to another."""
        return next((one for one in self._days(day, -1) if one <= day), None)

    def _days(self, day: date, step: int) -> Iterator[date]:
        for months in range(0, 60 * step, step):  # 29 February may be four years away
            year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
            if self.month in (None, month + 1) and (found := whole_date(year, month + 1, self.number)):
                yield found


@dataclass(frozen=True, slots=True)
class SaidWeekday:
    """A day of the week."""

    weekday: int
    this: bool = False
    """Whether it is said to be the first one."""
    next: bool = False
    next_week: bool = False
    is_dated: bool = field(default=False, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        """The first such day; today, or one of two weeks, where it is not certain."""
        if self.next or self.next_week:
            later = next_monday(today) + self.weekday * A_DAY
            sooner = later - A_WEEK
            return (sooner, later) if self.next and sooner > today else (later,)
        first = day + (self.weekday - day.weekday()) % 7 * A_DAY
        if first != day:
            return (first,)
        if day != today:  # it ends what begins on the same weekday
            return (first + A_WEEK,)
        return (first,) if self.this else (first, first + A_WEEK)


@dataclass(frozen=True, slots=True)
class DayOfEaster:
    """So many days from Easter Sunday."""

    days: int
    is_dated: bool = field(default=True, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        """The first such day."""
        found = (easter_of(day.year + years) + self.days * A_DAY for years in range(2))
        return tuple(next(((one,) for one in found if one >= day), ()))


@dataclass(frozen=True, slots=True)
class EitherDay:
    """Two numbers of which it is not said which is the day."""

    days: tuple[DayOfMonth | WholeDate, ...]
    is_dated: bool = field(default=True, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        """What it means either way."""
        return tuple(dict.fromkeys(found for one in self.days for found in one.from_on(day, today)))


@dataclass(frozen=True, slots=True)
class CheckedDay:
    """A day with the weekday that it is said to be."""

    weekday: int
    day: SaidDay

    @property
    def is_dated(self) -> bool:
        """As the day is."""
        return self.day.is_dated

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        """Those days that are such a weekday."""
        return tuple(one for one in self.day.from_on(day, today) if one.weekday() == self.weekday)


@dataclass(frozen=True, slots=True)
class PeriodEnd:
    """The last day of a week, a month or a year."""

    days: int
    """Of a week, a month or a year."""
    month: int | None = None
    next: bool = False
    """Whether it is that after the one which runs."""
    is_dated: bool = field(default=False, init=False)

    def from_on(self, day: date, today: date) -> tuple[date, ...]:
        """The first such day."""
        if self.next:
            after = PeriodEnd(self.days).from_on(today, today)[0] + A_DAY
            return PeriodEnd(self.days).from_on(after, after)
        if self.month is not None:
            year = day.year if self.month >= day.month else day.year + 1
            return (last_of_month(date(year, self.month, 1)),)
        if self.days == 7:
            return (next_monday(day) - A_DAY,)
        return (last_of_month(day) if self.days == 30 else date(day.year, 12, 31),)


def whole_date(year: int, month: int, number: int) -> date | None:
    """A date; None where there is no such day in the years that anybody plans for."""
    full = year + CENTURY if year < 100 else year
    try:
        return date(full, month, number) if full in YEARS else None
    except ValueError:
        return None


def easter_of(year: int) -> date:
    """Easter Sunday by the western calendar (Meeus, Jones and Butcher)."""
    golden, century, rest = year % 19, year // 100, year % 100
    shift = (century + 8) // 25
    moon = (19 * golden + century - century // 4 - (century - shift + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def next_monday(day: date) -> date:
    """The first day of the week after that of a day."""
    return day + (7 - day.weekday()) * A_DAY


def last_of_month(day: date) -> date:
    """The last day of the month of a day."""
    return (day.replace(day=28) + 4 * A_DAY).replace(day=1) - A_DAY


def add_length(day: date, number: int, unit: int) -> date:
    """The day so many days, weeks, months or years after another."""
    if unit < 30:
        return day + number * unit * A_DAY
    year, month = divmod(day.year * 12 + day.month - 1 + number * (1 if unit == 30 else 12), 12)
    last = last_of_month(date(year, month + 1, 1))
    return last.replace(day=min(day.day, last.day))
