"""The map under every picture of a board: sea, land, grid, symbols and rim, drawn once a board and kept.

A space is 58 units wide and 50 high on every board. What stands there now is drawn over it by picture.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape

from emails import palette
from emails.symbols import DRAWINGS
from engine.board import Board
from engine.cards import ORDER, SYMBOLS
from engine.lattice import ROWS, Point, Side, Space

HALF, ROW = 29, 50
"""From one column of points to the next, and from one row to the next."""
FRAME, BEACH = 22, 14
"""The width of the frame that bears letters and numbers; the least sea between it and land."""
LEAST_WIDTH = 260
"""So that the names of the players find room beneath a small board."""
INSET = ("m0-27l24 41h-48z", "m0 27l-24-41h48z")
"""The path within a space from its middle, for one that points up and one that points down."""
FONT = "Source Sans Pro, sans-serif"
Spot = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """The unchanging parts of a board's picture, as pieces of SVG, and where everything lies on it."""

    board: Board
    left: int
    """Where column 0 would lie."""
    top: int
    """Where row 0 would lie."""
    width: int
    height: int
    ground: str
    """What lies under the colours of provinces: frame, sea, land."""
    lines: str
    """What lies over them: grid and coast."""
    symbols: Mapping[Space, str]
    """Each symbol space's drawing and name."""
    hooks: str
    """Invisible shapes with `data-space` and `data-point`, for pages that react to them."""

    def at(self, point: Point) -> tuple[int, int]:
        """Where a point lies."""
        return self.left + HALF * point.col, self.top + ROW * point.row

    def heart(self, space: Space) -> Spot:
        """The middle of a space: as far from each of its sides."""
        return self.left + HALF * space.col, self.top + ROW * space.row + (17 if space.down else 33)

    def triangle(self, space: Space) -> str:
        """The path along the sides of a space, clockwise."""
        x, y = self.left + HALF * space.col, self.top + ROW * space.row
        if space.down:
            return f"M{x - HALF} {y}h{2 * HALF}l-{HALF} {ROW}z"
        return f"M{x} {y}l{HALF} {ROW}h-{2 * HALF}z"

    def inset(self, space: Space) -> str:
        """A triangle within a space, clear of its sides."""
        x, y = self.heart(space)
        return f'<path data-space="{space}" d="M{x} {y}{INSET[space.down]}"/>'

    def area(self, spaces: Iterable[Space]) -> str:
        """One path round every one of these spaces, so that no seam shows between neighbours."""
        return "".join(map(self.triangle, spaces))

    def lines_along(self, edges: Iterable[Side]) -> str:
        """The path that draws each of these sides once."""
        return "".join(map(self.line, runs(edges)))

    def line(self, points: tuple[Point, ...]) -> str:
        """The path through these points."""
        corners = ("{} {}".format(*self.at(point)) for point in points)
        return "M" + "L".join(corners)


def runs(edges: Iterable[Side]) -> list[tuple[Point, ...]]:
    """Sides joined into runs of neighbouring points that walk each side once, straight on where they can.

    Runs with loose ends come first, then closed ones, which end where they began; each in reading order.
    """
    ahead: dict[Point, set[Point]] = {}
    for one, other in sorted(edges):
        ahead.setdefault(one, set()).add(other)
        ahead.setdefault(other, set()).add(one)
    points = sorted(ahead)
    loose = [point for point in points if len(ahead[point]) % 2]
    found = [_run(point, ahead) for point in loose if len(ahead[point]) % 2]
    for point in points:
        while ahead[point]:
            found.append(_run(point, ahead))
    return found


def _run(start: Point, ahead: Mapping[Point, set[Point]]) -> tuple[Point, ...]:
    """The run from a point until it is stuck; what it walks is no longer ahead."""
    run = [start]
    while steps := ahead[run[-1]]:
        here = run[-1]
        straight = Point(2 * here.row - run[-2].row, 2 * here.col - run[-2].col) if len(run) > 1 else here
        step = straight if straight in steps else min(steps)
        steps.remove(step)
        ahead[step].remove(here)
        run.append(step)
    return tuple(run)


@lru_cache(maxsize=16)
def map_of(board: Board) -> Map:
    """The map of a board."""
    points = tuple(board.steps)
    west, east = min(point.col for point in points), max(point.col for point in points)
    north, south = points[0].row, points[-1].row
    land = HALF * (east - west)
    width = max(land + 2 * (FRAME + BEACH), LEAST_WIDTH)
    height = ROW * (south - north) + 2 * (FRAME + BEACH)
    bare = Map(
        board=board,
        left=(width - land) // 2 - HALF * west,
        top=FRAME + BEACH - ROW * north,
        width=width,
        height=height,
        ground="",
        lines="",
        symbols={},
        hooks="",
    )
    shore = "".join(bare.line(run) + "z" for run in runs(filter(board.on_rim, board.spaces_on)))
    return replace(
        bare,
        ground=_sea(bare) + _rim(bare) + _land(shore),
        lines=_lines(bare, shore),
        symbols=_symbols(bare),
        hooks=_hooks(bare),
    )


def _sea(chart: Map) -> str:
    return (
        f'<rect class="sea" x="{FRAME}" y="{FRAME}" width="{chart.width - 2 * FRAME}" '
        f'height="{chart.height - 2 * FRAME}" fill="{palette.SEA}" stroke="{palette.COAST}"/>'
    )


def _land(shore: str) -> str:
    far, near = palette.SHALLOWS
    return (
        '<g class="land" fill="none" stroke-linejoin="round">'
        f'<path d="{shore}" stroke="{far}" stroke-width="26"/>'
        f'<path d="{shore}" stroke="{near}" stroke-width="12"/>'
        f'<path d="{shore}" fill="{palette.LAND}" fill-rule="evenodd"/></g>'
    )


def _rim(chart: Map) -> str:
    """The letters of rows and the numbers of columns, each with a faint line over the sea."""
    rows = {point.row: chart.at(point)[1] for point in chart.board.steps}
    columns = {point.col: chart.at(point)[0] for point in sorted(chart.board.steps, key=lambda one: one.col)}
    right, bottom = chart.width - FRAME, chart.height - FRAME
    faint = "".join(f"M{FRAME} {y}H{right}" for y in rows.values())
    faint += "".join(f"M{x} {FRAME}V{bottom}" for x in columns.values())
    names = [(ROWS[row], x, y + 5) for row, y in rows.items() for x in (FRAME // 2, chart.width - FRAME // 2)]
    names += [(str(col + 1), x, y) for col, x in columns.items() for y in (FRAME - 6, chart.height - 6)]
    return (
        f'<path d="{faint}" stroke="{palette.MERIDIAN}"/>'
        f'<g class="rim" font-size="14" font-weight="700" text-anchor="middle" fill="{palette.FAINT}">'
        + "".join(f'<text x="{x}" y="{y}">{name}</text>' for name, x, y in names)
        + "</g>"
    )


def _lines(chart: Map, shore: str) -> str:
    board = chart.board
    inland = chart.lines_along(edge for edge in board.spaces_on if not board.on_rim(edge))
    return (
        f'<path class="grid" d="{inland}" fill="none" stroke="{palette.GRID}"/>'
        f'<path class="coast" d="{shore}" fill="none" stroke="{palette.COAST}" stroke-width="1.6" '
        'stroke-linejoin="round"/>'
    )


def _symbols(chart: Map) -> dict[Space, str]:
    found = {}
    for space, name in chart.board.names.items():
        symbol = chart.board.symbols[space]
        assert symbol
        colour = palette.SYMBOL_COLOURS[ORDER[symbol]]
        x, y = chart.heart(space)
        lean, foot = (
            (5.5, -6.5) if space.down else (-5.5, 11.5)
        )  # towards the tip: the name takes the wide end
        small = ' font-size="7.4"' if len(name) > 9 else ""
        found[space] = (
            f'<use href="#symbol-{symbol}" transform="translate({x} {y + lean}) scale(.92)" '
            f'fill="{colour}" stroke="{colour}"/><text x="{x}" y="{y + foot}"{small}>{escape(name)}</text>'
        )
    return found


def _hooks(chart: Map) -> str:
    board = chart.board
    found = ['<g class="hooks" fill="none" pointer-events="all">']
    for space, symbol in board.symbols.items():
        title = f"{escape(board.names[space])}, {symbol}, {space}" if symbol else str(space)
        path = chart.triangle(space)
        found.append(f'<path data-space="{space}" d="{path}"><title>{title}</title></path>')
    for point in board.steps:
        x, y = chart.at(point)
        found.append(f'<circle data-point="{point}" cx="{x}" cy="{y}" r="14"><title>{point}</title></circle>')
    return "".join((*found, "</g>"))


DEFINITIONS = "".join(f'<g id="symbol-{symbol}">{DRAWINGS[symbol]}</g>' for symbol in SYMBOLS)
"""The drawings that the maps use by name."""
