"""The numbers of corners: those to which one card leads count from 1, in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine import march_rules
from engine.actions import Unreadable
from engine.lattice import Point, Space, corners
from engine.notation.orders import Order
from engine.position import Phase, Table


def list_goal_corners(table: Table, spaces: Iterable[Space]) -> tuple[Point, ...]:
    """The corners of these targets that can be reached, in the order of their numbers."""
    return tuple(
        sorted({corner for space in spaces for corner in march_rules.reachable_corners(table, space)})
    )


def name_corner(said: Order, table: Table, spaces: Sequence[Space]) -> Order:
    """A march with its corner by name, where it was said by its number. Raises `Unreadable`."""
    if said.corner is None:
        return said
    found = list_goal_corners(table, spaces)
    if not 0 < said.corner <= len(found):
        raise Unreadable(
            "there is no corner %(number)s: the %(card)s leads to corners 1 to %(most)s",
            number=said.corner,
            card=table.chosen or "",
            most=len(found),
        )
    point = found[said.corner - 1]
    for place in said.places:
        if point not in corners(place):
            name = table.board.names[place]
            raise Unreadable("corner %(number)s is not one of %(place)s", number=said.corner, place=name)
    return replace(said, points=(point,), corner=None)


def judge_number(said: Order, table: Table) -> None:
    """Raises `Unreadable` where the number of a corner is said and no card has been chosen for a march."""
    if said.corner is None:
        return
    if table.phase is Phase.CARD:
        card = next(iter(march_rules.choosable_cards(table)), None)
        raise Unreadable(
            "say the card with the number of its corner, such as “%(card)s %(number)s”",
            card=card or "horse",
            number=said.corner,
        )
    if table.phase is not Phase.MARCH and not said.places:
        raise Unreadable(
            "“%(number)s” stands for nothing here: answer with the letter of a choice, or in words",
            number=said.corner,
        )
