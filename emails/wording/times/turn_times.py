"""The time for turns: hours that come with each turn, and a reserve for all that takes longer."""

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
    LIVE = "live"
    """Everybody sits at the page."""
    OWN = "own"
    """Its hours are chosen freely."""


@dataclass(frozen=True, slots=True)
class TurnTime:
    """The time that the players of a game have, in hours."""

    hours: int
    """For each turn; 0: as long as one likes."""
    bank: int = 0
    """In reserve, for all turns of a player together."""
    refill: int = 0
    """What of it comes back with each turn."""


TURN_TIMES: Mapping[Tempo, TurnTime] = {
    Tempo.RELAXED: TurnTime(48, 96),
    Tempo.LIVELY: TurnTime(12, 24),
    Tempo.LIVE: TurnTime(1, 1),
}
"""What each tempo gives."""
USUAL_TIME = TURN_TIMES[Tempo.RELAXED]


def describe_turn_time(time: TurnTime) -> str:
    """Such as "2 days" and "2 days, and a reserve of 4 days"; empty where there is no limit."""
    if not time.hours:
        return ""
    each = phrases.format_hours(time.hours)
    if not time.bank:
        return each
    return gettext(
        "%(time)s, and a reserve of %(reserve)s", time=each, reserve=phrases.format_hours(time.bank)
    )


def name_reserve(time: TurnTime) -> str:
    """The reserve in a sentence or two; empty where there is none."""
    if not (time.hours and time.bank):
        return ""
    said = gettext("In reserve: %(reserve)s.", reserve=phrases.format_hours(time.bank))
    if not time.refill:
        return said
    back = gettext("Each turn puts %(time)s back into it.", time=phrases.format_hours(time.refill))
    return f"{said} {back}"
