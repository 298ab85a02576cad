"""Layers over a picture: choices in green, marches in the colours of their seats, changed provinces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot

from emails.picture import palette
from emails.picture.basemap import Basemap, Coordinates
from engine.board import Point, Side, Space, sides_of_path
from engine.position import RED_WALLS, Table

WALL_CLEARANCE, LANE_WIDTH = 8.0, 6.5
"""Distance in units between a wall and an arrow beside it, and between arrows."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """Marks on a picture in addition to the position."""

    labels: Mapping[Point, str] = field(default_factory=dict)
    """Label of each corner that can be chosen; at most nine characters are shown."""
    targets: frozenset[Space] = frozenset()
    named: tuple[Space, ...] = ()
    """Places mentioned in the text, the most important first; their names are drawn large."""
    marches: tuple[tuple[int, tuple[Point, ...]], ...] = ()
    fresh: frozenset[Side] = frozenset()
    """Walls built by the marches."""
    changed: frozenset[Space] = frozenset()
    """Spaces of provinces that were split or changed hands."""
    preview: tuple[Point, ...] = ()


EMPTY_OVERLAY = Overlay()


def find_red_walls(table: Table, marks: Overlay) -> frozenset[Side]:
    """Return the walls of the last march that are red pieces (4.7, 7.1); empty if `marks` lacks the march."""
    laid = RED_WALLS - table.red
    if not laid or not marks.marches or marks.marches[-1][1][-1:] != (table.alexander,):
        return frozenset()
    *earlier, (_, last) = marks.marches
    older = {edge for _, path in earlier for edge in sides_of_path(path)}
    new = [edge for edge in dict.fromkeys(sides_of_path(last)) if edge in marks.fresh and edge not in older]
    return frozenset(new[-laid:]) if len(new) >= laid else frozenset()


def draw_changed(chart: Basemap, marks: Overlay) -> Iterator[str]:
    if marks.changed:
        strokes = "".join(map(chart.hatch_path, sorted(marks.changed)))
        yield (
            f'<path class="changed" fill="none" stroke="{palette.INK}" '
            f'stroke-opacity="{palette.HATCHING_SHARE}" '
            f'stroke-width="2.2" d="{strokes}"/>'
        )


def draw_targets(chart: Basemap, marks: Overlay) -> Iterator[str]:
    if marks.targets:
        yield f'<g class="targets" fill="{palette.CHOICE_TINT}" stroke="{palette.CHOICE}" stroke-width="3">'
        yield from (
            f'<path data-space="{space}" d="{chart.inset_path(space)}"/>' for space in sorted(marks.targets)
        )
        yield "</g>"


def draw_marches(chart: Basemap, marks: Overlay) -> Iterator[str]:
    """Draw an arrow for each march, beside the arrows of earlier marches on shared sides."""
    if not marks.marches:
        return
    yield '<g class="marches" fill="none" stroke-linejoin="round">'
    walked: list[frozenset[Side]] = []
    for seat, path in marks.marches:
        edges = frozenset(sides_of_path(path))
        lane = sum(1 for other in walked if other & edges)
        walked.append(edges)
        if edges:
            yield f'<g data-seat="{seat}">'
            yield _draw_arrow(
                [chart.locate(point) for point in path],
                WALL_CLEARANCE + LANE_WIDTH * lane,
                palette.SEAT_COLOURS[seat],
            )
            yield "</g>"
    yield "</g>"


def _draw_arrow(spots: list[Coordinates], aside: float, colour: str) -> str:
    bends = _shift_aside(spots, aside)
    bends[0] = _move_towards(bends[0], bends[1], 6)
    tip, neck = _move_towards(bends[-1], bends[-2], 13), _move_towards(bends[-1], bends[-2], 26)
    wing_x, wing_y = (neck[1] - tip[1]) * 0.6, (tip[0] - neck[0]) * 0.6
    line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in (*bends[:-1], neck))
    head = (
        f"M{tip[0]:.1f} {tip[1]:.1f}L{neck[0] + wing_x:.1f} {neck[1] + wing_y:.1f} "
        f"{neck[0] - wing_x:.1f} {neck[1] - wing_y:.1f}z"
    )
    return (
        f'<path stroke="{palette.PAPER}" stroke-width="7.5" d="{line}"/>'
        f'<path stroke="{colour}" stroke-width="4.5" d="{line}"/>'
        f'<path fill="{colour}" stroke="{palette.PAPER}" d="{head}"/>'
    )


def _move_towards(one: Coordinates, other: Coordinates, far: float) -> Coordinates:
    whole = hypot(other[0] - one[0], other[1] - one[1])
    return one[0] + (other[0] - one[0]) * far / whole, one[1] + (other[1] - one[1]) * far / whole


def _shift_aside(spots: list[Coordinates], aside: float) -> list[Coordinates]:
    rights: list[Coordinates] = []
    for (x, y), (next_x, next_y) in pairwise(spots):
        whole = hypot(next_x - x, next_y - y)
        rights.append(((y - next_y) / whole, (next_x - x) / whole))
    bends = []
    for (x, y), before, after in zip(spots, [rights[0], *rights], [*rights, rights[-1]], strict=True):
        across = before[0] + after[0], before[1] + after[1]
        share = aside / max(0.5, (across[0] ** 2 + across[1] ** 2) / 2)
        bends.append((x + across[0] * share, y + across[1] * share))
    return bends


def draw_preview(chart: Basemap, marks: Overlay) -> Iterator[str]:
    if len(marks.preview) > 1:
        line = chart.polyline_path(marks.preview)
        yield (
            '<g class="preview" fill="none" stroke-linecap="round" stroke-linejoin="round">'
            f'<path stroke="{palette.PAPER}" stroke-width="11" d="{line}"/>'
            f'<path stroke="{palette.CHOICE}" stroke-width="7" stroke-dasharray="11 12" d="{line}"/></g>'
        )
