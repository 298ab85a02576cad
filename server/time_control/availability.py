"""Availability of a player: spans of time in which their clock stands still."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from emails.i18n import UTC_ZONE

Span = tuple[datetime, datetime]
"""From a moment, which is not in it, to another, which is."""


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same time as spans in order that do not touch."""
    found: list[Span] = []
    for since, until in sorted(span for span in spans if span[0] < span[1]):
        if found and since <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], until)
        else:
            found.append((since, until))
    return tuple(found)


def clip_spans(spans: Iterable[Span], since: datetime, until: datetime) -> tuple[Span, ...]:
    """What of some spans lies between two moments, in order."""
    return merge_spans((max(begins, since), min(ends, until)) for begins, ends in spans)


def subtract_spans(whole: Iterable[Span], without: Iterable[Span]) -> tuple[Span, ...]:
    """The time of the first spans that is not in the others, in order."""
    found, gone = [], merge_spans(without)
    for since, until in merge_spans(whole):
        at = since
        for begins, ends in gone:
            if ends <= at or begins >= until:
                continue
            found.append((at, begins))
            at = ends
        found.append((at, until))
    return merge_spans(found)


def measure_spans(spans: Iterable[Span]) -> timedelta:
    """How much time some spans are together; what is in several counts once."""
    return sum((until - since for since, until in merge_spans(spans)), timedelta(0))


NIGHT_BEGINS, NIGHT_ENDS = time(22), time(8)
"""The night of players who have set no hours of sleep, by the clock of their zone."""
MORNING = time(9)
"""When a turn ends that would end in such a night."""
SHORTEST_RESTED_TURN = 12 * 60
"""Minutes: in games with shorter turns nights and days off do not hold, or a live game would stand still."""
LONGEST_SLEEP = timedelta(hours=12)
MOST_DAYS_OFF = 5
"""Of a week: on two days at least a turn can be asked for."""
LONGEST_VACATION = 92
"""Days."""
MOST_VACATIONS = 24
"""That are kept at once."""
FARTHEST_VACATION = 400
"""Days from today on which one may begin."""
LONGEST_LOOK_AHEAD = timedelta(days=800)
"""Nothing is protected that lies farther from the moment that is asked about: no turn waits so long."""
UP_AT = time(8)
"""On their first day home a player gets no letter about it before this hour of their clock."""
_A_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, order=True)
class Vacation:
    """Days away, the first and the last among them, by the calendar of the player's zone."""

    first: date
    last: date
    told_at: datetime | None = None
    """Nothing before this is protected, for no time is given back; None: it was told before it began."""
    back_at: datetime | None = None
    """When its player was back, before it was over; the days up to then are used up."""


@dataclass(frozen=True, slots=True)
class Availability:
    """When a player can be asked to move, by the clock of their zone."""

    zone: str
    """A time zone by its name, such as Europe/Amsterdam."""
    sleeps_from: time | None = None
    sleeps_until: time | None = None
    """None with the other: no hours of sleep."""
    days_off: frozenset[int] = frozenset()
    """Of each week; 0 is Monday."""
    vacations: tuple[Vacation, ...] = ()
    yearly_allowance: int | None = None
    """Days of vacation in a calendar year for which the clock stands, in older games; None: any number."""

    @property
    def sleep(self) -> tuple[time, time] | None:
        """From when till when they sleep."""
        begins, ends = self.sleeps_from, self.sleeps_until
        return None if begins is None or ends is None else (begins, ends)

    def for_turns_of(self, minutes: int) -> Availability:
        """Return what holds in a game with turns of so many minutes (0: no limit).

        Absences hold in each game: they were announced with a last day, and all players see them.
        """
        if holds_rest(minutes):
            return self
        return replace(self, sleeps_from=None, sleeps_until=None, days_off=frozenset())

    @property
    def is_always(self) -> bool:
        """Whether nothing is protected, at no time."""
        return self.sleeps_from is None and not self.days_off and not self.vacations


def protected_spans(availability: Availability, since: datetime, until: datetime) -> tuple[Span, ...]:
    """When a player's clock stands still within a span, as spans of UTC in order that do not touch."""
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
    return clip_spans(utc, since.astimezone(UTC), until.astimezone(UTC))


def holds_rest(turn_minutes: int) -> bool:
    """Return whether nights and days off hold in a game with turns of so many minutes (0: no limit)."""
    return not 0 < turn_minutes < SHORTEST_RESTED_TURN


def night_of(availability: Availability, ends: time = NIGHT_ENDS) -> Availability:
    """The nights of a player: the hours of sleep that they have set, or those of the default until it `ends`.

    None of a player whose zone is not known: UTC, which nobody has chosen.
    """
    if availability.sleeps_from is not None:
        return Availability(availability.zone, availability.sleeps_from, availability.sleeps_until)
    if availability.zone == UTC_ZONE:
        return Availability(UTC_ZONE)
    return Availability(availability.zone, NIGHT_BEGINS, ends)


def covered_days(availability: Availability) -> Iterator[tuple[Vacation, date]]:
    """Each day of vacation that the allowance covers: in each year those that come first."""
    used: dict[int, set[date]] = {}
    most = availability.yearly_allowance
    for vacation in sorted(availability.vacations, key=lambda one: (one.first, one.last)):
        for day in _days(vacation.first, last_day(vacation, availability.zone)):
            of_year = used.setdefault(day.year, set())
            if most is None or day in of_year or len(of_year) < most:
                of_year.add(day)
                yield vacation, day


def list_days_away(availability: Availability) -> list[tuple[date, date]]:
    """The days on which a player is away who is not back from them: the first and the last of each run."""
    found: list[tuple[date, date]] = []
    for day in sorted({day for vacation, day in covered_days(availability) if vacation.back_at is None}):
        if found and found[-1][1] == day - _A_DAY:
            found[-1] = found[-1][0], day
        else:
            found.append((day, day))
    return found


def last_day_away(availability: Availability, day: date) -> date | None:
    """The last day of those on which a player is away on a certain day; None where they are there then."""
    runs = list_days_away(availability)
    return next((last for first, last in runs if first <= day <= last), None)


def last_day(vacation: Vacation, zone: str) -> date:
    """The last day of a vacation as it was taken: the one on which its player was back early."""
    back = vacation.back_at
    return vacation.last if back is None else min(vacation.last, back.astimezone(ZoneInfo(zone)).date())


def days_home(availability: Availability) -> Iterator[date]:
    """The first day home after each vacation, on which no time runs either.

    There is none after a vacation that its player has ended early or told of only on its last day.
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
    """Return when a player is up on the first day home after a moment and the last announcement, if any."""
    zone, up = ZoneInfo(availability.zone), max(availability.sleeps_until or UP_AT, UP_AT)
    announced = (one.told_at for one in availability.vacations if one.told_at is not None)
    first = max((since, *announced)).astimezone(zone).date()
    day = min((day for day in days_home(availability) if day > first), default=None)
    return None if day is None else local_moment(datetime.combine(day, up), zone)


def local_moment(local: datetime, zone: ZoneInfo, *, is_end: bool = False) -> datetime:
    """When a clock of a zone shows a time, in UTC: of two moments the first, or of an end the last.

    Where the clock is put ahead past that time, it is the moment when it is put ahead.
    """
    moments = [local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)]
    low, high = min(moments), max(moments)
    if low.astimezone(zone).replace(tzinfo=None) == local:
        return high if is_end else low
    return _moment_of_change(low, high, zone)


def _moment_of_change(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    """The moment between two at which the clock of a zone is put ahead, to the second."""
    before = low.astimezone(zone).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = (low + (high - low) / 2).replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == before:
            low = middle
        else:
            high = middle
    return high


def _nights(availability: Availability, zone: ZoneInfo, first: date, last: date) -> Iterator[Span]:
    begins, ends = availability.sleeps_from, availability.sleeps_until
    if begins is None or ends is None or begins == ends:
        return
    over_midnight = _A_DAY if ends < begins else timedelta(0)
    for day in _days(first - _A_DAY, last):
        until = local_moment(datetime.combine(day + over_midnight, ends), zone, is_end=True)
        yield local_moment(datetime.combine(day, begins), zone), until


def _days_off(availability: Availability, zone: ZoneInfo, first: date, last: date) -> Iterator[Span]:
    if availability.days_off:
        days = (day for day in _days(first, last) if day.weekday() in availability.days_off)
        yield from ((_midnight(day, zone), _midnight(day + _A_DAY, zone)) for day in days)


def _vacations(availability: Availability, zone: ZoneInfo, first: date, last: date) -> Iterator[Span]:
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
