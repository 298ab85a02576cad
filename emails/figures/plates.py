"""Drawings of a board beside text: parts of the picture, many on one page, that share what never changes.

The ground of each board and the symbols stand on the page once (`grounds`); a plate draws over them only what
lies within its box. So it has no names of its own in the page and takes a few kilobytes. It says nothing in
any language: `words` does.
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
"""Left, top, width and height, in units of the drawing."""
OMITTED_LAYERS = frozenset(("ground", "seats"))
"""Layers that stand on the page once, or that the text tells."""
SCATTERED_LAYERS = frozenset(("symbols", "names", "values"))
"""Layers of many small drawings, of which only those within the box are kept."""
FADE_WIDTH = 44
"""Units in which a drawing fades out towards the east, where the board goes on."""
DRAWING_REACH = 30
"""Units by which a small drawing may reach beyond its middle."""
TRANSLATE_PATTERN = re.compile(r"translate\(([\d.]+) ([\d.]+)\)")
PAGE_ATTRIBUTES = re.compile(r' (?:class|xmlns|data-[\w-]+)="[^"]*"')
"""What a page could take for something to look different, or to be clicked: a plate is only looked at."""


@dataclass(frozen=True, slots=True)
class Plate:
    """One drawing, and what it was drawn from."""

    view: View
    marks: Overlay
    box: ViewBox
    drawing: str
    """The layers, to be put into an `svg` on a page that has the `grounds` of the board."""


def draw_plate(view: View, marks: Overlay = EMPTY_OVERLAY, box: ViewBox | None = None) -> Plate:
    """The drawing of a part of the board, or of all of it but the frame."""
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
    return Plate(view, marks, box, "".join(drawn))


def whole_board_box(board: Board) -> ViewBox:
    """All of a board but for most of its frame."""
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


def render_plate(plate: Plate) -> str:
    """The drawing as SVG, with its words for those who hear it."""
    left, top, width, height = plate.box
    goes_on = left + width < basemap_of(plate.view.table.board).width - FRAME_WIDTH
    fade = (
        f'<path fill="url(#fade)" d="M{left + width - FADE_WIDTH} {top}'
        f'h{FADE_WIDTH}v{height}h-{FADE_WIDTH}z"/>'
        if goes_on
        else ""
    )
    return (
        f'<svg class="plate" role="img" viewBox="{left} {top} {width} {height}" width="{width}" '
        f'height="{height}" font-family="{FONT}" font-weight="700" '
        f'aria-label="{escape(describe_plate(plate))}">'
        f'<use href="#{_ground_id(plate.view.table.board)}"/>{plate.drawing}{fade}</svg>'
    )


def render_grounds(boards: Iterable[Board]) -> str:
    """What the drawings of these boards share: to stand on their page once, before them; it shows nothing."""
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


def describe_plate(plate: Plate) -> str:
    """What a drawing shows."""
    table, marks = plate.view.table, plate.marks
    sentences = [standings.board_alt_text(plate.view, marks.labels)]
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
    """A path as it is written: A3-B4-C5."""
    return "-".join(map(str, points))


def _space_name(board: Board, space: Space) -> str:
    return board.names.get(space, str(space))
