"""What provinces score, counted once more without the engine's provinces: to hold others' sums against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import permutations

from engine.board import Board, Side, Space
from engine.events import Event, TaxesLevied
from engine.position import Position, Table

Score = tuple[int, int, Space, int]
"""A turn, a seat, where its one guard stood in a province, and the points that were scored for it."""


@cache
def beyond(board: Board) -> dict[Space, list[tuple[Side, Space]]]:
    """For each space its sides that it shares with another, and that other."""
    found: dict[Space, list[tuple[Side, Space]]] = {space: [] for space in board.symbols}
    for edge, both in board.spaces_on.items():
        for one, other in permutations(both) if len(both) == 2 else ():
            found[one].append((edge, other))
    return found


def spaces_around(table: Table, place: Space) -> set[Space]:
    """The province of a place: all that no wall parts from it (5.4)."""
    near, reached, ahead = beyond(table.board), {place}, [place]
    while ahead:
        for edge, other in near[ahead.pop()]:
            if edge not in table.walls and other not in reached:
                reached.add(other)
                ahead.append(other)
    return reached


def scores_of(table: Table) -> list[tuple[int, Space, int]]:
    """What a levy scores now, by seat and guard: the open spaces of provinces with one guard (5.5, 5.12)."""
    found = []
    for seat, standing in enumerate(table.guards):
        for place in standing:
            inside = spaces_around(table, place)
            if sum(other in inside for other in standing) == 1:
                value = sum(table.board.symbols[space] is None for space in inside)
                found.append((seat, place, value))
    return found


def scores_by_levy(steps: Iterable[tuple[Position, Event]]) -> list[Score]:
    """All that was ever scored in a game, levy by levy."""
    return [
        (now.table.turn, seat, place, value)
        for now, event in steps
        if isinstance(event, TaxesLevied)
        for seat, place, value in scores_of(now.table)
        if value
    ]


def totals(scores: Iterable[Score], seats: int) -> tuple[int, ...]:
    found = Counter[int]()
    for _, seat, _, value in scores:
        found[seat] += value
    return tuple(found[seat] for seat in range(seats))
