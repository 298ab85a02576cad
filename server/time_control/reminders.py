"""Reminders of a turn: when they are due, by what of its time is left."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from server.time_control.turn_time import Wishes, after_protected, count_back

REMINDER_PARTS = (1 / 2, 1 / 8)
"""The parts of the time for a turn that are left when a reminder is sent."""


def reminder_moments(
    whole: timedelta, deadline: datetime, most: int, wishes: Wishes
) -> Iterator[tuple[int, datetime]]:
    """The reminders of a turn, each by its number, and when it is due; none lies in what is protected.

    A player who wants one alone gets the last, which keeps its number.
    """
    for number, part in enumerate(REMINDER_PARTS, 1):
        at = after_protected(count_back(deadline, whole * part, wishes), wishes)
        if number > len(REMINDER_PARTS) - most and at < deadline:
            yield number, at
