"""The forecast of a turn: when it comes after the seats before it, as an interval that holds in four of five.

Worked out on a grid of hours: what share of all courses has come to a seat in an hour, and how much of it the
seat has answered in each later one. Some turns take longer than others of the same player; so each is gone
through at three speeds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from math import ceil, exp, log, sqrt
from zoneinfo import ZoneInfo

from emails.wording.times.forecasts import Forecast
from server.forecast.answer_counts import FRESH, cut_wait, find_cell
from server.forecast.rates import Rates
from server.time_control.spans import Span, merge_spans
from server.time_control.turn_time import add_counted

STEP = timedelta(hours=1)
HORIZON = 28 * 24
"""Hours beyond which nothing is told."""
LOW, MEDIAN, HIGH = 0.1, 0.5, 0.9
"""The shares of courses in which the turn has come."""
SPREAD_OF_TURNS = 0.02
"""The variance of how fast somebody is from one turn to another, relative to the mean."""
UNSURE_OF_NEW = 5.0
"""Answers of nobody: how little is known of somebody with none of their own."""
ROUNDING = 1e-9
"""Hours by which a sum of parts of hours may be off."""
NODES = ((1 / 6, -sqrt(3)), (2 / 3, 0.0), (1 / 6, sqrt(3)))
"""Weights and places of three speeds: Gauss-Hermite."""


@dataclass(frozen=True, slots=True)
class SeatAhead:
    """A seat that a person plays before the turn that is asked about."""

    rates: Rates
    zone: ZoneInfo
    limit: timedelta | None
    """The time for a turn of theirs; None: as long as they like."""
    away: Sequence[Span] = ()
    """When they are away from now on: they are waited for, and no time runs."""
    rest: Sequence[Span] = ()
    """When they sleep or have a day off from now on: no time runs, and yet they may answer."""

    def deadline_after(self, begins: datetime) -> datetime | None:
        """When the time is up of a turn of theirs that begins at a moment; None: never."""
        if self.limit is None:
            return None
        return add_counted(begins, self.limit, lambda since, until: self.protected)

    @property
    def protected(self) -> Sequence[Span]:
        """When no time of theirs runs from now on."""
        return merge_spans([*self.away, *self.rest])


def forecast_turn(
    ahead: Sequence[SeatAhead], since: datetime, until: datetime | None, now: datetime
) -> Forecast | None:
    """When a turn comes after those of the seats ahead, of which the first has waited since a moment.

    `until`: when its time is up; None: never. None where there is no telling, or nobody to wait for.
    """
    if not ahead or not all(seat.rates.is_known for seat in ahead):
        return None
    now, since = now.astimezone(UTC), since.astimezone(UTC)
    size = _grid_size(ahead, until, now)
    course = _answer_waiting(ahead[0], since, until, now, size)
    for seat in ahead[1:]:
        course = _answer_coming(seat, course, now)
    gone = list(accumulate(course))
    if gone[-1] < HIGH:
        return None
    low, median, high = (now + STEP * _quantile(gone, share) for share in (LOW, MEDIAN, HIGH))
    return Forecast(low, median, high)


def _grid_size(ahead: Sequence[SeatAhead], until: datetime | None, now: datetime) -> int:
    latest = None if until is None else max(until, now)
    for seat in ahead[1:]:
        latest = None if latest is None else seat.deadline_after(latest)
    return HORIZON if latest is None else min(HORIZON, ceil((latest - now) / STEP) + 1 + len(ahead))


def _hourly_rates(seat: SeatAhead, now: datetime, size: int) -> tuple[list[float], list[float]]:
    """The rates in each hour of the grid: of a turn that has just come, and of one that waits."""
    rates, fresh, waiting = seat.rates.by_cell, [], []
    for number in range(size):
        at = now + STEP * (number + 0.5)
        there = not any(since <= at < until for since, until in seat.away)
        local = at.astimezone(seat.zone)
        fresh.append(there * rates[find_cell(local, True)])
        waiting.append(there * rates[find_cell(local, False)])
    return fresh, waiting


def _spread_speeds(seat: SeatAhead) -> list[tuple[float, float]]:
    """Shares of turns, and how fast they are answered compared with the mean; it is theirs on average."""
    sigma = sqrt(log(1 + SPREAD_OF_TURNS + 1 / (seat.rates.answers + UNSURE_OF_NEW)))
    found = [(weight, exp(sigma * node)) for weight, node in NODES]
    mean = sum(weight * speed for weight, speed in found)
    return [(weight, speed / mean) for weight, speed in found]


def _answer_waiting(
    seat: SeatAhead, since: datetime, until: datetime | None, now: datetime, size: int
) -> list[float]:
    """In which hour the seat answers whose turn it is; slow ones are likelier the longer it has waited."""
    fresh, waiting = _hourly_rates(seat, now, size)
    begun = max(timedelta(), min(now - since, timedelta(days=28)))
    new = max(0.0, 1 - begun / FRESH)
    hazards = [new * fresh[0] + (1 - new) * waiting[0], *waiting[1:]]
    pieces = cut_wait(now - begun, now, seat.zone)
    waited = sum(seat.rates.by_cell[cell] * (length / STEP) for cell, length in pieces)
    speeds = [(weight * exp(-speed * waited), speed) for weight, speed in _spread_speeds(seat)]
    total = sum(weight for weight, _ in speeds)
    end = size if until is None else min(size - 1, max(0, int((until - now) / STEP)))
    course = [0.0] * size
    for weight, speed in speeds:
        left = weight / total
        for number in range(min(end + 1, size)):
            stays = exp(-speed * hazards[number])
            course[number] += left * (1 - stays)
            left *= stays
        if until is not None:
            course[end] += left
    return course


def _latest_hours(seat: SeatAhead, now: datetime, size: int) -> list[int]:
    """By the hour in which a turn comes, that at whose beginning its time is up; or the size of the grid."""
    if seat.limit is None:
        return [size] * size
    counted = [1.0] * size
    for since, until in seat.protected:
        begins, ends = (since - now) / STEP, (until - now) / STEP
        for number in range(max(0, int(begins)), min(size, ceil(ends))):
            counted[number] -= min(ends, number + 1) - max(begins, number)
    passed = [0.0, *accumulate(counted)]
    found, end = list[int](), 0
    for number in range(size):
        end = max(end, number + 1)
        while end < size and passed[end] - passed[number] < seat.limit / STEP - ROUNDING:
            end += 1
        found.append(end)
    return found


def _answer_coming(seat: SeatAhead, coming: Sequence[float], now: datetime) -> list[float]:
    """In which hour a seat answers to which the turn comes in these; at the end of its time at the latest."""
    size = len(coming)
    fresh, waiting = _hourly_rates(seat, now, size)
    passed = [0.0, *accumulate(waiting)]
    latest = _latest_hours(seat, now, size)
    course = [0.0] * size
    for weight, speed in _spread_speeds(seat):
        new, left, begun = 0.0, 0.0, 0
        stays_new = [exp(-speed * rate / 2) for rate in fresh]
        stays = [exp(-speed * rate) for rate in waiting]
        for number in range(size):
            while latest[begun] <= number:
                is_new = begun + 1 == number
                first = stays_new[begun] if is_new else stays_new[begun] * stays_new[begun + 1]
                half = 0.0 if is_new else waiting[begun + 1] / 2
                later = passed[number] - passed[min(begun + 2, number)]
                late = weight * coming[begun] * first * exp(-speed * (half + later))
                course[number] += late
                new, left = (new - late, left) if is_new else (new, left - late)
                begun += 1
            arrived = weight * coming[number]
            course[number] += arrived * (1 - stays_new[number])
            if new:
                keeps = stays_new[number] * sqrt(stays[number])
                course[number] += new * (1 - keeps)
                new *= keeps
            course[number] += left * (1 - stays[number])
            left = left * stays[number] + new
            new = arrived * stays_new[number]
    return course


def _quantile(gone: Sequence[float], share: float) -> float:
    """After how many hours so large a share has come, as if evenly within each."""
    number = min(bisect_left(gone, share), len(gone) - 1)
    before = gone[number - 1] if number else 0.0
    within = gone[number] - before
    return number + ((share - before) / within if within > 0 else 0.0)
