"""The whole board as a small map: who holds what, the walls, Alexander, and which part a picture shows.

It bears no symbols and only the names that matter beyond that part, and stands in the corner of a picture.
"""

from __future__ import annotations

from collections.abc import Iterator

from emails.picture import palette
from emails.picture.basemap import FRAME_WIDTH, Basemap
from emails.picture.label_shapes import LabelBox
from emails.picture.overlay import Overlay
from emails.picture.picture_area import PictureArea
from emails.picture.symbols import GUARD_OUTLINES
from engine.position import Table
from engine.provinces import provinces

GUARD_SCALE, SUN_RADIUS = 2.0, 22
WALL_WIDTH = 9


def overview_box(chart: Basemap) -> LabelBox:
    """What of a map it shows: all but the frame."""
    return LabelBox(FRAME_WIDTH, FRAME_WIDTH, chart.width - FRAME_WIDTH, chart.height - FRAME_WIDTH)


def draw_overview(chart: Basemap, table: Table, marks: Overlay, area: PictureArea) -> Iterator[str]:
    """The pieces of the small map, in the units of the large one."""
    box = overview_box(chart)
    yield (
        f'<rect x="{box.left:g}" y="{box.top:g}" width="{box.right - box.left:g}" '
        f'height="{box.bottom - box.top:g}" fill="{palette.SEA}"/>'
        f'<path d="{chart.shore}" fill="{palette.LAND}" fill-rule="evenodd"/>'
    )
    for province in provinces(table):
        if province.holder is not None:
            tint = palette.SEAT_TINTS[province.holder]
            yield f'<path fill="{tint}" d="{chart.area_path(province.spaces)}"/>'
    if marks.changed:
        strokes = "".join(map(chart.hatch_path, sorted(marks.changed)))
        yield (
            f'<path fill="none" stroke="{palette.INK}" stroke-opacity="{palette.HATCHING_SHARE}" '
            f'stroke-width="3" d="{strokes}"/>'
        )
    yield '<g fill="none" stroke-linecap="round" stroke-linejoin="round">'
    for edges, colour, width in ((marks.fresh, palette.GLOW, 24), (table.walls, palette.INK, WALL_WIDTH)):
        if edges:
            yield f'<path stroke="{colour}" stroke-width="{width}" d="{chart.sides_path(edges)}"/>'
    yield "</g>"
    for seat, standing in enumerate(table.guards):
        for space in standing:
            x, y = chart.centre_of(space)
            yield (
                f'<g transform="translate({x} {y}) scale({GUARD_SCALE})" fill="{palette.SEAT_COLOURS[seat]}" '
                f'stroke="{palette.PAPER}">{GUARD_OUTLINES[seat]}</g>'
            )
    x, y = chart.locate(table.alexander)
    yield (
        f'<circle cx="{x}" cy="{y}" r="{SUN_RADIUS}" fill="{palette.PURPLE}" stroke="{palette.SUN}" '
        'stroke-width="6"/>'
        f'<rect class="part" x="{area.left:g}" y="{area.top:g}" width="{area.width:g}" '
        f'height="{area.height:g}" fill="none" stroke="{palette.INK}" stroke-width="7"/>'
    )
