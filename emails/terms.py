"""Terms of a game, and times of its players: limits, reserves, outlooks, absences.

The values of the enums are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum


class JoinedBy(StrEnum):
    NOBODY = ""
    LINK = "link"
    ALL = "all"
    """Anyone can join, because the game is publicly listed."""


class Caretaker(StrEnum):
    QUIET = "quiet"
    """Does as little as the rules allow; the only caretaker of old games."""
    GENTLE = "gentle"
    """Plays for its seat without harming the plans of others."""


class AbsenceRule(StrEnum):
    """The turns that the caretaker plays after the time for a turn has run out."""

    ALWAYS = ""
    """Each turn that runs out, and no other; the rule of old games."""
    TURN = "turn"
    """The turn that runs out; if two in a row run out, all turns until the player returns."""
    SEAT = "seat"
    """From the first turn that runs out, all turns until the player returns."""


MOST_DAYS_WAITED = 120
"""A turn waits for an absent or sleeping player until so many days after it began."""


class Tempo(StrEnum):
    RELAXED = "relaxed"
    LIVELY = "lively"
    LIVE = "live-15"
    FAST = "live-fast"


@dataclass(frozen=True, slots=True)
class TurnTime:
    """The time limits of players, in minutes."""

    minutes: int
    """Minutes per turn; 0: no limit."""
    bank: int = 0
    """A player's reserve for turns that take longer."""
    refill: int = 0
    """Minutes added to the reserve after a turn in time; the reserve never exceeds `bank`."""

    @classmethod
    def of_hours(cls, hours: int, bank: int = 0, refill: int = 0) -> TurnTime:
        return cls(60 * hours, 60 * bank, 60 * refill)


TURN_TIMES: Mapping[Tempo, TurnTime] = {
    Tempo.RELAXED: TurnTime.of_hours(48, 96, 24),
    Tempo.LIVELY: TurnTime.of_hours(12, 24, 6),
    Tempo.LIVE: TurnTime(15, 15, 5),
    Tempo.FAST: TurnTime(5, 5, 1),
}
USUAL_TIME = TURN_TIMES[Tempo.RELAXED]


@dataclass(frozen=True, slots=True)
class ReserveLeft:
    """The time reserve of the player to move; it is not used while the player sleeps or is away."""

    whole: timedelta
    begins: datetime
    """The time at which the turn starts using the reserve, with time zone."""
    left: timedelta


HABITS = timedelta(hours=1), timedelta(days=1), timedelta(days=2), timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Habit:
    name: str
    within: timedelta


@dataclass(frozen=True, slots=True)
class TurnOutlook:
    """Estimate of when a waiting player's turn begins; each fact can be missing."""

    earliest: datetime | None = None
    """End of the absences of the players who move before this player; None if none of them is away."""
    latest: datetime | None = None
    """End of the time limits of the players who move before this player; None without a limit."""
    habit: Habit | None = None
    is_immediate: bool = False
    """True if only bots play before the player."""


@dataclass(frozen=True, slots=True)
class ExpectedDays:
    """The open question of a letter about an absence, which a reply with only a date answers."""

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
