"""Marches that are left open, by their place, corner or path: which of them is tried first.

It is what a sentence can tell, so that whoever plans knows which one is played.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import pairwise

from engine import march_rules
from engine.actions import March
from engine.board import Board
from engine.lattice import Point, Space, corners
from engine.notation.canonical_text import Verb
from engine.notation.completion import cheapest_paths
from engine.notation.orders import Order
from engine.plans.turn_plans import Alternative
from engine.position import Table


def rank_marches(table: Table, said: Order) -> Iterator[March]:
    """The marches that an order can mean, lazily: those with the fewest new walls first.

    Of equal ones the first is by place, corner and path in reading order.
    """
    spaces = [
        space for space in march_rules.targets_of_chosen(table) if not said.places or space in said.places
    ]
    ways = [
        _ways_to(table, said, space, corner)
        for space in spaces
        for corner in corners(space)
        if said.can_end_on(corner)
    ]
    for _, space, _, path in merge(*ways):
        yield March(space, path)


def _ways_to(
    table: Table, said: Order, space: Space, corner: Point
) -> Iterator[tuple[int, Space, Point, march_rules.Path]]:
    for walls, path in cheapest_paths(table, corner, said.points_towards(corner)):
        yield walls, space, corner, path


def leaves_march_open(one: Alternative, board: Board) -> bool:
    """Whether a turn marches by a path that it does not name from the first point to the last."""
    marches = [order for order in one.orders if order.verb == Verb.MARCH]
    is_left_out = not marches and len(one.orders) > 1 and one.orders[0].verb != Verb.STAY
    return is_left_out or not all(_is_whole(march, board) for march in marches)


def _is_whole(march: Order, board: Board) -> bool:
    points = march.points
    return bool(march.places) and len(points) > 1 and all(b in board.steps[a] for a, b in pairwise(points))
