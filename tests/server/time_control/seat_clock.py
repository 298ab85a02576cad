"""The clock of a seat, as one function of what was done, its player's availability, and the moment it is.

What was done is a value: the turns of the seat, the spans that are nobody's, the time that others gave. From
it and from the time control follow what is left at a moment, and when time will be up. The server keeps the
deadline of a turn alone (server/store/turn_clock.py), and has to come to the same.

No turn is waited for longer than `MOST_PROTECTED` and the time that it has, with what others gave to it. Time
that is nobody's stands outside that bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from server.turn_time import (
    CATCH_UP,
    LEAST_SHARE_LEFT,
    NO_TIME,
    Interval,
    TimeControl,
    UnavailableTimes,
    add_counted,
    clip_intervals,
    count_time,
    merge_intervals,
    time_after_change,
    within_turn,
)


@dataclass(frozen=True, slots=True)
class TurnTaken:
    """A turn of a seat."""

    began: datetime
    """When its letter had left, or its player knew of it otherwise."""
    ended: datetime | None = None
    """None: it goes on."""
    given: tuple[tuple[datetime, timedelta], ...] = ()
    """The time that others gave to it, and when."""


@dataclass(frozen=True, slots=True)
class ClockHistory:
    """What was done that the clock of a seat goes by."""

    control: TimeControl
    turns: tuple[TurnTaken, ...] = ()
    lost: tuple[Interval, ...] = ()
    """Time that is nobody's: no letter had left, the operator had halted the game."""
    down: tuple[Interval, ...] = ()
    """When the server or its mail was down: nobody's too, and after it there is time to catch up."""
    halts: tuple[Interval, ...] = ()
    """When the players had halted the game, or mail came back: after it a share of the time is left."""
    told: tuple[tuple[datetime, UnavailableTimes], ...] = ()
    """What else its player told of it, the oldest first, and when: what passed stays as it was."""
    stopped_at: datetime | None = None
    """Since when such a span goes on; None: the clock runs."""


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """What is left of the time for a turn, and of its player's bank."""

    grace: timedelta
    bank: timedelta

    @property
    def whole(self) -> timedelta:
        return self.grace + self.bank

    def without(self, counted: timedelta) -> TimeLeft:
        """What is left when more time has been counted: the bank goes last."""
        over = max(counted - self.grace, NO_TIME)
        return TimeLeft(max(self.grace - counted, NO_TIME), max(self.bank - over, NO_TIME))

    def with_gifts(self, time: timedelta) -> TimeLeft:
        """What is left once others gave more: it goes before the bank."""
        return TimeLeft(self.grace + time, self.bank)

    def at_least(self, time: timedelta) -> TimeLeft:
        """The same, or so much where less is left."""
        return TimeLeft(max(self.grace, time - self.bank), self.bank)


def measure_intervals(spans: Iterable[Interval]) -> timedelta:
    return sum((until - since for since, until in merge_intervals(spans)), timedelta(0))


def remaining(history: ClockHistory, unavailable: UnavailableTimes, now: datetime) -> TimeLeft:
    """What is left at a moment: of the turn that goes on, or between turns of the one that comes."""
    bank = history.control.bank
    for turn in history.turns:
        found = _find_end(history, turn, bank, unavailable, turn.ended or now)
        left = TimeLeft(NO_TIME, NO_TIME) if isinstance(found, datetime) else found
        if turn.ended is None:
            return left
        bank = history.control.bank_after(bank, left.whole)
    return TimeLeft(history.control.grace, bank)


def due(history: ClockHistory, unavailable: UnavailableTimes, now: datetime) -> datetime | None:
    """When time is up for the turn that goes on, as all stands at a moment; None while no clock runs."""
    running = history.turns[-1] if history.turns else None
    if running is None or running.ended is not None or not history.control.grace:
        return None
    bank = remaining(replace(history, turns=history.turns[:-1]), unavailable, now).bank
    found = _find_end(history, running, bank, unavailable)
    return found if isinstance(found, datetime) else None


def _find_end(
    history: ClockHistory,
    turn: TurnTaken,
    bank: timedelta,
    unavailable: UnavailableTimes,
    until: datetime | None = None,
) -> datetime | TimeLeft:
    """When a turn runs out of time; else what is left of it `until` a moment, or while its clock stands."""
    whole = left = TimeLeft(history.control.grace, bank)
    at, still = turn.began, None if turn.ended is not None else history.stopped_at
    lost = merge_intervals((*history.lost, *history.down, *history.halts))
    protected = _protection(history, turn, unavailable, lost, at)
    for mark in _list_marks(history, turn, lost, still):
        if until is not None and mark > until:
            break
        if not _stands_still(at, lost, still):
            end = add_counted(at, left.whole, protected)
            if end <= mark:
                return end
            left = left.without(count_time(at, mark, protected))
        at, before, protected = mark, protected, _protection(history, turn, unavailable, lost, mark)
        left = left.with_gifts(sum((time for given_at, time in turn.given if given_at == at), NO_TIME))
        left = left.at_least(_least_left(history, whole.whole, at))
        if any(told_at == at for told_at, _ in history.told) and not _stands_still(at, lost, still):
            ends_in = add_counted(at, left.whole, before) - at
            left = left.at_least(time_after_change(left.whole, whole.whole, ends_in))
    if _stands_still(at, lost, still):
        return left
    end = add_counted(at, left.whole, protected)
    if until is None or end <= until:
        return end
    return left.without(count_time(at, until, protected))


def _protection(
    history: ClockHistory,
    turn: TurnTaken,
    unavailable: UnavailableTimes,
    lost: Sequence[Interval],
    at: datetime,
) -> UnavailableTimes:
    """What is protected of a turn from a moment on, by what its player has told then."""
    latest = next((other for told_at, other in reversed(history.told) if told_at <= at), unavailable)
    nobodys = measure_intervals(clip_intervals(lost, turn.began, at))
    return within_turn(latest, turn.began + nobodys)


def _least_left(history: ClockHistory, whole: timedelta, at: datetime) -> timedelta:
    """So much is left at least at a moment: mail is still to come, or the turn was halted up to then."""
    is_up = any(ends == at for _, ends in history.down)
    goes_on = any(ends == at for _, ends in history.halts)
    return max(CATCH_UP if is_up else NO_TIME, whole * LEAST_SHARE_LEFT if goes_on else NO_TIME)


def _list_marks(
    history: ClockHistory, turn: TurnTaken, lost: Sequence[Interval], still: datetime | None
) -> list[datetime]:
    """The moments of a turn after which its clock may go otherwise, in order."""
    ends = (one for span in (*lost, *history.down, *history.halts) for one in span)
    acts = (at for at, _ in (*turn.given, *history.told))
    marks = {*ends, *acts, *((still,) if still else ())}
    return sorted(mark for mark in marks if mark >= turn.began)


def _stands_still(at: datetime, lost: Sequence[Interval], still: datetime | None) -> bool:
    return (still is not None and still <= at) or any(begins <= at < ends for begins, ends in lost)
