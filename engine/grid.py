"""The board as integers: a bit for each space and each side, so that neighbours are shifts.

A space has the bit `row * width + column`. The row above the board, its last column and the first are left
free, so that no shift leads from one row into another. A side that lies between two spaces of one row has
the bit of the western one; a side between two rows has that of the northern one, `layer` bits higher up.
Coast and rim sides are numbered so too, by the space that would be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from engine.lattice import Side, Space, sides


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The bits of a board's spaces and sides."""

    width: int
    """How far a neighbour in the next row is away."""
    layer: int
    """How many bits the sides between rows stand above those between spaces of one row."""
    space_bits: Mapping[Space, int]
    side_bits: Mapping[Side, int]
    spaces: Mapping[int, Space] = field(init=False)
    """The space of each bit."""
    whole: int = field(init=False)
    """Every space."""
    rim: int = field(init=False)
    """Every side on the coast or the rim."""
    _east: int = field(init=False)
    _south: int = field(init=False)
    """The spaces that have a neighbour there."""

    def __post_init__(self) -> None:
        whole = sum(self.space_bits.values())
        east, south = whole & whole >> 1, 0
        for space, bit in self.space_bits.items():
            if not space.points_down and whole & bit << self.width:
                south |= bit
        made: dict[str, object] = {
            "spaces": {bit: space for space, bit in self.space_bits.items()},
            "whole": whole,
            "rim": sum(self.side_bits.values()) & ~(east | south << self.layer),
            "_east": east,
            "_south": south,
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, spaces: Iterable[Space]) -> Grid:
        """The grid for these spaces."""
        listed = list(spaces)
        width = max(space.col for space in listed) + 3
        layer = width * (max(space.row for space in listed) + 3)
        numbers = {space: (space.row + 1) * width + space.col for space in listed}
        side_bits = {}
        for space, number in numbers.items():
            one, two, three = sides(space)
            if space.points_down:
                side_bits[one] = 1 << layer + number - width
                side_bits[two], side_bits[three] = 1 << number - 1, 1 << number
            else:
                side_bits[one], side_bits[two] = 1 << number - 1, 1 << number
                side_bits[three] = 1 << layer + number
        return cls(width, layer, {space: 1 << number for space, number in numbers.items()}, side_bits)

    def mask_spaces(self, spaces: Iterable[Space]) -> int:
        """The bits of these spaces together."""
        mask, bits = 0, self.space_bits
        for space in spaces:
            mask |= bits[space]
        return mask

    def mask_sides(self, edges: Iterable[Side]) -> int:
        """The bits of these sides together."""
        mask, bits = 0, self.side_bits
        for edge in edges:
            mask |= bits[edge]
        return mask

    def list_spaces(self, mask: int) -> tuple[Space, ...]:
        """The spaces of a mask, in reading order."""
        return _list_spaces(self, mask)

    def list_sides(self, mask: int) -> frozenset[Side]:
        """The sides of a mask."""
        return _list_sides(self, mask)

    def beside(self, edges: int) -> int:
        """The spaces on either hand of these sides."""
        rows = edges >> self.layer
        columns = edges ^ rows << self.layer
        return (columns | columns << 1 | rows | rows << self.width) & self.whole

    def unwalled(self, walled: int) -> int:
        """The spaces with no wall on any of their sides."""
        return self.whole & ~self.beside(walled)

    def fill(self, walled: int, seed: int, goal: int = 0) -> int:
        """The spaces connected with those of `seed` across sides without a wall (5.4).

        With a `goal` it may stop as soon as all of that is reached, and then tells but a part.
        """
        width = self.width
        east = self._east & ~walled
        south = self._south & ~(walled >> self.layer)
        reached = seed
        while True:
            before = reached
            reached |= east ^ east + (reached & east)  # a carry runs on to the next wall
            reached |= reached >> 1 & east
            reached |= (reached & south) << width
            reached |= reached >> width & south
            if reached == before or (goal and goal & reached == goal):
                return reached


@lru_cache(maxsize=256)
def _list_sides(grid: Grid, mask: int) -> frozenset[Side]:
    return frozenset([edge for edge, bit in grid.side_bits.items() if bit & mask])


@lru_cache(maxsize=4096)
def _list_spaces(grid: Grid, mask: int) -> tuple[Space, ...]:
    found, spaces = [], grid.spaces
    while mask:
        low = mask & -mask
        found.append(spaces[low])
        mask ^= low
    return tuple(found)
