"""Moving Alexander (section 4): which cards, which spaces, which corners, which paths.

Everything is asked by steps, each lazily: a far target can have thousands of shortest paths, and they are
counted without being listed. All of it follows from the table alone, so it gives away nothing.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from engine.actions import Illegal, March
from engine.cards import SYMBOLS, Symbol
from engine.lattice import Point, Side, Space, corners, side, sides_of_path
from engine.position import Table
from engine.provinces import Province, extents_by_space, flood_fill, make_province

Path = tuple[Point, ...]


def is_empty(table: Table, space: Space) -> bool:
    """Whether a space bears no guard, no wall on its sides, and Alexander at no corner (4.2)."""
    walls = table.walls
    one, two, three = table.board.sides_around[space]
    return (
        one not in walls
        and two not in walls
        and three not in walls
        and table.holder_of(space) is None
        and table.alexander not in corners(space)
    )


def has_empty_space(table: Table, symbol: Symbol) -> bool:
    """Whether any empty space on the board bears the symbol (4.8)."""
    return any(is_empty(table, space) for _, space in table.board.spaces_by_distance(table.alexander, symbol))


def closest_spaces(table: Table, symbol: Symbol) -> list[Space]:
    """The closest empty spaces with a symbol (4.3), in reading order."""
    found: list[Space] = []
    least = 0
    for distance, space in table.board.spaces_by_distance(table.alexander, symbol):
        if found and distance > least:
            break
        if is_empty(table, space):
            least = distance
            found.append(space)
    return found


def is_joker(table: Table, card: Symbol) -> bool:
    """Whether a display card is a joker (4.8): alone, or only with the whole display (9.3)."""
    if has_empty_space(table, card):
        return False
    return table.edition.joker_alone or not any(
        has_empty_space(table, other) for other in table.display.kinds()
    )


def targets(table: Table, card: Symbol, *, from_display: bool) -> tuple[Space, ...]:
    """The spaces to which a card may send Alexander (4.3, 4.8), affordable or not, in reading order."""
    if has_empty_space(table, card):
        return tuple(closest_spaces(table, card))
    if not from_display or not is_joker(table, card):
        return ()
    return tuple(sorted(space for symbol in SYMBOLS for space in closest_spaces(table, symbol)))


def targets_of_chosen(table: Table) -> tuple[Space, ...]:
    """The targets in phase `march`.

    A card without an empty space can only have been chosen as a joker (4.8, 4.10), and what has happened
    since the choice never changes the targets (4.11).
    """
    assert table.chosen is not None
    found = closest_spaces(table, table.chosen)
    if not found:
        found = sorted(space for symbol in SYMBOLS for space in closest_spaces(table, symbol))
    return tuple(found)


def wall_cost(table: Table, edge: Side) -> int:
    """How many walls walking a side lays: one, or none where one stands (4.6) or none is laid (9.1)."""
    if edge in table.walls or (not table.edition.rim_walls and table.board.is_on_rim(edge)):
        return 0
    return 1


def new_walls(table: Table, path: Path) -> tuple[Side, ...]:
    """The sides on which a path lays walls, in path order, each once (4.6)."""
    return tuple(edge for edge in sides_of_path(path) if wall_cost(table, edge))


def count_red_walls(table: Table, laid: int) -> int:
    """How many of so many new walls are red: black ones go first (4.7)."""
    return max(0, laid - table.black)


class ShortestPaths:
    """The shortest paths from where Alexander stands to one corner (4.5) that can be afforded (4.9)."""

    def __init__(self, table: Table, corner: Point) -> None:
        self.table = table
        self.corner = corner
        self._far = table.board.distances_from(corner)
        self._least: dict[Point, int] = {}

    @property
    def length(self) -> int:
        """The number of sides of each path."""
        return self._far[self.table.alexander]

    def next_points(self, point: Point) -> tuple[Point, ...]:
        """The points next to `point` on some shortest path."""
        nearer = self._far[point] - 1
        return tuple(step for step in self.table.board.steps[point] if self._far[step] == nearer)

    def _layers(self) -> list[list[Point]]:
        """The points on the paths, those that are one side nearer to the corner in the next row."""
        rows = [[self.table.alexander]]
        for _ in range(self.length):
            rows.append(list(dict.fromkeys(step for point in rows[-1] for step in self.next_points(point))))
        return rows

    def fewest_walls(self) -> int:
        """The least number of walls that any of the paths lays."""
        if not self._least:
            self._least[self.corner] = 0
            for row in reversed(self._layers()[:-1]):
                for point in row:
                    self._least[point] = min(
                        wall_cost(self.table, side(point, step)) + self._least[step]
                        for step in self.next_points(point)
                    )
        return self._least[self.table.alexander]

    def is_affordable(self) -> bool:
        """Whether the walls left suffice for some path (4.9)."""
        left = self.table.walls_left
        return self.length <= left or self.fewest_walls() <= left

    def count(self) -> int:
        """How many paths there are, without listing them."""
        by_cost: dict[Point, Counter[int]] = {self.corner: Counter({0: 1})}
        for row in reversed(self._layers()[:-1]):
            for point in row:
                total = by_cost[point] = Counter()
                for step in self.next_points(point):
                    price = wall_cost(self.table, side(point, step))
                    for laid, paths in by_cost[step].items():
                        total[laid + price] += paths
        left = self.table.walls_left
        return sum(paths for laid, paths in by_cost[self.table.alexander].items() if laid <= left)

    def __iter__(self) -> Iterator[Path]:
        """The paths, lazily, in reading order of their points."""
        return self.paths_through(())

    def paths_through(self, points: Path) -> Iterator[Path]:
        """Those of the paths that pass these points in this order, lazily; the others are not walked."""
        if not self.is_affordable():
            return
        self.fewest_walls()
        away = self.table.board.distances_from
        begun: list[tuple[Path, int, Path]] = [((self.table.alexander,), self.table.walls_left, points)]
        while begun:
            path, left, wanted = begun.pop()
            point = path[-1]
            wanted = wanted[1:] if wanted[:1] == (point,) else wanted
            if point == self.corner:
                if not wanted:
                    yield path
                continue
            for step in reversed(self.next_points(point)):
                rest = left - wall_cost(self.table, side(point, step))
                aside = wanted and away(wanted[0])[step] + self._far[wanted[0]] != self._far[step]
                if self._least[step] <= rest and not aside:
                    begun.append(((*path, step), rest, wanted))


def reachable_corners(table: Table, target: Space) -> tuple[Point, ...]:
    """The corners of a target to which some path can be afforded (4.5, 4.9)."""
    return tuple(corner for corner in corners(target) if ShortestPaths(table, corner).is_affordable())


def can_march(table: Table, spaces: tuple[Space, ...]) -> bool:
    """Whether any of these targets can be reached with the walls left (4.9)."""
    return any(ShortestPaths(table, corner).is_affordable() for space in spaces for corner in corners(space))


def choosable_cards(table: Table) -> tuple[Symbol, ...]:
    """The display cards that leave a legal march (4.10)."""
    return tuple(
        card for card in table.display.kinds() if can_march(table, targets(table, card, from_display=True))
    )


def can_play(table: Table, card: Symbol) -> bool:
    """Whether a hand card leaves a legal march (4.1)."""
    return can_march(table, targets(table, card, from_display=False))


def marches(table: Table, spaces: tuple[Space, ...]) -> Iterator[March]:
    """Every legal march to these targets, lazily."""
    for space in spaces:
        for corner in corners(space):
            for path in ShortestPaths(table, corner):
                yield March(space, path)


def judge_march(table: Table, march: March) -> tuple[Side, ...]:
    """The walls a march lays; raises `Illegal` with the clause it breaks. Lists no other march."""
    board, path = table.board, march.path
    allowed = targets_of_chosen(table)
    if march.target not in allowed:
        raise _wrong_target(table, march.target, allowed)
    if not path or path[0] != table.alexander:
        raise Illegal(
            "4.5", "the path must start where Alexander stands, on %(point)s", point=table.alexander
        )
    goal = path[-1]
    if goal not in corners(march.target):
        name = board.names[march.target]
        raise Illegal("4.5", "%(point)s is no corner of %(place)s", point=goal, place=name)
    for one, other in itertools.pairwise(path):
        if other not in board.steps[one]:
            raise Illegal("4.5", "no side leads from %(one)s to %(other)s", one=one, other=other)
    many, fewest = len(path) - 1, board.distances_from(goal)[table.alexander]
    if many != fewest:
        raise Illegal(
            "4.5",
            "the path has %(sides)s sides and the shortest has %(shortest)s",
            sides=many,
            shortest=fewest,
        )
    laid, left = new_walls(table, path), table.walls_left
    if len(laid) > left:
        raise Illegal(
            "4.9", "the path needs %(walls)s walls and %(left)s are left", walls=len(laid), left=left
        )
    return laid


def _wrong_target(table: Table, space: Space, allowed: tuple[Space, ...]) -> Illegal:
    """Why a space is no target, and which spaces are."""
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
    """A province that a path would split: what it is now and what it would become (6.1)."""

    before: Province
    parts: tuple[Province, ...]

    @property
    def cut_off(self) -> tuple[Province, ...]:
        """What comes apart: every part of a province that is held, of a free one all but the largest."""
        if self.before.holder is not None:
            return self.parts
        largest = max(self.parts, key=lambda part: len(part.spaces))
        return tuple(part for part in self.parts if part is not largest)


@dataclass(frozen=True, slots=True)
class MarchOutcome:
    """What a path would do, for a player who is choosing."""

    laid: tuple[Side, ...]
    red: int
    splits: tuple[ProvinceSplit, ...]


def outcome_of(table: Table, path: Path) -> MarchOutcome:
    """The walls a path lays and the provinces it splits (4.6, 6.1); judges nothing."""
    laid = new_walls(table, path)
    walls = table.walls.union(laid)
    home = extents_by_space(table.board, table.walls)
    beside = [space for edge in laid for space in table.board.spaces_on[edge]]
    splits: list[ProvinceSplit] = []
    for whole in dict.fromkeys(home[space] for space in beside):
        rest, parts = set(whole), []
        for space in beside:  # every part of a province that is split has a new wall
            if space in rest:
                part = flood_fill(table.board, walls, space)
                rest.difference_update(part)
                parts.append(tuple(sorted(part)))
        if len(parts) > 1:
            before = make_province(table, whole)
            splits.append(ProvinceSplit(before, tuple(make_province(table, part) for part in sorted(parts))))
    return MarchOutcome(laid, count_red_walls(table, len(laid)), tuple(splits))
