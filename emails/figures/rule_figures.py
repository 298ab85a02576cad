"""The drawings of the twelve figures of the rules; captions.py says what each shows.

They are the same in every language and drawn once. What they point out is worked out by the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from emails.figures import example_positions
from emails.figures.example_positions import play_orders
from emails.figures.plates import Plate, ViewBox, draw_plate
from emails.picture.overlay import Overlay
from engine.board import Board, Point, Space, corners, sides_of_path
from engine.cards import Bag, Symbol
from engine.march_rules import outcome_of, targets
from engine.position import Position, view
from engine.provinces import province_at

WEST: ViewBox = (6, 6, 326, 320)
"""The part of the board of the game where figures 1 to 6 happen, with its letters and numbers."""
MIDDLE: ViewBox = (26, 26, 430, 286)
"""The part of the plains where figures 8 to 10 happen."""


@dataclass(frozen=True, slots=True)
class FigureText:
    """What is said of a figure."""

    caption: str
    notes: tuple[str, ...] = ()
    """A sentence under each plate, where there are several."""
    cards: tuple[tuple[str, Bag], ...] = ()
    """Cards that belong to it: a heading, and which."""


@cache
def draw_figures(board: Board) -> Mapping[int, tuple[Plate, ...]]:
    """The drawings of each figure by its number; `board` is that of the game."""
    first, second, fourth = (
        example_positions.figure_1(board),
        example_positions.figure_2(board),
        example_positions.figure_4(board),
    )
    eighth, tenth = example_positions.figure_8(), example_positions.figure_8("Sardis")
    aimed = Overlay(
        targets=display_targets(first, "horse", "lyre"), changed=frozenset([board.places["Troy"]])
    )
    return {
        1: (draw_plate(view(first, None), aimed, WEST),),
        2: (_draw_preview(second, "Larissa", "A3-B4-C5", WEST),),
        3: tuple(_draw_preview(second, "Larissa", way, WEST) for way in ("A3-B4-C5-D4", "A3-B2-C3-D4")),
        4: (draw_plate(view(fourth, None), _number_targets(display_targets(fourth, "soldier")), WEST),),
        5: tuple(
            _draw_preview(fourth, "Granicus", way, WEST)
            for way in ("D4-C5-B6-B8", "D4-C5-C7-B8", "D4-D6-C7-B8")
        ),
        6: tuple(_draw_preview(fourth, "Philippi", way, WEST) for way in ("D4-C5-B4", "D4-C3-B4")),
        7: (draw_plate(view(example_positions.figure_7(occupied=True), None)),),
        8: (
            draw_plate(
                view(eighth, None), _number_targets(display_targets(eighth, "lyre", "soldier")), MIDDLE
            ),
        ),
        9: (_draw_march(eighth, example_positions.figure_9()),),
        10: (
            draw_plate(view(tenth, None), Overlay(targets=display_targets(tenth, "lyre", "soldier")), MIDDLE),
            _draw_preview(play_orders(tenth, "play horse"), "Hamath", "D8-C7-B8", MIDDLE),
        ),
        11: tuple(
            draw_plate(view(example_positions.figure_11(taken=taken), None)) for taken in (False, True)
        ),
        12: (draw_plate(view(example_positions.figure_12(levied=True), None)),),
    }


def boards_drawn(board: Board) -> tuple[Board, ...]:
    """Every board on which something is drawn, that of the game first."""
    return tuple(
        dict.fromkeys(one.view.table.board for found in draw_figures(board).values() for one in found)
    )


def display_targets(now: Position, *cards: str) -> frozenset[Space]:
    """The spaces to which these display cards may send Alexander."""
    found = (targets(now.table, Symbol(card), from_display=True) for card in cards)
    return frozenset(space for spaces in found for space in spaces)


def _number_targets(spaces: Iterable[Space]) -> Overlay:
    """Targets, and a number at each of their corners."""
    found = frozenset(spaces)
    points = sorted({corner for space in found for corner in corners(space)})
    return Overlay(labels={point: str(number) for number, point in enumerate(points, 1)}, targets=found)


def _draw_preview(now: Position, target: str, way: str, box: ViewBox) -> Plate:
    """A path before it is walked; the smaller parts of what it would split are hatched."""
    board, path = now.table.board, parse_path(now.table.board, way)
    split = (min(one.parts, key=lambda part: len(part.spaces)) for one in outcome_of(now.table, path).splits)
    cut = frozenset(space for part in split for space in part.spaces)
    marks = Overlay(targets=frozenset([board.places[target]]), preview=path, changed=cut)
    return draw_plate(view(now, None), marks, box)


def _draw_march(before: Position, now: Position) -> Plate:
    """A march that split the guard's province: its new walls, and the part that came free, hatched."""
    way = parse_path(now.table.board, example_positions.PATH_THROUGH)
    fresh = now.table.walls - before.table.walls
    assert fresh <= frozenset(sides_of_path(way))
    free = province_at(now.table, now.table.board.places["Leucas"])
    marks = Overlay(marches=((before.table.seat, way),), fresh=fresh, changed=frozenset(free.spaces))
    return draw_plate(view(now, None), marks, MIDDLE)


def parse_path(board: Board, way: str) -> tuple[Point, ...]:
    """A path that is written A3-B4-C5."""
    return tuple(board.point_names[name] for name in way.split("-"))
