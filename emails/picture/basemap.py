"""The map under every picture of a board: sea, land, grid, symbols and rim, drawn once a board and kept.

A space is 58 units wide and 50 high on every board. What stands there now is drawn over it by
board_picture.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from zlib import crc32

from emails.picture import palette
from emails.picture.symbols import GUARD_OUTLINES, SYMBOL_DRAWINGS
from engine.board import ROW_LETTERS, Board, Point, Side, Space
from engine.cards import SYMBOL_INDEX, SYMBOLS

COLUMN_WIDTH, ROW_HEIGHT = 29, 50
"""From one column of points to the next, and from one row to the next."""
FRAME_WIDTH, BEACH_WIDTH = 32, 12
"""The width of the frame that bears letters and numbers; the least sea between it and land."""
MIN_WIDTH = 260
"""So that the names of the players find room beneath a small board."""
SYMBOL_SIZE, GUARD_SYMBOL_SIZE = ".92", ".68"
"""How large a symbol is drawn on a bare space, and on one where a guard stands, measured by its drawing."""
STROKES = (1 / 6, 1 / 2, 5 / 6)
"""Where the strokes of a hatched space cross its level side, from 0 to 1."""
INSET = ("m0-27l24 41h-48z", "m0 27l-24-41h48z")
"""The path within a space from its middle, for one that points up and one that points down."""
NAME_SIZES, SMALLEST_NAME_SIZE = ((6, 10.0), (8, 9.2), (9, 8.5)), 7.5
"""The size of a place's name by its letters, so that the name stays within its space."""
NAME_SIZE = 10.0
"""The size of most names, set once on their group."""
GUARD_SIZE = 1.25
"""How large a guard is drawn, measured by the outline of its seat."""
FONT = "Source Sans Pro, sans-serif"
Coordinates = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Basemap:
    """The unchanging parts of a board's picture, as pieces of SVG, and where everything lies on it."""

    board: Board
    left: int
    """Where column 0 would lie."""
    top: int
    """Where row 0 would lie."""
    width: int
    height: int
    terrain: str
    """What lies under all else: sea, land, grid, coast."""
    rim: str
    """The letters of its rows and the numbers of its columns, on the frame."""
    shore: str
    """The path around all land."""
    symbols: Mapping[Space, str]
    """The symbol of each symbol space."""
    names: Mapping[Space, str]
    """Its name, in the wide end."""

    @property
    def ground(self) -> str:
        """What lies under all else, with the frame around it."""
        return self.terrain + self.rim

    def locate(self, point: Point) -> tuple[int, int]:
        """Where a point lies."""
        return self.left + COLUMN_WIDTH * point.col, self.top + ROW_HEIGHT * point.row

    def centre_of(self, space: Space) -> Coordinates:
        """The middle of a space: as far from each of its sides."""
        return self.left + COLUMN_WIDTH * space.col, self.top + ROW_HEIGHT * space.row + (
            17 if space.points_down else 33
        )

    def triangle_path(self, space: Space) -> str:
        """The path along the sides of a space, clockwise."""
        x, y = self.left + COLUMN_WIDTH * space.col, self.top + ROW_HEIGHT * space.row
        if space.points_down:
            return f"M{x - COLUMN_WIDTH} {y}h{2 * COLUMN_WIDTH}l-{COLUMN_WIDTH} {ROW_HEIGHT}z"
        return f"M{x} {y}l{COLUMN_WIDTH} {ROW_HEIGHT}h-{2 * COLUMN_WIDTH}z"

    def inset_path(self, space: Space) -> str:
        """The path of a triangle within a space, clear of its sides."""
        x, y = self.centre_of(space)
        return f"M{x} {y}{INSET[space.points_down]}"

    def hatch_path(self, space: Space) -> str:
        """The path of slanting strokes over a space, which go on in its neighbours."""
        x, y = self.left + COLUMN_WIDTH * space.col, self.top + ROW_HEIGHT * space.row
        strokes = ""
        for part in STROKES:
            east, south = 2 * COLUMN_WIDTH * part, ROW_HEIGHT * part
            if space.points_down:
                strokes += f"M{x - COLUMN_WIDTH + east:g} {y}l{-east / 2:g} {south:g}"
            else:
                strokes += f"M{x - COLUMN_WIDTH + east:g} {y + ROW_HEIGHT}"
                strokes += f"l{COLUMN_WIDTH - east / 2:g} {south - ROW_HEIGHT:g}"
        return strokes

    def area_path(self, spaces: Iterable[Space]) -> str:
        """One path round every one of these spaces, so that no seam shows between neighbours."""
        return "".join(map(self.triangle_path, spaces))

    def sides_path(self, edges: Iterable[Side]) -> str:
        """The path that draws each of these sides once."""
        return "".join(map(self.polyline_path, join_sides(edges)))

    def lines_path(self, edges: Iterable[Side]) -> str:
        """The same in as few lines as it takes."""
        return "".join(self.polyline_path(turning_points(run)) for run in join_sides(edges))

    def draw_grid(self, edges: Iterable[Side]) -> str:
        """The grid and the coast, as far as they run along these sides."""
        inland: list[Side] = []
        shore: list[Side] = []
        for edge in edges:
            (shore if self.board.is_on_rim(edge) else inland).append(edge)
        return (
            f'<path class="grid" d="{self.lines_path(inland)}" fill="none" stroke="{palette.GRID}"/>'
            f'<path class="coast" d="{self.lines_path(shore)}" fill="none" stroke="{palette.COAST}" '
            'stroke-width="1.6" stroke-linejoin="round"/>'
        )

    def polyline_path(self, points: tuple[Point, ...]) -> str:
        """The path through these points."""
        corners = ("{} {}".format(*self.locate(point)) for point in points)
        return "M" + "L".join(corners)


def join_sides(edges: Iterable[Side]) -> list[tuple[Point, ...]]:
    """Sides joined into runs of neighbouring points that walk each side once, straight on where they can.

    Runs with loose ends come first, then closed ones, which end where they began; each in reading order.
    """
    ahead: dict[Point, set[Point]] = {}
    for one, other in sorted(edges):
        ahead.setdefault(one, set()).add(other)
        ahead.setdefault(other, set()).add(one)
    points = sorted(ahead)
    loose = [point for point in points if len(ahead[point]) % 2]
    found = [_walk_run(point, ahead) for point in loose if len(ahead[point]) % 2]
    for point in points:
        while ahead[point]:
            found.append(_walk_run(point, ahead))
    return found


def turning_points(run: tuple[Point, ...]) -> tuple[Point, ...]:
    """The points of a run at which it turns, and its ends."""
    kept = [
        here
        for before, here, after in zip(run, run[1:], run[2:], strict=False)
        if (here.row - before.row, here.col - before.col) != (after.row - here.row, after.col - here.col)
    ]
    return run[0], *kept, run[-1]


def _walk_run(start: Point, ahead: Mapping[Point, set[Point]]) -> tuple[Point, ...]:
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
def basemap_of(board: Board) -> Basemap:
    """The map of a board."""
    points = tuple(board.steps)
    west, east = min(point.col for point in points), max(point.col for point in points)
    north, south = points[0].row, points[-1].row
    land = COLUMN_WIDTH * (east - west)
    width = max(land + 2 * (FRAME_WIDTH + BEACH_WIDTH), MIN_WIDTH)
    height = ROW_HEIGHT * (south - north) + 2 * (FRAME_WIDTH + BEACH_WIDTH)
    bare = Basemap(
        board=board,
        left=(width - land) // 2 - COLUMN_WIDTH * west,
        top=FRAME_WIDTH + BEACH_WIDTH - ROW_HEIGHT * north,
        width=width,
        height=height,
        terrain="",
        rim="",
        shore="",
        symbols={},
        names={},
    )
    shore = "".join(
        bare.polyline_path(turning_points(run)) + "z"
        for run in join_sides(filter(board.is_on_rim, board.spaces_on))
    )
    return replace(
        bare,
        terrain=_draw_sea(bare)
        + _draw_meridians(bare)
        + _draw_land(bare, shore)
        + bare.draw_grid(board.spaces_on),
        rim=_draw_rim(bare),
        shore=shore,
        symbols=dict(_draw_symbols(bare)),
        names=dict(_draw_names(bare)),
    )


def _draw_sea(chart: Basemap) -> str:
    return (
        f'<rect class="sea" x="{FRAME_WIDTH}" y="{FRAME_WIDTH}" width="{chart.width - 2 * FRAME_WIDTH}" '
        f'height="{chart.height - 2 * FRAME_WIDTH}" fill="{palette.SEA}" stroke="{palette.COAST}"/>'
    )


def _draw_land(chart: Basemap, shore: str) -> str:
    far, near = palette.SHALLOWS
    name = _element_id(chart, "shore")
    return (
        '<g class="land" fill="none" stroke-linejoin="round">'
        f'<g stroke="{far}" stroke-width="26"><path id="{name}" d="{shore}"/></g>'
        f'<use href="#{name}" stroke="{near}" stroke-width="12"/>'
        f'<use href="#{name}" fill="{palette.LAND}" fill-rule="evenodd"/></g>'
    )


def _element_id(chart: Basemap, part: str) -> str:
    """The id of a part of a map that is drawn several times; several maps can stand on one page."""
    return f"{part}-{crc32(chart.board.name.encode()):x}"


def row_lines(chart: Basemap) -> list[tuple[str, int, int]]:
    """The rows of points: their letters, their numbers, and how far down they lie."""
    rows = sorted({point.row for point in chart.board.steps})
    return [(ROW_LETTERS[row], row, chart.top + ROW_HEIGHT * row) for row in rows]


def column_lines(chart: Basemap) -> list[tuple[str, int, int]]:
    """The columns of points: what they are called, their numbers, and how far across they lie."""
    columns = sorted({point.col for point in chart.board.steps})
    return [(str(col + 1), col, chart.left + COLUMN_WIDTH * col) for col in columns]


def draw_rim_text(name: str, number: int, x: float, y: float) -> str:
    """The letter of a row or the number of a column.

    A point's letter and number are both dark or both faint, and so one knows at once which belong together.
    """
    ink = palette.FAINT_INK if number % 2 else palette.INK
    return f'<text x="{x:g}" y="{y:g}" fill="{ink}">{name}</text>'


def _draw_meridians(chart: Basemap) -> str:
    """A faint line over the sea for each row and column."""
    faint = "".join(f"M{FRAME_WIDTH} {y}H{chart.width - FRAME_WIDTH}" for _, _, y in row_lines(chart))
    faint += "".join(f"M{x} {FRAME_WIDTH}V{chart.height - FRAME_WIDTH}" for _, _, x in column_lines(chart))
    return f'<path d="{faint}" stroke="{palette.MERIDIAN}"/>'


def _draw_rim(chart: Basemap) -> str:
    """The letters of rows and the numbers of columns, on all sides of the frame."""
    columns = column_lines(chart)
    every = 2 if columns[-1][1] > 98 else 1  # three digits take the room of two columns
    letters = [draw_rim_text(name, row, FRAME_WIDTH / 2, y + 8.5) for name, row, y in row_lines(chart)]
    numbers = [draw_rim_text(name, col, x, FRAME_WIDTH - 7.5) for name, col, x in columns[::every]]
    shown = ['<g class="rim" font-size="25" font-weight="700" text-anchor="middle">']
    for part, texts, again in (
        ("rows", letters, f'x="{chart.width - FRAME_WIDTH}"'),
        ("columns", numbers, f'y="{chart.height - FRAME_WIDTH}"'),
    ):
        name = _element_id(chart, part)
        shown += [f'<g id="{name}">', *texts, f'</g><use href="#{name}" {again}/>']
    return "".join((*shown, "</g>"))


def _draw_symbols(chart: Basemap) -> Iterator[tuple[Space, str]]:
    for space in chart.board.names:
        symbol = chart.board.symbol_at(space)
        x, y = chart.centre_of(space)
        aside = 5.5 if space.points_down else -5.5  # towards the tip: the name takes the wide end
        yield space, f'<use href="#place-{symbol}" x="{x}" y="{y + aside}"/>'


def _draw_names(chart: Basemap) -> Iterator[tuple[Space, str]]:
    for space, name in chart.board.names.items():
        x, foot, size = name_spot(chart, space)
        more = "" if size == NAME_SIZE else f' font-size="{size:g}"'
        yield space, f'<text x="{x}" y="{foot:g}"{more}>{escape(name)}</text>'


def name_spot(chart: Basemap, space: Space) -> tuple[float, float, float]:
    """Where the name of a place stands within its space: its middle, its foot, and its size."""
    x, y = chart.centre_of(space)
    name = chart.board.names[space]
    size = next((size for longest, size in NAME_SIZES if len(name) <= longest), SMALLEST_NAME_SIZE)
    return x, y - 13 + size * 0.75 if space.points_down else y + 12, size


def _draw_definitions() -> Iterator[str]:
    """Each symbol by itself, as it stands on a bare space, and in white as it stands beside a guard."""
    for symbol in SYMBOLS:
        yield f'<g id="symbol-{symbol}">{SYMBOL_DRAWINGS[symbol]}</g>'
        for name, colour, size in (
            ("place", palette.SYMBOL_COLOURS[SYMBOL_INDEX[symbol]], SYMBOL_SIZE),
            ("guarded", "#fff", GUARD_SYMBOL_SIZE),
        ):
            yield (
                f'<use id="{name}-{symbol}" href="#symbol-{symbol}" transform="scale({size})" '
                f'fill="{colour}" stroke="{colour}"/>'
            )
    for seat, outline in enumerate(GUARD_OUTLINES):
        yield (
            f'<g id="guard-{seat}" transform="scale({GUARD_SIZE})" fill="#fff" '
            f'stroke="{palette.SEAT_COLOURS[seat]}" stroke-width="1.5">{outline}</g>'
        )


DEFINITIONS = "".join(_draw_definitions())
"""The drawings that the maps use by name."""
