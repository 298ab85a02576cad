"""The terms of a game that are one of several: who may join, who plays for whoever is late, for how long.

Each value is the text that is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class JoinedBy(StrEnum):
    """Who may take a seat that nobody has."""

    NOBODY = ""
    LINK = "link"
    """Whoever has the link."""
    ALL = "all"
    """Anybody."""


class Caretaker(StrEnum):
    """Who plays for somebody who is away or has resigned."""

    QUIET = "quiet"
    """It does as little as the rules allow, as in all games from before there was another."""
    GENTLE = "gentle"
    """It plays well for its seat, and harms nobody's plans."""


class AbsenceRule(StrEnum):
    """What the caretaker does when the time of a turn is over."""

    ALWAYS = ""
    """It plays each such turn, and the seat stays its player's; so it is in games from before other rules."""
    TURN = "turn"
    """It plays each such turn; after two in a row the seat is kept until its player is back."""
    SEAT = "seat"
    """It keeps the seat from the first such turn on until its player is back."""


class Tempo(StrEnum):
    """How fast a game is to go."""

    RELAXED = "relaxed"
    LIVELY = "lively"
    LIVE = "live-15"
    """All sit at the page."""
    FAST = "live-fast"


@dataclass(frozen=True, slots=True)
class TurnTime:
    """The time that the players of a game have, in minutes."""

    minutes: int
    """For each turn; 0: as long as one likes."""
    bank: int = 0
    """In reserve, for turns of a player that take longer."""
    refill: int = 0
    """What a turn that is played in time puts back into the reserve, which is never fuller than at first."""

    @classmethod
    def of_hours(cls, hours: int, bank: int = 0, refill: int = 0) -> TurnTime:
        """The same in whole hours."""
        return cls(60 * hours, 60 * bank, 60 * refill)


TURN_TIMES: Mapping[Tempo, TurnTime] = {
    Tempo.RELAXED: TurnTime.of_hours(48, 96, 24),
    Tempo.LIVELY: TurnTime.of_hours(12, 24, 6),
    Tempo.LIVE: TurnTime(15, 15, 5),
    Tempo.FAST: TurnTime(5, 5, 1),
}
"""What each tempo gives."""
USUAL_TIME = TURN_TIMES[Tempo.RELAXED]
