"""Provinces: what the walls make of the board, who holds each and what it is worth (5.4-5.5, section 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.board import Board
from engine.lattice import Side, Space
from engine.position import Table


@dataclass(frozen=True, slots=True)
class Province:
    """A connected group of spaces bounded by walls and the rim (5.4)."""

    spaces: tuple[Space, ...]
    """In reading order."""
    places: tuple[Space, ...]
    """Its symbol spaces, in reading order."""
    holder: int | None
    guards: tuple[Space, ...]
    """Where the holder's guards stand, in reading order."""

    @property
    def first(self) -> Space:
        """The first space in reading order, by which the province is named."""
        return self.spaces[0]

    @property
    def value(self) -> int:
        """The number of its open spaces (5.5)."""
        return len(self.spaces) - len(self.places)

    @property
    def scores(self) -> int:
        """What a levy gives for it: nothing unless exactly one guard stands in it (5.12)."""
        return self.value if len(self.guards) == 1 else 0


def flood_fill(board: Board, walls: frozenset[Side], start: Space) -> list[Space]:
    """The spaces connected with `start` across sides without a wall (5.4), in no order."""
    reached, found = {start}, [start]
    beyond = board.neighbours
    for space in found:
        for edge, other in beyond[space]:
            if other not in reached and edge not in walls:
                reached.add(other)
                found.append(other)
    return found


@lru_cache(maxsize=256)
def partition_board(board: Board, walls: frozenset[Side]) -> tuple[tuple[Space, ...], ...]:
    """How walls part the board: the spaces of each province, in reading order of their first spaces."""
    seen: set[Space] = set()
    parts = []
    for space in board.symbols:
        if space not in seen:
            part = flood_fill(board, walls, space)
            seen.update(part)
            part.sort()
            parts.append(tuple(part))
    return tuple(parts)


@lru_cache(maxsize=64)
def extents_by_space(board: Board, walls: frozenset[Side]) -> Mapping[Space, tuple[Space, ...]]:
    """For each space the spaces of the province in which it lies."""
    return {space: part for part in partition_board(board, walls) for space in part}


def make_province(table: Table, spaces: tuple[Space, ...]) -> Province:
    """The province with these spaces, with its places, holder and guards."""
    symbols = table.board.symbols
    places = tuple(space for space in spaces if symbols[space])
    inside = frozenset(places)
    for seat, standing in enumerate(table.guards):
        guards = tuple(space for space in standing if space in inside)
        if guards:
            return Province(spaces, places, seat, guards)
    return Province(spaces, places, None, ())


def province_at(table: Table, space: Space) -> Province:
    """The province in which a space lies."""
    return make_province(table, tuple(sorted(flood_fill(table.board, table.walls, space))))


def provinces(table: Table) -> Iterator[Province]:
    """Every province, in reading order of their first spaces."""
    return (make_province(table, spaces) for spaces in partition_board(table.board, table.walls))


def levy_gains(table: Table) -> tuple[int, ...]:
    """What each seat would score in a levy now (5.12)."""
    return tuple(_levy_gain(table, standing) for standing in table.guards)


def _levy_gain(table: Table, standing: tuple[Space, ...]) -> int:
    total = 0
    counted: set[Space] = set()
    for place in standing:
        if place not in counted:
            province = province_at(table, place)
            counted.update(province.guards)
            total += province.scores
    return total
