"""Small board drawings in text, as SVG that shares the ground and the symbols on a page.

`render_grounds` puts the shared parts on the page once; each drawing adds only the layers within its box, a
few kilobytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from lxml import etree

from emails.i18n import gettext
from emails.picture import palette
from emails.picture.basemap import DEFINITIONS, FONT, FRAME_WIDTH, basemap_of, join_sides
from emails.picture.board_picture import draw_board
from emails.picture.overlay import EMPTY_OVERLAY, Overlay
from emails.wording import phrases, standings
from engine.board import Board, Point, Space
from engine.position import View

ViewBox = tuple[int, int, int, int]
"""Left, top, width and height in units of the drawing."""
OMITTED_LAYERS = frozenset(("ground", "seats"))
"""Layers shared on the page or replaced by text."""
SCATTERED_LAYERS = frozenset(("symbols", "names", "values"))
"""Layers of many small elements, of which only those within the box are kept."""
FADE_WIDTH = 44
"""Units over which a drawing fades out at the right if the board goes on."""
DRAWING_REACH = 30
"""Units by which a small element may extend from its centre."""
TRANSLATE_PATTERN = re.compile(r"translate\(([\d.]+) ([\d.]+)\)")
PAGE_ATTRIBUTES = re.compile(r' (?:class|xmlns|data-[\w-]+)="[^"]*"')
"""Attributes that would give a drawing the page's styles or scripts."""


@dataclass(frozen=True, slots=True)
class Drawing:
    view: View
    marks: Overlay
    box: ViewBox
    layers: str
    """SVG elements for a page that has the board's ground."""


def draw_part(view: View, marks: Overlay = EMPTY_OVERLAY, box: ViewBox | None = None) -> Drawing:
    """Draw the part of a board within a box, by default all but the frame."""
    box = box or whole_board_box(view.table.board)
    root = etree.fromstring(draw_board(view, marks))
    drawn = []
    for layer in root:
        name = layer.get("class", "")
        kind = str(layer.tag).rpartition("}")[2]
        if kind not in ("g", "path") or name in OMITTED_LAYERS or (kind == "g" and not len(layer)):
            continue
        if name in SCATTERED_LAYERS:
            for one in [one for one in layer if not _is_within(one, box)]:
                layer.remove(one)
        if name == "preview":
            layer.remove(layer[0])  # its light edge would hide the old walls along which it leads
        drawn.append(PAGE_ATTRIBUTES.sub("", etree.tostring(layer, encoding="unicode")))
    return Drawing(view, marks, box, "".join(drawn))


def whole_board_box(board: Board) -> ViewBox:
    """Return the box of a board without most of its frame."""
    chart, left = basemap_of(board), FRAME_WIDTH - 6
    return left, left, chart.width - 2 * left, chart.height - 2 * left


def _is_within(one: etree._Element, box: ViewBox) -> bool:
    moved = TRANSLATE_PATTERN.match(one.get("transform", ""))
    x, y = (float(moved[1]), float(moved[2])) if moved else (float(one.get("x", 0)), float(one.get("y", 0)))
    left, top, width, height = box
    return (
        -DRAWING_REACH < x - left < width + DRAWING_REACH
        and -DRAWING_REACH < y - top < height + DRAWING_REACH
    )


def render_svg(drawing: Drawing) -> str:
    left, top, width, height = drawing.box
    goes_on = left + width < basemap_of(drawing.view.table.board).width - FRAME_WIDTH
    fade = (
        f'<path fill="url(#fade)" d="M{left + width - FADE_WIDTH} {top}'
        f'h{FADE_WIDTH}v{height}h-{FADE_WIDTH}z"/>'
        if goes_on
        else ""
    )
    return (
        f'<svg class="plate" role="img" viewBox="{left} {top} {width} {height}" width="{width}" '
        f'height="{height}" font-family="{FONT}" font-weight="700" '
        f'aria-label="{escape(describe_drawing(drawing))}">'
        f'<use href="#{_ground_id(drawing.view.table.board)}"/>{drawing.layers}{fade}</svg>'
    )


def render_grounds(boards: Iterable[Board]) -> str:
    """Return the shared parts of drawings of these boards, an invisible element before them."""
    drawn = (
        (_ground_id(board), PAGE_ATTRIBUTES.sub("", basemap_of(board).ground))
        for board in dict.fromkeys(boards)
    )
    found = (f'<g id="{name}">{ground}</g>' for name, ground in drawn)
    return (
        f'<svg class="unseen" width="0" height="0" aria-hidden="true" font-family="{FONT}" font-weight="700">'
        f'<defs>{DEFINITIONS}{"".join(found)}<linearGradient id="fade">'
        f'<stop stop-color="{palette.PAPER}" stop-opacity="0"/>'
        f'<stop offset="1" stop-color="{palette.PAPER}"/>'
        "</linearGradient></defs></svg>"
    )


def _ground_id(board: Board) -> str:
    return "ground-" + "-".join(board.name.casefold().split())


def describe_drawing(drawing: Drawing) -> str:
    table, marks = drawing.view.table, drawing.marks
    sentences = [standings.board_alt_text(drawing.view, marks.labels)]
    if table.walls:
        sentences.append(
            gettext("Walls: %(runs)s.", runs=", ".join(map(format_path, join_sides(table.walls))))
        )
    if marks.targets:
        sentences.append(
            gettext(
                "Marked in green: %(places)s.", places=phrases.format_places(table, sorted(marks.targets))
            )
        )
    if marks.preview:
        sentences.append(gettext("The dashed line is the path %(path)s.", path=format_path(marks.preview)))
    if marks.changed:
        spaces = phrases.format_list(_space_name(table.board, space) for space in sorted(marks.changed))
        sentences.append(gettext("Hatched: %(spaces)s.", spaces=spaces))
    return " ".join(sentences)


def format_path(points: Iterable[Point]) -> str:
    """Format a path as A3-B4-C5."""
    return "-".join(map(str, points))


def _space_name(board: Board, space: Space) -> str:
    return board.names.get(space, str(space))
