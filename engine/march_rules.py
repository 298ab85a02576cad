"""Alexander's march (section 4): cards, target spaces, corners and paths.

Paths are generated one by one, because a distant target can have thousands of shortest paths. All
functions depend on the public table only.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from engine.actions import Illegal, March
from engine.board import Board, Point, Side, Space, corners
from engine.cards import SYMBOL_INDEX, Symbol
from engine.position import Table
from engine.provinces import Province, make_province, partition_board, split_extent

Path = tuple[Point, ...]


def empty_spaces(table: Table) -> int:
    """Return the mask of empty spaces: no guard, no wall on a side, and no corner with Alexander (4.2)."""
    taken = table.board.around[table.alexander] | table.board.grid.beside(table.walled)
    for standing in table.standing:
        taken |= standing
    return table.board.grid.whole & ~taken


def closest(table: Table, symbol: Symbol, empty: int) -> int:
    """Return the mask of the spaces in `empty` that have this symbol and are nearest to Alexander (4.3)."""
    for ring in table.board.rings(table.alexander)[SYMBOL_INDEX[symbol]]:
        if found := ring & empty:
            return found
    return 0


def is_joker(table: Table, card: Symbol) -> bool:
    """True if a display card is a joker (4.8, 9.3)."""
    empty, masks = empty_spaces(table), table.board.symbol_masks
    judged = [card] if table.edition.joker_alone else [card, *table.display.kinds()]
    return not any(empty & masks[SYMBOL_INDEX[symbol]] for symbol in judged)


def closest_of_all(board: Board, alexander: Point, empty: int) -> int:
    """Return a joker's targets (4.8) as a mask: for each symbol, its nearest spaces in the mask `empty`."""
    found = 0
    for rings in board.rings(alexander):
        found |= next((ring & empty for ring in rings if ring & empty), 0)
    return found


def targets(table: Table, card: Symbol, *, from_display: bool) -> tuple[Space, ...]:
    """Return a card's targets (4.3, 4.8) in reading order, even if too few walls are left for any march."""
    empty = empty_spaces(table)
    found = closest(table, card, empty)
    if not found and from_display and is_joker(table, card):
        found = closest_of_all(table.board, table.alexander, empty)
    return table.board.grid.list_spaces(found)


def targets_of_chosen(table: Table) -> tuple[Space, ...]:
    """Return the targets of the chosen card in the march phase.

    If no space with its symbol is empty, the chosen card is a joker (4.8, 4.10). The card that comes to the
    display instead of the chosen card does not change the targets (4.11).
    """
    return table.board.grid.list_spaces(_aims_of_chosen(table))


def _aims_of_chosen(table: Table) -> int:
    assert table.chosen is not None
    empty = empty_spaces(table)
    return closest(table, table.chosen, empty) or closest_of_all(table.board, table.alexander, empty)


def free_sides(table: Table) -> int:
    """Return the mask of sides on which a march builds no wall (4.6, 9.1)."""
    return table.walled if table.edition.rim_walls else table.walled | table.board.grid.rim


def new_walls(table: Table, path: Path) -> tuple[Side, ...]:
    """Return the sides on which a path builds walls, in path order (4.6)."""
    free, edges = free_sides(table), table.board.edges
    walked = [edges[one][other] for one, other in itertools.pairwise(path)]
    return tuple([edge for edge, bit in walked if not bit & free])


class ShortestPaths:
    """The shortest paths from Alexander to one corner (4.5) for which enough walls are left (4.9)."""

    def __init__(self, table: Table, corner: Point) -> None:
        self.table = table
        self.corner = corner
        self._far = table.board.distances_from(corner)
        self._descents = table.board.descents(corner)
        self._free = free_sides(table)
        self._least: dict[Point, int] = {}
        self.length = self._far[table.alexander]

    def next_points(self, point: Point) -> tuple[Point, ...]:
        """Return the points that can follow `point` on a shortest path."""
        return tuple(step for step, _ in self._descents[point])

    def _layers(self) -> list[list[Point]]:
        """Return the points on the paths, grouped by distance from the start."""
        rows, descents = [[self.table.alexander]], self._descents
        for _ in range(self.length):
            rows.append(list(dict.fromkeys([step for point in rows[-1] for step, _ in descents[point]])))
        return rows

    def fewest_walls(self) -> int:
        """Return the number of new walls on the path that builds the fewest."""
        least, free = self._least, self._free
        if not least:
            least[self.corner] = 0
            for row in reversed(self._layers()[:-1]):
                for point in row:
                    least[point] = min(
                        [
                            least[step] if bit & free else least[step] + 1
                            for step, bit in self._descents[point]
                        ]
                    )
        return least[self.table.alexander]

    def is_affordable(self) -> bool:
        """True if enough walls are left for at least one path (4.9)."""
        left = self.table.walls_left
        return self.length <= left or self.fewest_walls() <= left

    def count(self) -> int:
        return self.count_by_walls().total()

    def count_by_walls(self, points: Path = ()) -> Counter[int]:
        """Return the number of paths that pass through all `points`, by the number of new walls."""
        counts, left = self._counts_to_corner(points), self.table.walls_left
        here = counts.get(self.table.alexander, Counter())
        return Counter({laid: paths for laid, paths in here.items() if laid <= left})

    def _counts_to_corner(self, points: Path) -> dict[Point, Counter[int]]:
        """Return, for each point, how many paths to the corner lay how many walls, through all `points`."""
        stages = [self._far[point] for point in points]
        if any(one <= other for one, other in itertools.pairwise(stages)):
            return {}
        wanted = dict(zip(stages, points, strict=True))
        if max(stages, default=0) > self.length:
            return {}
        found: dict[Point, Counter[int]] = {self.corner: Counter({0: 1})}
        for row in reversed(self._layers()[:-1]):
            for point in row:
                total = found[point] = Counter()
                if wanted.get(self._far[point], point) == point:
                    for step, bit in self._descents[point]:
                        price = 0 if bit & self._free else 1
                        for laid, paths in found[step].items():
                            total[laid + price] += paths
        return found

    def cheapest(self, points: Path = ()) -> Iterator[tuple[int, Path]]:
        """Yield the number of new walls and the path, fewest walls first, for paths through all `points`.

        Ties are in reading order of the points.
        """
        counts = self._counts_to_corner(points)
        possible = (laid for laid in counts.get(self.table.alexander, ()) if laid <= self.table.walls_left)
        for walls in sorted(possible):
            begun: list[tuple[Path, int]] = [((self.table.alexander,), walls)]
            while begun:
                path, rest = begun.pop()
                if path[-1] == self.corner:
                    yield walls, path
                for step, bit in reversed(self._descents[path[-1]]):
                    after = rest if bit & self._free else rest - 1
                    if after in counts.get(step, ()):
                        begun.append(((*path, step), after))

    def paths_through(self, points: Path = ()) -> Iterator[Path]:
        """Yield the paths that pass through all `points` in the given order, in reading order of points."""
        if not self.is_affordable():
            return
        scarce = self.length > self.table.walls_left
        if scarce:
            self.fewest_walls()
        away, least, free = self.table.board.distances_from, self._least, self._free
        begun: list[tuple[Path, int, Path]] = [((self.table.alexander,), self.table.walls_left, points)]
        while begun:
            path, left, wanted = begun.pop()
            point = path[-1]
            if wanted and wanted[0] == point:
                wanted = wanted[1:]
            if point == self.corner:
                if not wanted:
                    yield path
                continue
            for step, bit in reversed(self._descents[point]):
                rest = left if bit & free else left - 1
                aside = wanted and away(wanted[0])[step] + self._far[wanted[0]] != self._far[step]
                if not aside and not (scarce and least[step] > rest):
                    begun.append(((*path, step), rest, wanted))

    __iter__ = paths_through


def reachable_corners(table: Table, target: Space) -> tuple[Point, ...]:
    """Return the corners of a target to which a shortest path needs no more walls than remain (4.5, 4.9)."""
    return tuple(corner for corner in corners(target) if ShortestPaths(table, corner).is_affordable())


def can_march(table: Table, spaces: tuple[Space, ...]) -> bool:
    far, left = table.board.distances_from(table.alexander), table.walls_left
    for space in spaces:
        for corner in corners(space):
            if far[corner] <= left or ShortestPaths(table, corner).is_affordable():
                return True
    return False


def choosable_cards(table: Table) -> tuple[Symbol, ...]:
    """Return the display cards that allow a legal march (4.10)."""
    return tuple(
        card for card in table.display.kinds() if can_march(table, targets(table, card, from_display=True))
    )


def marches(table: Table, spaces: tuple[Space, ...]) -> Iterator[March]:
    """Yield every legal march to these targets."""
    for space in spaces:
        for corner in corners(space):
            for path in ShortestPaths(table, corner):
                yield March(space, path)


def judge_march(table: Table, march: March) -> tuple[Side, ...]:
    """Check a march and return the walls that it builds; raises `Illegal`."""
    board, path = table.board, march.path
    if not board.grid.space_bits.get(march.target, 0) & _aims_of_chosen(table):
        raise _wrong_target(table, march.target, targets_of_chosen(table))
    if not path or path[0] != table.alexander:
        raise Illegal(
            "4.5", "the path must start where Alexander stands, on %(point)s", point=table.alexander
        )
    goal = path[-1]
    if goal not in corners(march.target):
        name = board.names[march.target]
        raise Illegal("4.5", "%(point)s is no corner of %(place)s", point=goal, place=name)
    free, edges, walls = free_sides(table), board.edges, list[Side]()
    for one, other in itertools.pairwise(path):
        walked = edges[one].get(other)
        if walked is None:
            raise Illegal("4.5", "no side leads from %(one)s to %(other)s", one=one, other=other)
        if not walked[1] & free:
            walls.append(walked[0])
    many, fewest = len(path) - 1, board.distances_from(goal)[table.alexander]
    if many != fewest:
        raise Illegal(
            "4.5",
            "the path has %(sides)s sides and the shortest has %(shortest)s",
            sides=many,
            shortest=fewest,
        )
    laid, left = tuple(walls), table.walls_left
    if len(laid) > left:
        raise Illegal(
            "4.9", "the path needs %(walls)s walls and %(left)s are left", walls=len(laid), left=left
        )
    return laid


def _wrong_target(table: Table, space: Space, allowed: tuple[Space, ...]) -> Illegal:
    """Return the refusal of a wrong target, which lists the legal ones."""
    assert table.chosen is not None
    names = table.board.names
    named = {"place": names.get(space, str(space)), "card": table.chosen}
    *others, last = (names[target] for target in allowed)
    if not others:
        return Illegal(
            "4.3",
            "%(place)s is not the closest empty space for the %(card)s: that is %(target)s",
            target=last,
            **named,
        )
    return Illegal(
        "4.3",
        "%(place)s is not the closest empty space for the %(card)s: that is %(targets)s or %(last)s",
        targets=", ".join(others),
        last=last,
        **named,
    )


@dataclass(frozen=True, slots=True)
class ProvinceSplit:
    """A province that a path would split, and the resulting parts (6.1)."""

    before: Province
    parts: tuple[Province, ...]

    @property
    def cut_off(self) -> tuple[Province, ...]:
        """All parts of a held province; all parts but the largest of a free province."""
        if self.before.holder is not None:
            return self.parts
        largest = max(self.parts, key=lambda part: part.extent.bit_count())
        return tuple(part for part in self.parts if part is not largest)


@dataclass(frozen=True, slots=True)
class MarchOutcome:
    """The changes that a path would make: new walls and split provinces."""

    laid: tuple[Side, ...]
    red: int
    splits: tuple[ProvinceSplit, ...]


def outcome_of(table: Table, path: Path) -> MarchOutcome:
    """Return the walls that a legal path builds and the provinces that it splits (4.6, 6.1)."""
    laid = new_walls(table, path)
    board, grid = table.board, table.board.grid
    fresh = grid.mask_sides(laid)
    walled, beside = table.walled | fresh, grid.beside(fresh)
    splits: list[ProvinceSplit] = []
    for whole in partition_board(board, table.walled):
        if seeds := whole & beside:
            parts = split_extent(board, walled, whole, seeds)
            if len(parts) > 1:
                made = tuple([make_province(table, part) for part in parts])
                splits.append(ProvinceSplit(make_province(table, whole), made))
    if len(splits) > 1:  # in the order in which the path reaches them
        met = [grid.space_bits[space] for edge in laid for space in board.spaces_on[edge]]
        splits.sort(key=lambda one: next(n for n, bit in enumerate(met) if bit & one.before.extent))
    return MarchOutcome(laid, max(0, len(laid) - table.black), tuple(splits))
