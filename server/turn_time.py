"""Time of turns: time control, availability of players, counted time and reminders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from emails.i18n import UTC_ZONE
from emails.terms import MOST_DAYS_WAITED, TurnTime

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


def protected_intervals(availability: Availability, since: datetime, until: datetime) -> tuple[Interval, ...]:
    """Return the intervals in which a player's clock is stopped, ordered and disjoint, in UTC."""
    until = min(until, since + LONGEST_LOOK_AHEAD)
    has_rest = availability.sleeps_from is not None or availability.days_off or availability.vacations
    if not has_rest or until <= since:
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


MINUTE = timedelta(minutes=1)
NO_TIME = timedelta(0)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Time limits of a game."""

    grace: timedelta
    """Time for each turn, not charged to the reserve; zero: no limit."""
    bank: timedelta = NO_TIME
    """Reserve of each player, used after `grace`."""
    refill: timedelta = NO_TIME
    """Time added to the reserve, up to its initial size, after each turn that the player ended in time."""

    @classmethod
    def of(cls, time: TurnTime) -> TimeControl:
        return cls(time.minutes * MINUTE, time.bank * MINUTE, time.refill * MINUTE)

    def bank_after(self, before: timedelta, left: timedelta, *, by_player: bool = True) -> timedelta:
        """Return the reserve after a turn.

        `before`: reserve at the turn's start; `left`: time left at its end, including the reserve. Refilled
        only if the player ended the turn in time.
        """
        rest = max(min(before, left), NO_TIME)
        return max(rest, min(rest + self.refill, self.bank)) if by_player and left > NO_TIME else rest


UnavailableTimes = Callable[[datetime, datetime], Sequence[Interval]]
"""Returns the intervals between two moments in which no time counts, because a player is unavailable."""
MOST_PROTECTED = timedelta(days=MOST_DAYS_WAITED)  # vacations and sleep stop a turn's clock no longer
TIME_TO_COME_BACK = timedelta(hours=6)
"""Time that a turn keeps at least when days away or sleep hours change, unless less was left before."""
CATCH_UP = timedelta(minutes=10)
"""Minimum time left after downtime, since mail sent in time may still arrive."""
LEAST_SHARE_LEFT = 1 / 4
LOOKED_AHEAD = timedelta(days=14)


def always_available(since: datetime, until: datetime) -> Sequence[Interval]:
    return ()


def within_turn(unavailable: UnavailableTimes, began: datetime) -> UnavailableTimes:
    """Leave out unavailable times later than 120 days after the start of a turn."""
    latest = began + MOST_PROTECTED
    return lambda since, until: unavailable(since, min(until, latest)) if since < latest else ()


def protected_between(unavailable: UnavailableTimes, since: datetime, until: datetime) -> Iterator[Interval]:
    at = since
    while at < until:
        ahead = min(until, at + LOOKED_AHEAD)
        yield from clip_intervals(unavailable(at, ahead), at, ahead)
        at = ahead


def count_time(since: datetime, until: datetime, unavailable: UnavailableTimes) -> timedelta:
    uncounted = (ends - begins for begins, ends in protected_between(unavailable, since, until))
    return until - since - sum(uncounted, NO_TIME) if since < until else NO_TIME


def add_counted(at: datetime, time: timedelta, unavailable: UnavailableTimes) -> datetime:
    """Return when a clock that starts at `at` has run for `time`; it stands still when `unavailable`."""
    latest = at + time + MOST_PROTECTED
    for begins, ends in protected_between(unavailable, at, latest):
        if begins - at >= time:
            break
        time -= begins - at
        at = ends
    return at + time


def count_back(at: datetime, time: timedelta, unavailable: UnavailableTimes) -> datetime:
    """Return the start of a clock that has counted `time` until `at`, without the `unavailable` times."""
    until, earliest = at, at - time - MOST_PROTECTED
    while until > earliest:
        since = until - LOOKED_AHEAD
        for begins, ends in reversed(clip_intervals(unavailable(since, until), since, until)):
            if at - ends >= time:
                return at - time
            time -= at - ends
            at = begins
        if at - since >= time:
            break
        until = since
    return at - time


def deadline_after_loss(
    deadline: datetime,
    lost: Interval,
    began: datetime,
    unavailable: UnavailableTimes,
    least: timedelta = NO_TIME,
) -> datetime:
    """Return a deadline after downtime, in which the time of a turn does not run.

    `lost`: the downtime. `began`: start of the turn; if it is within the downtime, the turn starts at the
    end of the downtime instead. `least`: minimum time left at the end of the downtime.
    """
    since, until = lost
    left = count_time(max(since, began), deadline, within_turn(unavailable, began))
    begins = until if since < began <= until else began + (until - since)
    return add_counted(max(until, begins), max(left, least), within_turn(unavailable, begins))


def time_after_change(left: timedelta, whole: timedelta, ends_in: timedelta) -> timedelta:
    """Return the time left of a turn after its player's availability has changed.

    Increases `left` to six hours if it is less, but not beyond `whole`, the time of the whole turn, or
    `ends_in`, the interval until the former deadline.
    """
    return max(left, min(ends_in, whole, TIME_TO_COME_BACK))


def deadline_after_change(
    deadline: datetime,
    now: datetime,
    began: datetime,
    before: UnavailableTimes,
    after: UnavailableTimes,
    whole: timedelta = NO_TIME,
) -> datetime:
    """Return the new deadline after a player's availability has changed; the time left is not reduced.

    `began`: start of the turn. `whole`: length of the turn (see `time_after_change`); zero: the time left is
    not increased.
    """
    left = count_time(now, deadline, within_turn(before, began))
    left = time_after_change(left, whole, deadline - now)
    return add_counted(now, left, within_turn(after, began))


def after_protected(at: datetime, unavailable: UnavailableTimes) -> datetime:
    """Return `at`, or the end of the unavailable interval that contains it."""
    span = rest_around(at, unavailable)
    return at if span is None else span[1]


def rest_around(at: datetime, unavailable: UnavailableTimes) -> Interval | None:
    """Return the merged unavailable interval that contains `at`; None if there is none."""
    since, until = at - LOOKED_AHEAD, at + MOST_PROTECTED
    around = clip_intervals(unavailable(since, until), since, until)
    return next((span for span in around if span[0] <= at < span[1]), None)


SHARES_LEFT: Mapping[int, float] = {1: 1 / 2, 2: 1 / 8}  # by the bit of the reminder in `Game.reminded`
BEFORE_REST = timedelta(hours=1)  # before a night, if a reminder after the night would come too late


@dataclass(frozen=True, slots=True)
class Reminder:
    mark: int
    at: datetime


def list_reminders(
    whole: timedelta, deadline: datetime, unavailable: UnavailableTimes, resting: UnavailableTimes
) -> list[Reminder]:
    """Return the reminders of a turn, the earliest first.

    `unavailable`: intervals in which no time counts; `resting`: intervals without mail, such as nights.
    """
    found = []
    for mark, share in SHARES_LEFT.items():
        left = whole * share
        at = _leave_rest(count_back(deadline, left, unavailable), left, whole, deadline, resting)
        if at < deadline:
            found.append(Reminder(mark, at))
    return sorted(found, key=lambda one: one.at)


def passed_marks(reminders: list[Reminder], now: datetime) -> int:
    return sum(one.mark for one in reminders if one.at <= now)


def _leave_rest(
    at: datetime, left: timedelta, whole: timedelta, deadline: datetime, resting: UnavailableTimes
) -> datetime:
    rest = rest_around(at, resting)
    if rest is None:
        return at
    before, after = rest[0] - BEFORE_REST, rest[1]
    is_in_time = deadline - after >= left / 2
    began_later = deadline - before >= whole
    return after if is_in_time or began_later or rest_around(before, resting) is not None else before
