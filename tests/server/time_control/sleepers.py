"""People who sleep, rest and travel in their own zones, worked out otherwise than the server does it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

from server.turn_time import Availability, Interval, Vacation, protected_intervals

DAY = timedelta(days=1)
FIRST_DAY, LAST_DAY = date(2027, 1, 1), date(2028, 1, 1)
"""A year, with both changes of summer time, wherever there are any."""
ZONES = """
    Pacific/Pago_Pago Pacific/Honolulu America/Anchorage America/Los_Angeles America/Denver America/Chicago
    America/New_York America/Santiago America/St_Johns America/Sao_Paulo Atlantic/Azores Europe/London
    Europe/Amsterdam Europe/Athens Africa/Cairo Asia/Tehran Asia/Karachi Asia/Kathmandu Asia/Dhaka
    Asia/Singapore Asia/Tokyo Australia/Adelaide Australia/Lord_Howe Pacific/Auckland
    """.split()


def unite(spans: Iterable[Interval]) -> tuple[Interval, ...]:
    """The same time as spans in order that do not touch."""
    found = list[Interval]()
    for since, until in sorted(spans):
        if found and since <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], until)
        else:
            found.append((since, until))
    return tuple(found)


def count_outside(since: datetime, until: datetime, spans: Iterable[Interval]) -> timedelta:
    """How much time between two moments lies in none of these spans."""
    inside = ((max(begins, since), min(ends, until)) for begins, ends in unite(spans))
    return (until - since) - sum((ends - begins for begins, ends in inside if ends > begins), timedelta())


class Sleeper:
    """A player with a zone, a night, days off and vacations."""

    def __init__(self, zone: str, night: tuple[int, int], off: Sequence[int], away: Sequence[date]) -> None:
        self.zone = ZoneInfo(zone)
        begins, ends = (time(hour) if night[0] != night[1] else None for hour in night)
        days = tuple(Vacation(day, day) for day in away)
        self.availability = Availability(zone, begins, ends, frozenset(off), days)
        self._rest = night, tuple(off)
        self._spans = unite(self._protected(night, off, away))
        self._ends = [until for _, until in self._spans]

    @classmethod
    def of(cls, rng: Random, number: int) -> Sleeper:
        """One of many: some sleep, some rest, some travel, some are always there."""
        night = rng.choice([(0, 0), (22, 6), (23, 7), (1, 9), (2, 10)])
        off = rng.choice([(), (), (5, 6), (4, 5), (6,)])
        away = []
        for _ in range(rng.choice([0, 0, 1, 3])):
            first, days = rng.randrange((LAST_DAY - FIRST_DAY).days), rng.choice([1, 3, 7, 16])
            away += [FIRST_DAY + (first + day) * DAY for day in range(days)]
        return cls(ZONES[number % len(ZONES)], night, off, away)

    def at_home(self) -> Sleeper:
        return Sleeper(self.zone.key, *self._rest, ())

    def away_after(self, day: date) -> Sleeper:
        """The same person, who is away on those days alone that come after one."""
        days = [one.first for one in self.availability.vacations if one.first > day]
        return Sleeper(self.zone.key, *self._rest, days)

    def _moment(self, day: date, hour: int) -> datetime:
        return datetime.combine(day, time(hour), self.zone).astimezone(UTC)

    def _protected(
        self, night: tuple[int, int], off: Sequence[int], away: Sequence[date]
    ) -> Iterator[Interval]:
        begins, ends = night
        for number in range(-3, (LAST_DAY - FIRST_DAY).days + 60):
            day = FIRST_DAY + number * DAY
            if begins != ends:
                yield self._moment(day, begins), self._moment(day + (ends < begins) * DAY, ends)
            if day.weekday() in off or {day, day - DAY} & set(away):
                yield self._moment(day, 0), self._moment(day + DAY, 0)

    def spans(self, since: datetime, until: datetime) -> Sequence[Interval]:
        found = []
        for number in range(bisect_right(self._ends, since), len(self._spans)):
            begins, ends = self._spans[number]
            if begins >= until:
                break
            found.append((max(begins, since), min(ends, until)))
        return found

    def unavailable(self, since: datetime, until: datetime) -> Sequence[Interval]:
        """What is protected, as the server works it out."""
        return protected_intervals(self.availability, since, until)

    def is_protected(self, at: datetime) -> bool:
        """Whether a moment lies inside a protected span, and not at its edge."""
        place = bisect_right(self._ends, at)
        return place < len(self._spans) and self._spans[place][0] < at
