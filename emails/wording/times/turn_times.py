"""The time for turns: so much for each turn, and a reserve for turns that take longer, which refills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from emails.i18n import gettext
from emails.wording import phrases


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


def describe_turn_time(time: TurnTime) -> str:
    """Such as "2 days" and "2 days, and a reserve of 4 days"; empty where there is no limit."""
    if not time.minutes:
        return ""
    each, reserve = phrases.format_minutes(time.minutes), phrases.format_minutes(time.bank)
    if not time.bank:
        return each
    if not time.refill:
        return gettext("%(time)s, and a reserve of %(reserve)s", time=each, reserve=reserve)
    return gettext(
        "%(time)s, and a reserve of %(reserve)s, into which each turn played in time puts %(refill)s back",
        time=each,
        reserve=reserve,
        refill=phrases.format_minutes(time.refill),
    )


def name_reserve(time: TurnTime) -> str:
    """The reserve in a sentence; empty where there is none."""
    if not (time.minutes and time.bank):
        return ""
    return gettext("In reserve: %(reserve)s.", reserve=phrases.format_minutes(time.bank))
