"""Provinces: what the walls make of the board, who holds each and what it is worth (5.4-5.5, section 6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from engine.board import Board, Space
from engine.position import Table


@dataclass(frozen=True, slots=True)
class Province:
    """A connected group of spaces bounded by walls and the rim (5.4)."""

    board: Board = field(repr=False)
    extent: int
    """Its spaces, as bits of the board's grid."""
    holder: int | None
    guarded: int
    """The spaces where the holder's guards stand."""

    @property
    def spaces(self) -> tuple[Space, ...]:
        """Its spaces, in reading order."""
        return self.board.grid.list_spaces(self.extent)

    @property
    def places(self) -> tuple[Space, ...]:
        """Its symbol spaces, in reading order."""
        return self.board.grid.list_spaces(self.extent & self.board.symbol_mask)

    @property
    def guards(self) -> tuple[Space, ...]:
        """Where the holder's guards stand, in reading order."""
        return self.board.grid.list_spaces(self.guarded)

    @property
    def first(self) -> Space:
        """The first space in reading order, by which the province is named."""
        return self.board.grid.spaces[self.extent & -self.extent]

    @property
    def value(self) -> int:
        """The number of its open spaces (5.5)."""
        return (self.extent & ~self.board.symbol_mask).bit_count()

    @property
    def scores(self) -> int:
        """What a levy gives for it: nothing unless exactly one guard stands in it (5.12)."""
        return self.value if self.guarded.bit_count() == 1 else 0


@lru_cache(maxsize=256)
def partition_board(board: Board, walled: int) -> tuple[int, ...]:
    """How walls part the board: the extent of each province, in reading order of their first spaces."""
    rest, parts, fill = board.grid.whole, [], board.grid.fill
    while rest:
        part = fill(walled, rest & -rest)
        rest ^= part
        parts.append(part)
    return tuple(parts)


def split_extent(board: Board, walled: int, extent: int, seeds: int) -> tuple[int, ...]:
    """The parts of a former province, each of which holds some of the `seeds`; in reading order.

    New walls stand beside every part, so the spaces beside them are seeds enough (6.1).
    """
    rest, ahead, parts, fill = extent, seeds, [], board.grid.fill
    while ahead:
        part = fill(walled, ahead & -ahead, ahead)
        if not ahead & ~part:  # all that is left hangs together with it
            parts.append(rest)
            break
        rest ^= part
        ahead &= rest
        parts.append(part)
    return tuple(sorted(parts, key=lambda part: part & -part))


def make_province(table: Table, extent: int) -> Province:
    """The province with these spaces, with its holder and guards."""
    for seat, standing in enumerate(table.standing):
        if inside := standing & extent:
            return Province(table.board, extent, seat, inside)
    return Province(table.board, extent, None, 0)


def province_at(table: Table, space: Space) -> Province:
    """The province in which a space lies."""
    grid = table.board.grid
    return make_province(table, grid.fill(table.walled, grid.space_bits[space]))


def provinces(table: Table) -> Iterator[Province]:
    """Every province, in reading order of their first spaces."""
    return (make_province(table, extent) for extent in partition_board(table.board, table.walled))


def levy_gains(table: Table) -> tuple[int, ...]:
    """What each seat would score in a levy now (5.12)."""
    board, walled = table.board, table.walled
    return tuple([levy_gain(board, walled, standing) for standing in table.standing])


def levy_gain(board: Board, walled: int, standing: int) -> int:
    """What a seat scores with guards that stand there: the open spaces of each province with one."""
    total, fill = 0, board.grid.fill
    while standing:
        extent = fill(walled, standing & -standing)
        inside = standing & extent
        standing ^= inside
        if not inside & inside - 1:
            total += (extent & ~board.symbol_mask).bit_count()
    return total
