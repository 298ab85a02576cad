"""The board: a triangular grid of points, sides and spaces, its symbols, and lookups over them."""

from __future__ import annotations

import itertools
import tomllib
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import NamedTuple

from engine.cards import SYMBOL_INDEX, SYMBOLS, Bag, Symbol

ROW_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Point(NamedTuple):
    """A corner of spaces; `row + col` is even."""

    row: int
    col: int

    def __str__(self) -> str:
        return f"{ROW_LETTERS[self.row]}{self.col + 1}"


class Side(NamedTuple):
    """A side between two neighbouring points; `first` comes before `second` in reading order."""

    first: Point
    second: Point

    def __str__(self) -> str:
        return f"{self.first}-{self.second}"


class Space(NamedTuple):
    """A triangle between point rows `row` and `row + 1`; `col` is its middle column.

    Spaces sort in reading order: row by row, west to east.
    """

    row: int
    col: int

    @property
    def points_down(self) -> bool:
        """True if the triangle stands on its tip."""
        return (self.row + self.col) % 2 == 1

    def __str__(self) -> str:
        return f"{ROW_LETTERS[self.row]}{ROW_LETTERS[self.row + 1]}{self.col + 1}"


@cache
def corners(space: Space) -> tuple[Point, Point, Point]:
    """Return the three corners of a space; all other geometry is derived from this function."""
    row, col = space
    if space.points_down:
        return Point(row, col - 1), Point(row, col + 1), Point(row + 1, col)
    return Point(row, col), Point(row + 1, col - 1), Point(row + 1, col + 1)


@cache
def side(one: Point, other: Point) -> Side:
    return Side(one, other) if one < other else Side(other, one)


def sides(space: Space) -> tuple[Side, Side, Side]:
    a, b, c = corners(space)
    return side(a, b), side(a, c), side(b, c)


def sides_of_path(path: tuple[Point, ...]) -> tuple[Side, ...]:
    return tuple(side(one, other) for one, other in itertools.pairwise(path))


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Bit masks of spaces and sides: each space or side is one bit of an integer."""

    width: int
    """Number of bits for a row of spaces."""
    layer: int
    """Number of bits for slanted sides, at the low end of a side mask; horizontal sides have higher bits."""
    space_bits: Mapping[Space, int]
    side_bits: Mapping[Side, int]
    spaces: Mapping[int, Space] = field(init=False)
    whole: int = field(init=False)
    """The mask of all spaces."""
    rim: int = field(init=False)
    """The mask of all sides on the coast or the rim."""
    _east: int = field(init=False)  # the mask of spaces with an eastern neighbour
    _south: int = field(init=False)

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
        mask, bits = 0, self.space_bits
        for space in spaces:
            mask |= bits[space]
        return mask

    def mask_sides(self, edges: Iterable[Side]) -> int:
        mask, bits = 0, self.side_bits
        for edge in edges:
            mask |= bits[edge]
        return mask

    @lru_cache(maxsize=4096)  # noqa: B019, boards are few and live long
    def list_spaces(self, mask: int) -> tuple[Space, ...]:
        """Return the spaces of a mask in reading order."""
        found, spaces = [], self.spaces
        while mask:
            low = mask & -mask
            found.append(spaces[low])
            mask ^= low
        return tuple(found)

    def beside(self, edges: int) -> int:
        """Return the mask of the spaces next to these sides."""
        rows = edges >> self.layer
        columns = edges ^ rows << self.layer
        return (columns | columns << 1 | rows | rows << self.width) & self.whole

    def fill(self, walled: int, seed: int, goal: int = 0) -> int:
        """Return the mask of all spaces connected with the spaces in `seed` without crossing a wall (5.4).

        With a `goal`, the search stops once all spaces in `goal` are found; the result may be incomplete.
        """
        width = self.width
        east = self._east & ~walled
        south = self._south & ~(walled >> self.layer)
        reached = seed
        while True:
            before = reached
            reached |= east ^ east + (reached & east)  # the carry spreads to the next wall
            reached |= reached >> 1 & east
            reached |= (reached & south) << width
            reached |= reached >> width & south
            if reached == before or (goal and goal & reached == goal):
                return reached


@lru_cache(maxsize=256)
def list_sides(grid: Grid, mask: int) -> frozenset[Side]:
    return frozenset([edge for edge, bit in grid.side_bits.items() if bit & mask])


SYMBOL_LETTERS = {symbol[0]: symbol for symbol in SYMBOLS}
MAX_ROWS = 25
NAME_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


class InvalidBoard(ValueError):
    """An unusable board file; the message gives the reason and the row."""


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """The spaces of a board (1.1) with every lookup that the rules need.

    Boards compare by identity: each is read once and shared.
    """

    name: str
    start: Point
    symbols: Mapping[Space, Symbol | None]
    """Each space in reading order with its symbol; None: an open space."""
    names: Mapping[Space, str]
    """The names of symbol spaces, in reading order."""

    places: Mapping[str, Space] = field(init=False)
    spaces_at: Mapping[Point, tuple[Space, ...]] = field(init=False)
    spaces_on: Mapping[Side, tuple[Space, ...]] = field(init=False)
    """The one or two spaces of each side; with one, the side is on the coast or the rim."""
    steps: Mapping[Point, tuple[Point, ...]] = field(init=False)
    """For each point the points one side away."""
    point_names: Mapping[str, Point] = field(init=False)
    side_names: Mapping[str, Side] = field(init=False)
    sides_around: Mapping[Space, tuple[Side, Side, Side]] = field(init=False)
    grid: Grid = field(init=False)
    symbol_masks: tuple[int, ...] = field(init=False)
    """For each symbol, in the order of `Symbol`, the mask of its spaces."""
    symbol_mask: int = field(init=False)
    around: Mapping[Point, int] = field(init=False)
    """For each point the mask of the spaces that have it as a corner."""
    edges: Mapping[Point, Mapping[Point, tuple[Side, int]]] = field(init=False)
    """For each point its neighbours, each with the side between and the bit of the side."""

    def __post_init__(self) -> None:
        spaces_at: dict[Point, list[Space]] = {}
        spaces_on: dict[Side, list[Space]] = {}
        for space in self.symbols:
            for corner in corners(space):
                spaces_at.setdefault(corner, []).append(space)
            for edge in sides(space):
                spaces_on.setdefault(edge, []).append(space)
        steps: dict[Point, list[Point]] = {point: [] for point in sorted(spaces_at)}
        for edge in sorted(spaces_on):
            steps[edge.first].append(edge.second)
            steps[edge.second].append(edge.first)
        grid = Grid.of(self.symbols)
        masks = tuple(
            grid.mask_spaces(space for space, borne in self.symbols.items() if borne is symbol)
            for symbol in SYMBOLS
        )
        made: dict[str, object] = {
            "grid": grid,
            "symbol_masks": masks,
            "symbol_mask": sum(masks),
            "around": {point: grid.mask_spaces(spaces_at[point]) for point in steps},
            "places": {name: space for space, name in self.names.items()},
            "spaces_at": {point: tuple(spaces_at[point]) for point in steps},
            "spaces_on": {edge: tuple(spaces_on[edge]) for edge in sorted(spaces_on)},
            "sides_around": {space: sides(space) for space in self.symbols},
            "steps": {point: tuple(sorted(steps[point])) for point in steps},
            "edges": {
                point: {step: (side(point, step), grid.side_bits[side(point, step)]) for step in sorted(near)}
                for point, near in steps.items()
            },
            "point_names": {str(point): point for point in steps},
            "side_names": {str(edge): side(*edge) for edge in sorted(spaces_on)},
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    @classmethod
    def read(cls, text: str) -> Board:
        """Parse a board file; raises `InvalidBoard`."""
        try:
            data = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # very long numbers, deeply nested lists
            raise InvalidBoard(f"the file is not TOML: {error}") from None
        name, start = data.get("name"), data.get("start")
        if not isinstance(name, str) or not name.strip():
            raise InvalidBoard("name must be a text that is not empty")
        rows, lists = data.get("rows"), data.get("places")
        if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
            raise InvalidBoard("rows must be a list of strings")
        if not isinstance(lists, list) or not all(isinstance(row, list) for row in lists):
            raise InvalidBoard("places must be a list of lists of names")
        symbols = _read_rows(rows)
        board = cls(name, _read_start(start, symbols), symbols, _read_places(lists, rows, symbols))
        _check_connected(board)
        return board

    def symbol_at(self, space: Space) -> Symbol:
        """Return the symbol of a symbol space; raises `ValueError` for an open space."""
        symbol = self.symbols[space]
        if symbol is None:
            raise ValueError(f"{space} bears no symbol")
        return symbol

    def is_on_rim(self, edge: Side) -> bool:
        """True if a side is on the coast or the rim: only one space has it."""
        return len(self.spaces_on[edge]) == 1

    @lru_cache(maxsize=4096)  # noqa: B019
    def distances_from(self, start: Point) -> Mapping[Point, int]:
        """Return the distance of each point from `start` in sides (4.3)."""
        found = {start: 0}
        queue = deque([start])
        while queue:
            point = queue.popleft()
            for step in self.steps[point]:
                if step not in found:
                    found[step] = found[point] + 1
                    queue.append(step)
        return found

    @lru_cache(maxsize=4096)  # noqa: B019
    def rings(self, start: Point) -> tuple[tuple[int, ...], ...]:
        """For each symbol, return the masks of its spaces by distance, nearest first, none empty (4.3)."""
        far = self.distances_from(start)
        found: list[dict[int, int]] = [{} for _ in SYMBOLS]
        for space in self.names:
            distance = min(far[corner] for corner in corners(space))
            ring = found[SYMBOL_INDEX[self.symbol_at(space)]]
            ring[distance] = ring.get(distance, 0) | self.grid.space_bits[space]
        return tuple(tuple(ring[distance] for distance in sorted(ring)) for ring in found)

    @lru_cache(maxsize=4096)  # noqa: B019
    def descents(self, goal: Point) -> Mapping[Point, tuple[tuple[Point, int], ...]]:
        """Map points to the next points on shortest paths to `goal` (4.5), each with the bit of the side."""
        far = self.distances_from(goal)
        return {
            point: tuple(
                (step, bit) for step, (_, bit) in self.edges[point].items() if far[step] < far[point]
            )
            for point in far
        }

    def symbols_within(self, mask: int) -> Bag:
        """Return the symbols of these spaces as a bag."""
        a, b, c, d, e = self.symbol_masks
        return Bag(
            (
                (mask & a).bit_count(),
                (mask & b).bit_count(),
                (mask & c).bit_count(),
                (mask & d).bit_count(),
                (mask & e).bit_count(),
            )
        )


def _read_rows(rows: list[str]) -> dict[Space, Symbol | None]:
    if len(rows) > MAX_ROWS:
        raise InvalidBoard(f"{len(rows)} rows are too many: at most {MAX_ROWS} have letters")
    symbols: dict[Space, Symbol | None] = {}
    for row, strip in enumerate(rows):
        for index, character in enumerate(strip):
            if character == " ":
                continue
            if character != "." and character not in SYMBOL_LETTERS:
                raise InvalidBoard(f"row {row + 1} has the unknown character {character!a}")
            symbols[Space(row, index + 1)] = SYMBOL_LETTERS.get(character)
    if not symbols:
        raise InvalidBoard("the board has no space")
    return symbols


def _read_start(start: object, symbols: Mapping[Space, Symbol | None]) -> Point:
    for space in symbols:
        for corner in corners(space):
            if str(corner) == start:
                return corner
    raise InvalidBoard(f"the start {start!a} is not a corner of a space")


def _read_places(
    lists: list[list[object]], rows: list[str], symbols: Mapping[Space, Symbol | None]
) -> dict[Space, str]:
    if len(lists) != len(rows):
        raise InvalidBoard(f"places has {len(lists)} lists for {len(rows)} rows")
    names: dict[Space, str] = {}
    seen: set[str] = set()
    for row, given in enumerate(lists):
        spaces = [space for space, symbol in symbols.items() if symbol and space.row == row]
        if len(given) != len(spaces):
            raise InvalidBoard(f"row {row + 1} has {len(spaces)} symbol spaces and {len(given)} names")
        for space, name in zip(spaces, given, strict=True):
            if not isinstance(name, str) or not name or not NAME_LETTERS.issuperset(name):
                raise InvalidBoard(f"row {row + 1} has the name {name!a}, which is not a word of letters")
            if name.casefold() in seen:
                raise InvalidBoard(f"row {row + 1} repeats the name {name}")
            seen.add(name.casefold())
            names[space] = name
    return names


def _check_connected(board: Board) -> None:
    first = next(iter(board.symbols))
    reached = board.grid.fill(0, board.grid.space_bits[first])
    for space, bit in board.grid.space_bits.items():
        if not bit & reached:
            raise InvalidBoard(
                f"row {space.row + 1}: the space {space} is not connected with {first} by sides"
            )
