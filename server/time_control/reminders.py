"""Two reminders of a turn, when half and when an eighth of its time is left; none while its player rests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from server.time_control.turn_time import UnavailableSpans, count_back, rest_around

SHARES_LEFT: Mapping[int, float] = {1: 1 / 2, 2: 1 / 8}
"""What is left of the time for a turn when a reminder comes, by the mark that a turn stores of it."""
BEFORE_REST = timedelta(hours=1)
"""How long before a night a reminder comes that would be too late after it."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """A reminder of a turn."""

    mark: int
    at: datetime


def list_reminders(
    whole: timedelta, deadline: datetime, unavailable: UnavailableSpans, resting: UnavailableSpans
) -> list[Reminder]:
    """The reminders of a turn, by when they are due.

    `unavailable`: when no time is counted; `resting`: when no mail is to come, such as at night.
    """
    found = []
    for mark, share in SHARES_LEFT.items():
        left = whole * share
        at = _leave_rest(count_back(deadline, left, unavailable), left, whole, deadline, resting)
        if at < deadline:
            found.append(Reminder(mark, at))
    return sorted(found, key=lambda one: one.at)


def passed_marks(reminders: list[Reminder], now: datetime) -> int:
    """The marks of all reminders whose time has come, together."""
    return sum(one.mark for one in reminders if one.at <= now)


def _leave_rest(
    at: datetime, left: timedelta, whole: timedelta, deadline: datetime, resting: UnavailableSpans
) -> datetime:
    """A moment outside of rest: after it, or before it where too little time would be left after it."""
    rest = rest_around(at, resting)
    if rest is None:
        return at
    before, after = rest[0] - BEFORE_REST, rest[1]
    is_in_time = deadline - after >= left / 2
    began_later = deadline - before >= whole
    return after if is_in_time or began_later or rest_around(before, resting) is not None else before
