"""The dependencies of a turn on a table: where two tables agree in them, nothing of the turn has changed.

It is made of the table alone, which everybody sees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.lattice import Point, Space
from engine.notation.canonical_text import Verb
from engine.notation.orders import Order
from engine.position import Table
from engine.provinces import levy_gains, province_at

FROM_DISPLAY = frozenset((None, Verb.CHOOSE, Verb.TAKE, Verb.STAY))
"""What takes, or may take, a card of the display."""


@dataclass(frozen=True, slots=True)
class TurnDependencies:
    """What a turn depends on."""

    alexander: Point | None
    """Where a march begins; None without one."""
    cards: tuple[bool, ...]
    """Of each card that it may take from the display, whether that is there."""
    provinces: tuple[tuple[int, int | None, int], ...]
    """Of each place that it names the province: its spaces, its holder and where their guards stand."""
    gains: tuple[int, ...]
    """What a levy would bring each seat; empty without one."""


def find_dependencies(table: Table, orders: Iterable[Order]) -> TurnDependencies:
    """What these orders touch, as it is on this table."""
    said = tuple(orders)
    return TurnDependencies(
        table.alexander if any(one.verb == Verb.MARCH for one in said) else None,
        tuple(card in table.display for one in said if one.verb in FROM_DISPLAY for card in one.symbols),
        tuple(_describe_province(table, place) for one in said for place in one.places),
        levy_gains(table) if any(one.verb == Verb.LEVY for one in said) else (),
    )


def _describe_province(table: Table, place: Space) -> tuple[int, int | None, int]:
    found = province_at(table, place)
    return found.extent, found.holder, found.guarded
