r"""The triangular grid: points, sides and spaces, and how they are written.

    col      0   1   2   3   4
    row 0   A1 ----- A3 ----- A5
              \      / \      /
               \ AB2/   \ AB4/        AB2 points down, AB3 points up
                \  / AB3 \  /
    row 1        B2 ----- B4

A point is the letter of its row and its column + 1. A side is its two points, the earlier first. A
space lies between two rows of points: both row letters and the number of its middle column.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import NamedTuple

ROW_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Point(NamedTuple):
    """A corner of spaces; `row + col` is even."""

    row: int
    col: int

    def __str__(self) -> str:
        return f"{ROW_LETTERS[self.row]}{self.col + 1}"


class Side(NamedTuple):
    """A side of spaces between two neighbouring points, the earlier in reading order first."""

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
        """Whether the triangle stands on its tip."""
        return (self.row + self.col) % 2 == 1

    def __str__(self) -> str:
        return f"{ROW_LETTERS[self.row]}{ROW_LETTERS[self.row + 1]}{self.col + 1}"


@cache
def corners(space: Space) -> tuple[Point, Point, Point]:
    """The three corners of a space: the only geometry there is; all else is made from it."""
    row, col = space
    if space.points_down:
        return Point(row, col - 1), Point(row, col + 1), Point(row + 1, col)
    return Point(row, col), Point(row + 1, col - 1), Point(row + 1, col + 1)


@cache
def side(one: Point, other: Point) -> Side:
    """The side between two neighbouring points, whichever comes first."""
    return Side(one, other) if one < other else Side(other, one)


def sides(space: Space) -> tuple[Side, Side, Side]:
    """The three sides of a space."""
    a, b, c = corners(space)
    return side(a, b), side(a, c), side(b, c)


def sides_of_path(path: tuple[Point, ...]) -> tuple[Side, ...]:
    """The sides walked along a path of points, in order."""
    return tuple(side(one, other) for one, other in itertools.pairwise(path))
