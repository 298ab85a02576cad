"""A plan as a value: whole turns in the order in which they are tried, each with its conditions.

A condition speaks of what everybody sees, so that a plan can neither use nor give away what is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import assert_never

from engine.board import Space
from engine.cards import Symbol
from engine.notation.orders import Order, Verb
from engine.position import Table
from engine.provinces import province_at

MOST_ALTERNATIVES = 6
MOST_ORDERS = 10
"""Of one alternative; a whole turn has four."""


@dataclass(frozen=True, slots=True)
class CardOpen:
    """The display holds this card."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class ProvinceFree:
    """Nobody holds the province of this place."""

    place: Space


Condition = CardOpen | ProvinceFree


def holds(condition: Condition, table: Table) -> bool:
    """Whether a condition holds on a table."""
    match condition:
        case CardOpen(card):
            return card in table.display
        case ProvinceFree(place):
            return province_at(table, place).holder is None
        case _:
            assert_never(condition)


@dataclass(frozen=True, slots=True)
class Alternative:
    """One whole turn, and what must be so for it to be played."""

    conditions: tuple[Condition, ...]
    """None: it is played wherever it is legal."""
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
    """What a player will do: the first of these that can be done."""

    alternatives: tuple[Alternative, ...]
