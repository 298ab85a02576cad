"""Terms of a game: joining, caretakers of absent players, and the time for a turn.

The values of the enums are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
