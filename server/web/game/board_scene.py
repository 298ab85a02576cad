"""The board on a page: the picture, with corners as links, and provinces as links that name the holder.

For narrow screens without scripts there is also a close-up. It reuses the drawing on the page, so it adds
hardly any bytes. Scripts zoom into the board itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from emails.i18n import gettext, gettext_noop
from emails.picture.board_picture import draw_board
from emails.picture.layers import (
    COLUMN_WIDTH,
    ROW_HEIGHT,
    Basemap,
    Overlay,
    basemap_of,
    join_sides,
    turning_points,
)
from emails.wording import costs, phrases, standings
from engine.board import Board, Point, Side, Space
from engine.position import View
from engine.provinces import Province, provinces

CLOSEUP_MARGIN = 1.3  # rows
LEAST_ROWS, LEAST_COLUMNS = 5, 9
TOUCH_RADIUS = 26
"""Radius of the clickable area of a corner, in units of the drawing. Corners are 58 apart."""


@dataclass(frozen=True, slots=True)
class CornerLink:
    link: str
    title: str


PROVINCE_ANCHOR = "#province-"


def draw_chart(
    view: View,
    marks: Overlay,
    spots: Mapping[Point, CornerLink] | None = None,
    *,
    lands: str | None = PROVINCE_ANCHOR,
    tags: Iterable[str] = (),
    about: Collection[Point] = (),
) -> str:
    """Draw the board as a viewer knows it, as SVG that a page may contain only once.

    `spots` are links on corners. `lands` is the prefix of links on provinces; None omits these links. `tags`
    are SVG elements that are drawn on top of the board. The close-up shows the points `about`; if empty, it
    shows Alexander and the labelled points of `marks`.
    """
    found = basemap_of(view.table.board)
    head, described, drawn = draw_board(view, marks).partition("</desc>")
    told = (
        f'role="group" data-left="{found.left}" data-top="{found.top}" data-stands="{view.table.alexander}" '
        f'data-box="{" ".join(f"{number:g}" for number in _closeup_box(view, marks, about))}"'
    )
    head = head.replace('role="img"', told, 1)  # an element with role img must not contain links
    corners = _corner_links(found, spots or {}, scripted=True)
    links = "".join((*tags, *([] if lands is None else _province_links(view, found, lands)), *corners))
    return f'{head}{described}<g id="board">{drawn.removesuffix("</svg>")}</g>{links}</svg>'


def draw_closeup(view: View, marks: Overlay, spots: Mapping[Point, CornerLink] | None = None) -> str:
    x, y, width, height = _closeup_box(view, marks)
    links = "".join(_corner_links(basemap_of(view.table.board), spots or {}, scripted=False))
    return (
        f'<svg class="closeup" viewBox="{x:g} {y:g} {width:g} {height:g}" role="group" '
        f'aria-label="{escape(gettext("The same, enlarged"))}"><use href="#board"/>{links}</svg>'
    )


def _closeup_box(
    view: View, marks: Overlay, about: Collection[Point] = ()
) -> tuple[float, float, float, float]:
    """Return x, y, width and height of the close-up (see `draw_chart`), with a margin and within the map."""
    found = basemap_of(view.table.board)
    matter = about or {view.table.alexander, *marks.labels, *marks.preview}
    xs, ys = zip(*(found.locate(point) for point in matter), strict=True)
    width = min(
        found.width, max(max(xs) - min(xs) + 2 * CLOSEUP_MARGIN * ROW_HEIGHT, LEAST_COLUMNS * COLUMN_WIDTH)
    )
    height = min(
        found.height, max(max(ys) - min(ys) + 2 * CLOSEUP_MARGIN * ROW_HEIGHT, LEAST_ROWS * ROW_HEIGHT)
    )
    x = min(max(0, (min(xs) + max(xs) - width) / 2), found.width - width)
    y = min(max(0, (min(ys) + max(ys) - height) / 2), found.height - height)
    return x, y, width, height


def _province_links(view: View, found: Basemap, lands: str) -> Iterator[str]:
    for province in provinces(view.table):
        if province.places:
            yield (
                f'<a class="land" href="{escape(lands)}{province.first}" data-province="{province.first}" '
                f'aria-label="{escape(_province_label(view, province))}">'
                f'<path d="{_province_outline(found.board, province.spaces)}"/></a>'
            )


def _province_label(view: View, province: Province) -> str:
    if province.holder is None:
        return gettext("Free province worth %(value)s", value=province.value)
    mine, theirs = (
        gettext_noop("Your province worth %(value)s"),
        gettext_noop("%(name)s's province worth %(value)s"),
    )
    return phrases.gettext_for_seat(view.table, province.holder, view.me, mine, theirs, value=province.value)


@lru_cache(maxsize=4096)
def _province_outline(board: Board, spaces: tuple[Space, ...]) -> str:
    found = basemap_of(board)
    edges: set[Side] = set()
    for space in spaces:
        edges.symmetric_difference_update(board.sides_around[space])
    return "".join(found.polyline_path(turning_points(run)) + "z" for run in join_sides(edges))


def _corner_links(found: Basemap, spots: Mapping[Point, CornerLink], *, scripted: bool) -> Iterator[str]:
    for point, spot in sorted(spots.items()):
        x, y = found.locate(point)
        more = f' data-point="{point}"' if scripted else ""
        yield (
            f'<a class="spot" href="{escape(spot.link)}"{more} aria-label="{escape(spot.title)}">'
            f'<circle cx="{x}" cy="{y}" r="{TOUCH_RADIUS}"/></a>'
        )


def scene_values(
    bots: frozenset[int], known: View, marked: Overlay, spots: Mapping[Point, CornerLink] | None = None
) -> dict[str, object]:
    """Return the values for scene.html. `bots`: seats played by bots."""
    return {
        **standing_values(bots, known),
        "chart": draw_chart(known, marked, spots),
        "closeup": draw_closeup(known, marked, spots) if not known.table.over else "",
        "alt": standings.board_alt_text(known, {}),
        "lands": costs.province_costs(known),
    }


def standing_values(bots: frozenset[int], known: View) -> dict[str, object]:
    table = known.table
    return {
        "links": {},
        "view": known,
        "table": table,
        "rows": standings.player_standings(known),
        "house": bots,
        "mover": phrases.safe_name(table.names[table.seat]),
        "summary": standings.summarize_game(known),
    }
