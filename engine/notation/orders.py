"""An order as it was written: its verb, symbols, places and points, not yet resolved in a position."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.actions import Unreadable
from engine.cards import Symbol
from engine.lattice import Point, Space

BARE_SYMBOL = ""
"""The verb of a symbol that is said alone; `grammar.expand_order` finds what it can mean."""


@dataclass(frozen=True, slots=True)
class Order:
    """The words of one action, sorted by kind."""

    verb: str
    """The word with which its canonical text begins, or `BARE_SYMBOL`."""
    symbols: tuple[Symbol, ...] = ()
    places: tuple[Space, ...] = ()
    points: tuple[Point, ...] = ()
    """The path of a march or a part of it; the last of them is the corner where it ends."""
    short: bool = False
    """Whether a bare symbol was abbreviated."""
    passed: tuple[Point, ...] = ()
    """Points of which it is said only that a march passes them; without `points` its corner is not known."""
    origin: Point | None = None
    """Where a march is said to begin."""

    def can_end_on(self, corner: Point) -> bool:
        """Whether a march as it is said can end on a corner."""
        return self.points[-1:] in ((), (corner,))

    def points_towards(self, corner: Point) -> tuple[Point, ...]:
        """The points that a march as it is said passes on its way to a corner, in order, with the corner.

        The last that is only passed may be that corner: where somebody goes via it, it may be meant.
        """
        last = self.points or (() if self.passed[-1:] == (corner,) else (corner,))
        return (*self.passed, *last)


@dataclass(frozen=True, slots=True)
class OrderLine:
    """A line that somebody wrote, and the orders that it says: parsed once, where it comes in."""

    words: str
    """As it was written."""
    orders: tuple[Order, ...]
    """None where the line cannot be read."""
    refusal: Unreadable | None = None
    """Why it cannot be read."""

    @property
    def numbers(self) -> list[str]:
        """The numbers in it that are no part of a point's name: they stand for choices of a letter."""
        return _NUMBER.findall(self.words)


_NUMBER = re.compile(r"(?<![A-Za-z\d])\d+")
