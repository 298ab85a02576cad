"""What bots choose among: a few of very many marches, and the best of what was judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from engine.actions import Action, March
from engine.board import Board
from engine.lattice import Space, corners
from engine.march_rules import ShortestPaths
from engine.notation.orders import write
from engine.position import Table

Candidate = TypeVar("Candidate", bound=Action)


def best(board: Board, judged: Iterable[tuple[float, Candidate]]) -> tuple[float, Candidate]:
    """The candidate worth most, with its worth; among equals the first in the order of their texts."""
    return min(judged, key=lambda one: (-one[0], write(one[1], board)))


def some_marches(table: Table, spaces: tuple[Space, ...], most: int) -> Iterator[March]:
    """At most so many of the legal marches: one to each corner of each target, then a second to each, ..."""
    waiting = [
        (space, islice(ShortestPaths(table, corner), most)) for space in spaces for corner in corners(space)
    ]

    def in_turn() -> Iterator[March]:
        going = waiting
        while going:
            begun = [(space, next(ways, None), ways) for space, ways in going]
            yield from (March(space, path) for space, path, _ in begun if path is not None)
            going = [(space, ways) for space, path, ways in begun if path is not None]

    return islice(in_turn(), most)
