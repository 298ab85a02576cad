"""Facts about absences; templates/absences.words has the sentences."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time


@dataclass(frozen=True, slots=True)
class ExpectedDays:
    """What a letter has asked about an absence, so that a reply that is only a date can be understood."""

    firsts: tuple[date, ...] = ()  # possible first days; empty if the letter asks for the first day
    alone: bool = False


@dataclass(frozen=True, slots=True)
class DaysAway:
    first: date
    last: date
    home: date | None = None  # first day at home, on which the player's clock does not run


@dataclass(frozen=True, slots=True)
class AbsenceNote:
    today: date
    """Today in the player's zone; all days of the note are in that zone."""
    zone: str
    days: tuple[DaysAway, ...] = ()
    sleep: tuple[time, time] | None = None
    night: tuple[time, time] | None = None
    """The assumed night of a player who has set no sleep hours; None if their zone is unknown."""
    days_off: tuple[int, ...] = ()
    """Weekdays off, from 0 for Monday."""
