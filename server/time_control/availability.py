"""Availability of a player: intervals in which the player's clock is stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from emails.i18n import UTC_ZONE

Interval = tuple[datetime, datetime]
"""Start (exclusive) and end (inclusive)."""


def merge_intervals(spans: Iterable[Interval]) -> tuple[Interval, ...]:
    """Merge intervals into ordered, disjoint intervals."""
    found: list[Interval] = []
    for since, until in sorted(span for span in spans if span[0] < span[1]):
        if found and since <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], until)
        else:
            found.append((since, until))
    return tuple(found)


def clip_intervals(spans: Iterable[Interval], since: datetime, until: datetime) -> tuple[Interval, ...]:
    """Return the parts of intervals between two moments, merged."""
    return merge_intervals((max(begins, since), min(ends, until)) for begins, ends in spans)


def subtract_intervals(whole: Iterable[Interval], without: Iterable[Interval]) -> tuple[Interval, ...]:
    """Return the parts of `whole` that are not in `without`, merged."""
    found, gone = [], merge_intervals(without)
    for since, until in merge_intervals(whole):
        at = since
        for begins, ends in gone:
            if ends <= at or begins >= until:
                continue
            found.append((at, begins))
            at = ends
        found.append((at, until))
    return merge_intervals(found)


def measure_intervals(spans: Iterable[Interval]) -> timedelta:
    return sum((until - since for since, until in merge_intervals(spans)), timedelta(0))


NIGHT_BEGINS, NIGHT_ENDS = time(22), time(8)
"""Default sleep hours, in the player's time zone."""
MORNING = time(9)
"""Local time to which a deadline in the default sleep hours is moved."""
SHORTEST_RESTED_TURN = 12 * 60
"""Turn length in minutes from which sleep hours and days off stop the clock; faster games ignore them."""
LONGEST_SLEEP = timedelta(hours=12)
MOST_DAYS_OFF = 5
LONGEST_VACATION = 92
"""Maximum number of days, first and last included."""
MOST_VACATIONS = 24
FARTHEST_VACATION = 400
"""Maximum days from today until the first day."""
LONGEST_LOOK_AHEAD = timedelta(days=800)
UP_AT = time(8)
_A_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, order=True)
class Vacation:
    """Days away, from `first` to `last` inclusive, by the calendar of the player's zone."""

    first: date
    last: date
    # if the vacation was announced after it began: its effect starts at this time
    told_at: datetime | None = None
    back_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Availability:
    """Times at which a player can move, in the player's time zone."""

    zone: str
    sleeps_from: time | None = None
    sleeps_until: time | None = None
    """None, like `sleeps_from`, if the player has no sleep hours."""
    days_off: frozenset[int] = frozenset()
    """Weekdays; 0 is Monday."""
    vacations: tuple[Vacation, ...] = ()
    yearly_allowance: int | None = None
    """Vacation days per calendar year that stop the clock, in older games; None: no limit."""

    @property
    def sleep(self) -> tuple[time, time] | None:
        begins, ends = self.sleeps_from, self.sleeps_until
        return None if begins is None or ends is None else (begins, ends)

    def for_turns_of(self, minutes: int) -> Availability:
        """Return the part that applies in a game with turns of `minutes` minutes (0: no limit).

        Sleep hours and days off do not apply if the turns are short. Vacations apply in every game.
        """
        if holds_rest(minutes):
            return self
        return replace(self, sleeps_from=None, sleeps_until=None, days_off=frozenset())

    @property
    def is_always(self) -> bool:
        return self.sleeps_from is None and not self.days_off and not self.vacations


def protected_intervals(availability: Availability, since: datetime, until: datetime) -> tuple[Interval, ...]:
    """Return the intervals in which a player's clock is stopped, ordered and disjoint, in UTC."""
    until = min(until, since + LONGEST_LOOK_AHEAD)
    if availability.is_always or until <= since:
        return ()
    zone = ZoneInfo(availability.zone)
    first, last = (moment.astimezone(zone).date() for moment in (since, until))
    found = [
        *_nights(availability, zone, first, last),
        *_days_off(availability, zone, first, last),
        *_vacations(availability, zone, first, last),
    ]
    utc = ((begins.astimezone(UTC), ends.astimezone(UTC)) for begins, ends in found)
    return clip_intervals(utc, since.astimezone(UTC), until.astimezone(UTC))


def holds_rest(turn_minutes: int) -> bool:
    """Return whether sleep hours and days off apply in a game with turns of `turn_minutes` (0: no limit)."""
    return not 0 < turn_minutes < SHORTEST_RESTED_TURN


def night_of(availability: Availability, ends: time = NIGHT_ENDS) -> Availability:
    """Return the nights of a player: the player's sleep hours or, if unknown, the default hours.

    `ends`: end of the default hours. There are no nights if the sleep hours are unknown and the zone is UTC,
    which stands for an unknown zone.
    """
    if availability.sleeps_from is not None:
        return Availability(availability.zone, availability.sleeps_from, availability.sleeps_until)
    if availability.zone == UTC_ZONE:
        return Availability(UTC_ZONE)
    return Availability(availability.zone, NIGHT_BEGINS, ends)


def covered_days(availability: Availability) -> Iterator[tuple[Vacation, date]]:
    """Yield the vacation days within each calendar year's allowance, which is used up in order of date."""
    used: dict[int, set[date]] = {}
    most = availability.yearly_allowance
    for vacation in sorted(availability.vacations, key=lambda one: (one.first, one.last)):
        for day in _days(vacation.first, last_day(vacation, availability.zone)):
            of_year = used.setdefault(day.year, set())
            if most is None or day in of_year or len(of_year) < most:
                of_year.add(day)
                yield vacation, day


def list_days_away(availability: Availability) -> list[tuple[date, date]]:
    """Return the first and last day of each run of vacation days, without vacations that were ended early."""
    found: list[tuple[date, date]] = []
    for day in sorted({day for vacation, day in covered_days(availability) if vacation.back_at is None}):
        if found and found[-1][1] == day - _A_DAY:
            found[-1] = found[-1][0], day
        else:
            found.append((day, day))
    return found


def last_day_away(availability: Availability, day: date) -> date | None:
    """Return the last day of the absence that includes `day`; None if the player is present on that day."""
    runs = list_days_away(availability)
    return next((last for first, last in runs if first <= day <= last), None)


def last_day(vacation: Vacation, zone: str) -> date:
    back = vacation.back_at
    return vacation.last if back is None else min(vacation.last, back.astimezone(ZoneInfo(zone)).date())


def days_home(availability: Availability) -> Iterator[date]:
    """Yield the day after each vacation. The player's clock is still stopped on this day.

    There is no such day if the player ended the vacation early, or announced it only on its last day.
    """
    zone = ZoneInfo(availability.zone)
    away = {
        day for one in availability.vacations for day in _days(one.first, last_day(one, availability.zone))
    }
    for vacation, day in covered_days(availability):
        begins, home = _midnight(day, zone), day + _A_DAY
        is_whole = begins < _midnight(home, zone) and (vacation.told_at is None or vacation.told_at <= begins)
        if home not in away and vacation.back_at is None and is_whole:
            yield home


def came_home(availability: Availability, since: datetime) -> datetime | None:
    """Return when the player gets up on the first of the `days_home` after the day of `since`, if any."""
    zone, up = ZoneInfo(availability.zone), max(availability.sleeps_until or UP_AT, UP_AT)
    announced = (one.told_at for one in availability.vacations if one.told_at is not None)
    first = max((since, *announced)).astimezone(zone).date()
    day = min((day for day in days_home(availability) if day > first), default=None)
    return None if day is None else local_moment(datetime.combine(day, up), zone)


def local_moment(local: datetime, zone: ZoneInfo, *, is_end: bool = False) -> datetime:
    """Convert local time to UTC. An ambiguous time gives the earlier moment, or the later if `is_end`.

    A time skipped by a change of the clock gives the moment of the change.
    """
    moments = [local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)]
    low, high = min(moments), max(moments)
    if low.astimezone(zone).replace(tzinfo=None) == local:
        return high if is_end else low
    return _moment_of_change(low, high, zone)


def _moment_of_change(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    before = low.astimezone(zone).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = (low + (high - low) / 2).replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == before:
            low = middle
        else:
            high = middle
    return high


def _nights(availability: Availability, zone: ZoneInfo, first: date, last: date) -> Iterator[Interval]:
    begins, ends = availability.sleeps_from, availability.sleeps_until
    if begins is None or ends is None or begins == ends:
        return
    over_midnight = _A_DAY if ends < begins else timedelta(0)
    for day in _days(first - _A_DAY, last):
        until = local_moment(datetime.combine(day + over_midnight, ends), zone, is_end=True)
        yield local_moment(datetime.combine(day, begins), zone), until


def _days_off(availability: Availability, zone: ZoneInfo, first: date, last: date) -> Iterator[Interval]:
    if availability.days_off:
        days = (day for day in _days(first, last) if day.weekday() in availability.days_off)
        yield from ((_midnight(day, zone), _midnight(day + _A_DAY, zone)) for day in days)


def _vacations(availability: Availability, zone: ZoneInfo, first: date, last: date) -> Iterator[Interval]:
    for vacation, day in covered_days(availability):
        if first <= day <= last:
            begins, ends = _midnight(day, zone), _midnight(day + _A_DAY, zone)
            yield max(begins, vacation.told_at or begins), min(ends, vacation.back_at or ends)
    for day in days_home(availability):
        if first <= day <= last:
            yield _midnight(day, zone), _midnight(day + _A_DAY, zone)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return local_moment(datetime.combine(day, time()), zone)


def _days(first: date, last: date) -> Iterator[date]:
    return (first + number * _A_DAY for number in range((last - first).days + 1))
