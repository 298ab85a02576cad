"""A plan as a value: alternatives in order, each a whole turn with the guards that must hold for it.

A guard speaks of what everybody sees, so that a plan can neither use nor give away what is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from engine.cards import Symbol
from engine.lattice import Point, Space
from engine.notation.canonical_text import Verb
from engine.notation.orders import Order

MOST_ALTERNATIVES = 6
MOST_GUARDS = 6
"""Of one alternative."""
MOST_ORDERS = 10
"""The same; a whole turn has four."""


@dataclass(frozen=True, slots=True)
class CardOpen:
    """The display holds this card."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class ProvinceFree:
    """Nobody holds the province of this place."""

    place: Space


@dataclass(frozen=True, slots=True)
class AlexanderAt:
    """Alexander stands at this corner."""

    point: Point


@dataclass(frozen=True, slots=True)
class NobodyAbove:
    """Nobody has more points than this."""

    points: int


@dataclass(frozen=True, slots=True)
class CardMissing:
    """The display holds no such card."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class PlayerNotAbove:
    """One player has no more points than this."""

    name: str
    """In small letters: a whole name, or a word of one."""
    points: int


@dataclass(frozen=True, slots=True)
class Unchanged:
    """What the turn touches is as it was when the plan was made (turn_dependencies.py)."""


Guard = CardOpen | CardMissing | ProvinceFree | AlexanderAt | NobodyAbove | PlayerNotAbove | Unchanged
UNCHANGED = Unchanged()


@dataclass(frozen=True, slots=True)
class Alternative:
    """One whole turn, and what must be so for it to be played."""

    guards: tuple[Guard, ...]
    """None: it is played in any case where it is legal."""
    orders: tuple[Order, ...]

    @property
    def until_reveal(self) -> tuple[Order, ...]:
        """The orders up to the first card that is drawn, which nobody can foresee."""
        ahead = tuple(takewhile(lambda one: one.verb != Verb.DRAW, self.orders))
        return self.orders[: len(ahead) + 1]

    @property
    def beyond(self) -> tuple[Order, ...]:
        """Those behind it: they are done then as far as they can be."""
        return self.orders[len(self.until_reveal) :]


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """What a player will do: the first of these that fits."""

    alternatives: tuple[Alternative, ...]
