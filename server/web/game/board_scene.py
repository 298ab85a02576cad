"""The board on a page: the picture, with provinces and corners as links, and the worth of each.

Narrow screens without script get a close-up as well, which repeats the drawing that stands on the page and
costs next to nothing; scripts enlarge the board itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from sqlalchemy import bindparam, select

from emails.i18n import gettext, gettext_noop
from emails.picture.basemap import COLUMN_WIDTH, ROW_HEIGHT, Basemap, basemap_of, join_sides, turning_points
from emails.picture.board_picture import draw_board
from emails.picture.overlay import Overlay
from emails.wording import costs, phrases, standings
from engine.board import Board, Point, Side, Space
from engine.position import View
from engine.provinces import Province, provinces
from server.store.models import Seating, table_of
from server.web.kit.request_context import current_context

CLOSEUP_MARGIN = 1.3
"""Rows that a close-up shows around what it is about."""
LEAST_ROWS, LEAST_COLUMNS = 5, 9
"""What a close-up shows at least."""
TOUCH_RADIUS = 26
"""How far around a corner a touch still finds it; corners lie 58 apart."""


@dataclass(frozen=True, slots=True)
class CornerLink:
    """Where a click on a corner leads."""

    link: str
    title: str


PROVINCE_ANCHOR = "#province-"
"""Where the link of a province leads, before its first space: to what the page says about it."""


def draw_chart(
    view: View,
    marks: Overlay,
    spots: Mapping[Point, CornerLink] | None = None,
    *,
    lands: str = PROVINCE_ANCHOR,
    tags: Iterable[str] = (),
    about: Collection[Point] = (),
) -> str:
    """The board as one reader knows it, as SVG to stand within a page once.

    `lands`: how the links of provinces begin. `tags`: pieces of the drawing that stand above it. `about`:
    around which points a close-up lies, instead of Alexander and what is pointed out. For scripts it tells
    where column 0 and row 0 lie, where Alexander stands and what a close-up would show.
    """
    found = basemap_of(view.table.board)
    head, described, drawn = draw_board(view, marks).partition("</desc>")
    told = (
        f'role="group" data-left="{found.left}" data-top="{found.top}" data-stands="{view.table.alexander}" '
        f'data-box="{" ".join(f"{number:g}" for number in _closeup_box(view, marks, about))}"'
    )
    head = head.replace('role="img"', told, 1)  # what is one image has no links within
    corners = _corner_links(found, spots or {}, told=True)
    links = "".join((*tags, *_province_links(view, found, lands), *corners))
    return f'{head}{described}<g id="board">{drawn.removesuffix("</svg>")}</g>{links}</svg>'


def draw_closeup(view: View, marks: Overlay, spots: Mapping[Point, CornerLink] | None = None) -> str:
    """The part of the board that matters now, enlarged; stands on the page of its `chart`."""
    x, y, width, height = _closeup_box(view, marks)
    links = "".join(_corner_links(basemap_of(view.table.board), spots or {}, told=False))
    return (
        f'<svg class="closeup" viewBox="{x:g} {y:g} {width:g} {height:g}" role="group" '
        f'aria-label="{escape(gettext("The same, enlarged"))}"><use href="#board"/>{links}</svg>'
    )


def _closeup_box(
    view: View, marks: Overlay, about: Collection[Point] = ()
) -> tuple[float, float, float, float]:
    """The box around what matters now, with some room, moved to lie on the map as far as it can."""
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
    """The provinces that can be held, each a link to what the page says about it."""
    for province in provinces(view.table):
        if province.places:
            yield (
                f'<a class="land" href="{escape(lands)}{province.first}" data-province="{province.first}" '
                f'aria-label="{escape(_province_label(view, province))}">'
                f'<path d="{_province_outline(found.board, province.spaces)}"/></a>'
            )


def _province_label(view: View, province: Province) -> str:
    """Who holds a province and what it is worth."""
    if province.holder is None:
        return gettext("Free province worth %(value)s", value=province.value)
    mine, theirs = (
        gettext_noop("Your province worth %(value)s"),
        gettext_noop("%(name)s's province worth %(value)s"),
    )
    return phrases.gettext_for_seat(view.table, province.holder, view.me, mine, theirs, value=province.value)


@lru_cache(maxsize=4096)
def _province_outline(board: Board, spaces: tuple[Space, ...]) -> str:
    """One path around a province, and around what lies within it and is none of it."""
    found = basemap_of(board)
    edges: set[Side] = set()
    for space in spaces:
        edges.symmetric_difference_update(board.sides_around[space])
    return "".join(found.polyline_path(turning_points(run)) + "z" for run in join_sides(edges))


def _corner_links(found: Basemap, spots: Mapping[Point, CornerLink], *, told: bool) -> Iterator[str]:
    """The corners as links; `told`: with what scripts need to know."""
    for point, spot in sorted(spots.items()):
        x, y = found.locate(point)
        more = f' data-point="{point}"' if told else ""
        yield (
            f'<a class="spot" href="{escape(spot.link)}"{more} aria-label="{escape(spot.title)}">'
            f'<circle cx="{x}" cy="{y}" r="{TOUCH_RADIUS}"/></a>'
        )


SEATS = table_of(Seating).c
SELECT_HOUSE = select(SEATS.seat).where(SEATS.game == bindparam("of"), SEATS.house)


def scene_values(
    game: str, known: View, marked: Overlay, spots: Mapping[Point, CornerLink] | None = None
) -> dict[str, object]:
    """The values that scene.html needs, of a game as one reader knows it."""
    return {
        **standing_values(game, known),
        "chart": draw_chart(known, marked, spots),
        "closeup": draw_closeup(known, marked, spots) if not known.table.over else "",
        "alt": standings.board_alt_text(known, {}),
        "lands": costs.province_costs(known),
    }


def standing_values(game: str, known: View) -> dict[str, object]:
    """Those of them that say who has what, without the board."""
    table = known.table
    return {
        "links": {},
        "view": known,
        "table": table,
        "rows": standings.player_standings(known),
        "house": _house_seats(game),
        "mover": phrases.safe_name(table.names[table.seat]),
        "summary": standings.summarize_game(known),
    }


def _house_seats(game: str) -> frozenset[int]:
    """The seats that the server plays, so that nobody takes them for people."""
    with current_context().reading() as session:
        return frozenset(session.connection().execute(SELECT_HOUSE, {"of": game}).scalars())
