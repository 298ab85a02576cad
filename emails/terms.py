"""The terms of a game that are one of several: who may join, who plays for whoever is late, for how long.

Each value is the text that is stored.
"""

from __future__ import annotations

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
