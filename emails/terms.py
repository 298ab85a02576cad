"""Terms of a game: who may join, who plays for absent players, how much time a turn has.

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
    """Everyone: the game is listed."""


class Caretaker(StrEnum):
    QUIET = "quiet"
    """Does as little as the rules allow; the only caretaker of old games."""
    GENTLE = "gentle"
    """Plays well for its seat, and does not harm the plans of others."""


class AbsenceRule(StrEnum):
    """What the caretaker does when the time for a turn has passed."""

    ALWAYS = ""
    """Play each such turn; the seat stays its player's. The rule of old games."""
    TURN = "turn"
    """Play each such turn; after two in a row play the seat until its player is back."""
    SEAT = "seat"
    """Play the seat from the first such turn on, until its player is back."""


class Tempo(StrEnum):
    RELAXED = "relaxed"
    LIVELY = "lively"
    LIVE = "live-15"
    FAST = "live-fast"


@dataclass(frozen=True, slots=True)
class TurnTime:
    """The time that players have, in minutes."""

    minutes: int
    """For each turn; 0: no limit."""
    bank: int = 0
    """A player's reserve, for turns that take longer."""
    refill: int = 0
    """Added to the reserve after a turn that is played in time; the reserve never exceeds `bank`."""

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
