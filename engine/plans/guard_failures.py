"""Why the guards of a plan do not hold: what has changed since the plan was made, or is not as it asks for.

Each is a value made of the two tables alone, which everybody sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import assert_never

from engine.cards import Symbol
from engine.lattice import Point, Space
from engine.notation.orders import Order
from engine.plans.guards import find_player, holds
from engine.plans.turn_dependencies import FROM_DISPLAY, find_dependencies
from engine.plans.turn_plans import (
    AlexanderAt,
    Alternative,
    CardMissing,
    CardOpen,
    Guard,
    NobodyAbove,
    PlayerNotAbove,
    ProvinceFree,
    Unchanged,
)
from engine.position import Table
from engine.provinces import Province, province_at


@dataclass(frozen=True, slots=True)
class CardNotOpen:
    """The display holds no such card."""

    card: Symbol
    was_open: bool
    """Whether it did when the plan was made."""


@dataclass(frozen=True, slots=True)
class CardIsOpen:
    """The display holds this card."""

    card: Symbol
    was_open: bool


@dataclass(frozen=True, slots=True)
class ProvinceHeld:
    """Somebody holds the province of this place."""

    place: Space
    holder: int
    taken: bool
    """Whether they took it after the plan was made."""


@dataclass(frozen=True, slots=True)
class ProvinceLeft:
    """Nobody holds the province of this place any more."""

    place: Space
    holder: int
    """Who held it."""


@dataclass(frozen=True, slots=True)
class ProvinceResized:
    """Walls have made another province of that of this place."""

    place: Space
    value: int
    """How many points it is worth now."""
    value_before: int


@dataclass(frozen=True, slots=True)
class GuardsMoved:
    """Whoever holds the province of this place has other guards there."""

    place: Space
    holder: int


@dataclass(frozen=True, slots=True)
class AlexanderElsewhere:
    """Alexander stands at this corner."""

    point: Point
    wanted: Point
    """Where the plan has him, or where he stood when it was made."""


@dataclass(frozen=True, slots=True)
class PlayerAbove:
    """A seat has more points than the plan allows."""

    seat: int
    points: int
    most: int


@dataclass(frozen=True, slots=True)
class PlayerUnknown:
    """Nobody, or more than one, has this name any more."""

    name: str


@dataclass(frozen=True, slots=True)
class LevyChanged:
    """A levy would bring a seat other points."""

    seat: int
    gain: int
    gain_before: int


GuardFailure = (
    CardNotOpen
    | CardIsOpen
    | ProvinceHeld
    | ProvinceLeft
    | ProvinceResized
    | GuardsMoved
    | AlexanderElsewhere
    | PlayerAbove
    | PlayerUnknown
    | LevyChanged
)


def find_failures(one: Alternative, now: Table, before: Table) -> tuple[GuardFailure, ...]:
    """Why the guards of an alternative do not hold, each once; none where all of them hold."""
    broken = (guard for guard in one.guards if not holds(guard, one.orders, now, before))
    return tuple(dict.fromkeys(why for guard in broken for why in _explain(guard, one.orders, now, before)))


def _explain(guard: Guard, orders: Iterable[Order], now: Table, before: Table) -> Iterator[GuardFailure]:
    """Why a guard does not hold; at least one value."""
    match guard:
        case CardOpen(card):
            yield CardNotOpen(card, card in before.display)
        case CardMissing(card):
            yield CardIsOpen(card, card in before.display)
        case ProvinceFree(place):
            holder = province_at(now, place).holder
            if holder is not None:
                yield ProvinceHeld(place, holder, province_at(before, place).holder != holder)
        case AlexanderAt(point):
            yield AlexanderElsewhere(now.alexander, point)
        case NobodyAbove(most):
            yield PlayerAbove(now.scores.index(max(now.scores)), max(now.scores), most)
        case PlayerNotAbove(name, most):
            seat = find_player(now.names, name)
            yield PlayerUnknown(name) if seat is None else PlayerAbove(seat, now.scores[seat], most)
        case Unchanged():
            yield from _find_changes(tuple(orders), now, before)
        case _:
            assert_never(guard)


def _find_changes(orders: tuple[Order, ...], now: Table, before: Table) -> Iterator[GuardFailure]:
    """What has changed in what a turn touches: cards and provinces, as they are named in it, come first."""
    new, old = find_dependencies(now, orders), find_dependencies(before, orders)
    cards = (card for one in orders if one.verb in FROM_DISPLAY for card in one.symbols)
    for card, is_open, was_open in zip(cards, new.cards, old.cards, strict=True):
        if was_open and not is_open:
            yield CardNotOpen(card, was_open)
        elif is_open and not was_open:
            yield CardIsOpen(card, was_open)
    for place in (place for one in orders for place in one.places):
        yield from _compare_province(place, province_at(now, place), province_at(before, place))
    if new.alexander is not None and old.alexander is not None and new.alexander != old.alexander:
        yield AlexanderElsewhere(new.alexander, old.alexander)
    gains = enumerate(zip_longest(new.gains, old.gains, fillvalue=0))
    changed = [LevyChanged(seat, gain, earlier) for seat, (gain, earlier) in gains if gain != earlier]
    yield from sorted(changed, key=lambda one: one.seat != now.seat)[:1]


def _compare_province(place: Space, now: Province, before: Province) -> Iterator[GuardFailure]:
    """What has become of the province of a place; nothing where it is the same."""
    if now.holder is not None and now.holder != before.holder:
        yield ProvinceHeld(place, now.holder, taken=True)
    elif before.holder is not None and now.holder is None:
        yield ProvinceLeft(place, before.holder)
    elif now.extent != before.extent:
        yield ProvinceResized(place, now.value, before.value)
    elif now.guarded != before.guarded and now.holder is not None:
        yield GuardsMoved(place, now.holder)
