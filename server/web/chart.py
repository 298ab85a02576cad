"""The board on a page: the same picture as in the letters, on which corners can be clicked.

Narrow screens get a close-up as well, which repeats the drawing that stands on the page and costs next to
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape

from emails.map import HALF, ROW, Map, map_of
from emails.marks import Marks
from emails.picture import svg
from emails.tongue import say
from engine.lattice import Point
from engine.position import View

AROUND = 1.3
"""Rows that a close-up shows around what it is about."""
LEAST_ROWS, LEAST_COLUMNS = 5, 9
"""What a close-up shows at least."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a click on a corner leads."""

    link: str
    title: str


def chart(view: View, marks: Marks, spots: Mapping[Point, Spot] | None = None) -> str:
    """The board as one reader knows it, as SVG to stand within a page once."""
    head, described, drawn = svg(view, marks).partition("</desc>")
    links = "".join(_links(map_of(view.table.board), spots or {}))
    if links:
        head = head.replace('role="img"', 'role="group"', 1)  # what is one image has no links within
    return f'{head}{described}<g id="board">{drawn.removesuffix("</svg>")}</g>{links}</svg>'


def closeup(view: View, marks: Marks, spots: Mapping[Point, Spot] | None = None) -> str:
    """The part of the board that matters now, enlarged; stands on the page of its `chart`."""
    found = map_of(view.table.board)
    matter = {view.table.alexander, *marks.labels, *marks.preview}
    x, y, width, height = _box(found, [found.at(point) for point in matter])
    links = "".join(_links(found, spots or {}))
    return (
        f'<svg class="closeup" viewBox="{x:g} {y:g} {width:g} {height:g}" role="group" '
        f'aria-label="{escape(say("The same, enlarged"))}"><use href="#board"/>{links}</svg>'
    )


def _box(found: Map, at: Iterable[tuple[float, float]]) -> tuple[float, float, float, float]:
    """The box around these points, with some room, moved to lie on the map as far as it can."""
    xs, ys = zip(*at, strict=True)
    width = min(found.width, max(max(xs) - min(xs) + 2 * AROUND * ROW, LEAST_COLUMNS * HALF))
    height = min(found.height, max(max(ys) - min(ys) + 2 * AROUND * ROW, LEAST_ROWS * ROW))
    x = min(max(0, (min(xs) + max(xs) - width) / 2), found.width - width)
    y = min(max(0, (min(ys) + max(ys) - height) / 2), found.height - height)
    return x, y, width, height


def _links(found: Map, spots: Mapping[Point, Spot]) -> Iterator[str]:
    for point, spot in sorted(spots.items()):
        x, y = found.at(point)
        title = escape(spot.title)
        yield (
            f'<a class="spot" href="{escape(spot.link)}" aria-label="{title}"><title>{title}</title>'
            f'<circle cx="{x}" cy="{y}" r="22"/></a>'
        )
