"""An order as it was written: its verb, symbols, places and points, not yet resolved in a position."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.actions import Unreadable
from engine.cards import Symbol
from engine.lattice import Point, Space
from engine.notation.canonical_text import Verb


@dataclass(frozen=True, slots=True)
class Order:
    """The words of one action, sorted by kind."""

    verb: Verb | None
    """None: a symbol is said alone, and `grammar.expand_order` finds what it can mean."""
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
    corner: int | None = None
    """The number of the corner where a march ends, among those to which its card leads, counted from 1."""
    holder: str = ""
    """From whom a province is said to be taken over, in small letters."""

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
    answer: str = ""
    """The letter of a choice, or its number, where the line is that and nothing else; blanks part several."""
    plain_refusal: Unreadable | None = None
    """Where it is told in sentences (clauses.py), why it cannot be read by the words that begin orders."""

    @property
    def is_told(self) -> bool:
        """Whether its orders are told in sentences."""
        return self.plain_refusal is not None

    def without_sentences(self) -> OrderLine:
        """The same line as it is read where nobody tells orders in sentences."""
        return OrderLine(self.words, (), self.plain_refusal) if self.is_told else self

    @property
    def marks(self) -> list[str]:
        """What in it stands for something of the letter that is answered: its answer, and its numbers."""
        return [*self.answer.split(), *_NUMBER.findall(self.words)]


_NUMBER = re.compile(r"(?<![A-Za-z\d])\d+")
