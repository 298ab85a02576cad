"""The drawings of the twelve figures of the rules; captions.py says what each shows.

They are the same in every language and drawn once. What they point out is worked out by the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from emails.figures import example_positions
from emails.figures.example_positions import after
from emails.figures.plates import Box, Plate, plate
from emails.picture.overlay import Marks
from engine.board import Board
from engine.cards import Bag, Symbol
from engine.lattice import Point, Space, corners, sides_of_path
from engine.marching import outcome, targets
from engine.position import Position
from engine.provinces import province_at
from engine.views import view

WEST: Box = (6, 6, 326, 320)
"""The part of the board of the game where figures 1 to 6 happen, with its letters and numbers."""
MIDDLE: Box = (26, 26, 430, 286)
"""The part of the plains where figures 8 to 10 happen."""


@dataclass(frozen=True, slots=True)
class Words:
    """What is said of a figure."""

    caption: str
    notes: tuple[str, ...] = ()
    """A sentence under each plate, where there are several."""
    cards: tuple[tuple[str, Bag], ...] = ()
    """Cards that belong to it: a heading, and which."""


@cache
def plates(board: Board) -> Mapping[int, tuple[Plate, ...]]:
    """The drawings of each figure by its number; `board` is that of the game."""
    first, second, fourth = (
        example_positions.first(board),
        example_positions.second(board),
        example_positions.fourth(board),
    )
    eighth, tenth = example_positions.eighth(), example_positions.eighth("Sardis")
    aimed = Marks(targets=aims(first, "horse", "lyre"), changed=frozenset([board.places["Troy"]]))
    return {
        1: (plate(view(first, None), aimed, WEST),),
        2: (_tried(second, "Larissa", "A3-B4-C5", WEST),),
        3: tuple(_tried(second, "Larissa", way, WEST) for way in ("A3-B4-C5-D4", "A3-B2-C3-D4")),
        4: (plate(view(fourth, None), _numbered(aims(fourth, "soldier")), WEST),),
        5: tuple(
            _tried(fourth, "Granicus", way, WEST) for way in ("D4-C5-B6-B8", "D4-C5-C7-B8", "D4-D6-C7-B8")
        ),
        6: tuple(_tried(fourth, "Philippi", way, WEST) for way in ("D4-C5-B4", "D4-C3-B4")),
        7: (plate(view(example_positions.seventh(occupied=True), None)),),
        8: (plate(view(eighth, None), _numbered(aims(eighth, "lyre", "soldier")), MIDDLE),),
        9: (_gone(eighth, example_positions.ninth()),),
        10: (
            plate(view(tenth, None), Marks(targets=aims(tenth, "lyre", "soldier")), MIDDLE),
            _tried(after(tenth, "play horse"), "Hamath", "D8-C7-B8", MIDDLE),
        ),
        11: tuple(plate(view(example_positions.eleventh(taken=taken), None)) for taken in (False, True)),
        12: (plate(view(example_positions.twelfth(levied=True), None)),),
    }


def boards(board: Board) -> tuple[Board, ...]:
    """Every board on which something is drawn, that of the game first."""
    return tuple(dict.fromkeys(one.view.table.board for found in plates(board).values() for one in found))


def aims(now: Position, *cards: str) -> frozenset[Space]:
    """The spaces to which these display cards may send Alexander."""
    found = (targets(now.table, Symbol(card), from_display=True) for card in cards)
    return frozenset(space for spaces in found for space in spaces)


def _numbered(spaces: Iterable[Space]) -> Marks:
    """Targets, and a number at each of their corners."""
    found = frozenset(spaces)
    points = sorted({corner for space in found for corner in corners(space)})
    return Marks(labels={point: str(number) for number, point in enumerate(points, 1)}, targets=found)


def _tried(now: Position, target: str, way: str, box: Box) -> Plate:
    """A path before it is walked; the smaller parts of what it would split are hatched."""
    board, path = now.table.board, walked(now.table.board, way)
    split = (min(one.parts, key=lambda part: len(part.spaces)) for one in outcome(now.table, path).splits)
    cut = frozenset(space for part in split for space in part.spaces)
    marks = Marks(targets=frozenset([board.places[target]]), preview=path, changed=cut)
    return plate(view(now, None), marks, box)


def _gone(before: Position, now: Position) -> Plate:
    """A march that split the guard's province: its new walls, and the part that came free, hatched."""
    way = walked(now.table.board, example_positions.THROUGH)
    fresh = now.table.walls - before.table.walls
    assert fresh <= frozenset(sides_of_path(way))
    free = province_at(now.table, now.table.board.places["Leucas"])
    marks = Marks(marches=((before.table.seat, way),), fresh=fresh, changed=frozenset(free.spaces))
    return plate(view(now, None), marks, MIDDLE)


def walked(board: Board, way: str) -> tuple[Point, ...]:
    """A path that is written A3-B4-C5."""
    return tuple(board.point_names[name] for name in way.split("-"))
