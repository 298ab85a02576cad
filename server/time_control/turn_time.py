"""Time limits and deadlines of turns, with the players' reserves, unavailable times and reminders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from emails.terms import MOST_DAYS_WAITED, TurnTime
from server.time_control.availability import Interval, clip_intervals, measure_intervals, subtract_intervals

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

    def intervals_between(since: datetime, until: datetime) -> Sequence[Interval]:
        return unavailable(since, min(until, latest)) if since < latest else ()

    return intervals_between


def protected_between(unavailable: UnavailableTimes, since: datetime, until: datetime) -> Iterator[Interval]:
    at = since
    while at < until:
        ahead = min(until, at + LOOKED_AHEAD)
        yield from clip_intervals(unavailable(at, ahead), at, ahead)
        at = ahead


def count_time(since: datetime, until: datetime, unavailable: UnavailableTimes) -> timedelta:
    return measure_intervals(
        subtract_intervals([(since, until)], protected_between(unavailable, since, until))
    )


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


def with_night(unavailable: UnavailableTimes, night: UnavailableTimes) -> UnavailableTimes:
    def intervals_between(since: datetime, until: datetime) -> Sequence[Interval]:
        return (*unavailable(since, until), *night(since, until))

    return intervals_between


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
