"""What a game would be like, for whoever has to say yes to it: how long it takes, what its edition is like.

The turns are round figures from games of house players that were counted, sixteen for each mix of strengths
and each edition: the medians lie between 23 and 38 for two players, 34 and 40 for three, 34 and 44 for four.
"""

from __future__ import annotations

from dataclasses import dataclass

from emails.i18n import gettext, ngettext
from engine.editions import EDITIONS, Edition

TURNS = {2: 30, 3: 35, 4: 40}
"""Turns of a game, of all players together, by the number of seats."""
TIME_TAKEN = 0.5
"""The part of their time that people take for a turn: they play when they next look at their mail."""
AT_THE_PAGE = 60
"""The minutes for a turn up to which all are taken to sit at the page at the same time."""
DAYS_BEFORE_WEEKS = 11
MINUTES_OF_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class GameLength:
    """About how long a game takes."""

    turns: int
    """Of all players together."""
    own: int
    """Of each of them."""
    days: float
    """From the first turn to the last, where people take as long as they usually do."""


def estimate_length(seats: int, people: int, minutes: int) -> GameLength:
    """How long a game takes with so many seats, of which people play some, at so many minutes for a turn.

    The house plays the other seats within seconds.
    """
    turns = TURNS[min(seats, max(TURNS))]
    by_people = turns * people / seats
    return GameLength(turns, round(turns / seats), by_people * minutes * TIME_TAKEN / MINUTES_OF_DAY)


def format_span(length: GameLength, minutes: int) -> str:
    """Such as "about 4 weeks", "about 8 days" and "an evening"; empty where time has no limit."""
    if not minutes:
        return ""
    if minutes <= AT_THE_PAGE:
        return gettext("an evening")
    if length.days < DAYS_BEFORE_WEEKS:
        number = max(1, round(length.days))
        return ngettext("about %(number)s day", "about %(number)s days", number)
    return ngettext("about %(number)s week", "about %(number)s weeks", round(length.days / 7))


def describe_edition(edition: Edition) -> str:
    """What differs in an edition from another, in a line; its rules say it in full."""
    said = [
        gettext("%(points)s points win", points=edition.winning_score),
        gettext("coasts get walls too")
        if edition.rim_walls
        else gettext("coasts get no walls, and cost none"),
        gettext("a card with nowhere to go is a joker")
        if edition.joker_alone
        else gettext("cards are jokers only when no card on display has anywhere to go"),
    ]
    if len({one.actions_per_turn for one in EDITIONS.values()}) > 1:
        number = edition.actions_per_turn
        said.append(ngettext("%(number)s action a turn", "%(number)s actions a turn", number))
    return "; ".join(said)
