"""Whether a guard of a plan holds: asked of the table, and of the table as it was when the plan was made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import assert_never

from engine.notation.orders import Order
from engine.plans.turn_dependencies import find_dependencies
from engine.plans.turn_plans import (
    AlexanderAt,
    CardMissing,
    CardOpen,
    Guard,
    NobodyAbove,
    PlayerNotAbove,
    ProvinceFree,
    Unchanged,
)
from engine.position import Table
from engine.provinces import province_at


def holds(guard: Guard, orders: Iterable[Order], now: Table, before: Table) -> bool:
    """Whether a guard of a turn of these orders holds; `before` is the table as the plan was made on it."""
    match guard:
        case CardOpen(card):
            return card in now.display
        case CardMissing(card):
            return card not in now.display
        case ProvinceFree(place):
            return province_at(now, place).holder is None
        case AlexanderAt(point):
            return now.alexander == point
        case NobodyAbove(points):
            return max(now.scores) <= points
        case PlayerNotAbove(name, points):
            seat = find_player(now.names, name)
            return seat is not None and now.scores[seat] <= points
        case Unchanged():
            said = tuple(orders)
            return find_dependencies(now, said) == find_dependencies(before, said)
        case _:
            assert_never(guard)


def find_player(names: Sequence[str], name: str) -> int | None:
    """The seat of a player by their name or a word of it; None where that is nobody, or several."""
    words = [re.findall(r"\w+", one.casefold()) for one in names]
    found = [seat for seat, one in enumerate(words) if name == " ".join(one) or name in one]
    return found[0] if len(found) == 1 else None
