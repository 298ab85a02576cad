"""Reminders of a turn: when they are due, by what of its time is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from emails.wording.times.reminder_times import ReminderTime
from server.time_control.turn_time import UnavailableSpans, after_protected, count_back

PARTS = {ReminderTime.HALF: 1 / 2, ReminderTime.QUARTER: 1 / 4, ReminderTime.EIGHTH: 1 / 8}
"""What is left when a reminder comes, as a part of the time for the turn."""
LENGTHS = {ReminderTime.DAY: timedelta(days=1), ReminderTime.HOURS: timedelta(hours=3)}
"""The same as a time, in turns that have more."""
MARKS = {
    ReminderTime.HALF: 1,
    ReminderTime.EIGHTH: 2,
    ReminderTime.QUARTER: 4,
    ReminderTime.DAY: 8,
    ReminderTime.HOURS: 16,
}
"""By which sum a turn keeps what of these has passed; the first two are those of old."""


@dataclass(frozen=True, slots=True)
class DueReminder:
    """A reminder of a turn."""

    which: ReminderTime
    at: datetime

    @property
    def mark(self) -> int:
        """What tells it from the other reminders of its turn."""
        return MARKS[self.which]


def reminder_moments(
    whole: timedelta, deadline: datetime, wanted: Iterable[ReminderTime], unavailable: UnavailableSpans
) -> Iterator[DueReminder]:
    """The reminders of a turn that its player wants, by when they are due; none lies in what is protected."""
    found = []
    for one in wanted:
        left = whole * PARTS[one] if one in PARTS else LENGTHS[one]
        at = after_protected(count_back(deadline, left, unavailable), unavailable)
        if left < whole and at < deadline:
            found.append(DueReminder(one, at))
    yield from sorted(found, key=lambda one: one.at)


def passed_reminders(
    whole: timedelta, deadline: datetime, now: datetime, unavailable: UnavailableSpans
) -> int:
    """The marks of all reminders that a turn could have had by now, wanted or not."""
    every = reminder_moments(whole, deadline, ReminderTime, unavailable)
    return sum(one.mark for one in every if one.at <= now)


def list_marked(marks: int) -> tuple[ReminderTime, ...]:
    """The reminders of which marks were kept together."""
    return tuple(one for one in ReminderTime if MARKS[one] & marks)
