"""The layers of a picture: the map of the board, and what is drawn over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import escape
from itertools import pairwise
from math import cos, hypot, pi, sin
from zlib import crc32

from emails.picture import palette
from engine.board import ROW_LETTERS, Board, Point, Side, Space, sides_of_path
from engine.cards import SYMBOL_INDEX, SYMBOLS, Symbol
from engine.position import RED_WALLS, Table

SYMBOL_DRAWINGS = {
    # a pediment, four columns, two steps
    Symbol.TEMPLE: (
        '<path d="M0-12L13-5V-3H-13V-5zM-11-1.5h3.6V7h-3.6zM-4.9-1.5h3.2V7h-3.2zM1.7-1.5h3.2V7H1.7z'
        'M7.4-1.5H11V7H7.4zM-12 8.3h24V10h1v2h-26V10h1z"/>'
    ),
    # a jar with a narrow foot and two handles
    Symbol.AMPHORA: (
        '<path d="M-4.5-12h9v2.4H3V-7C3-4.5 8-3 8 1.5 8 6 3.5 8 2.6 9.8H4.5V12h-9V9.8h1.9C-3.5 8-8 6-8 1.5'
        '-8-3-3-4.5-3-7v-2.6h-1.5z"/>'
        '<path fill="none" stroke-width="2" d="M-3-8.6C-10-9.6-10.5-4-6.6-2M3-8.6C10-9.6 10.5-4 6.6-2"/>'
    ),
    # a head in profile, looking west
    Symbol.HORSE: (
        '<path fill-rule="evenodd" d="M-6 12C-6.5 7-1.5 4.5-1.8.3-3.5 2-5.5 2-7 3.4L-8.4 5.2-11.3 3.2'
        "C-11.5 1-9-2.5-7.4-5.4L-3.6-9-4-12.3-.4-10C6.5-9.3 10.5-3.5 10.5 3V12z"
        'M-4.4-5.6a1.3 1.3 0 1 0 .1 0z"/>'
    ),
    # two horns, a bar, three strings, a sound box
    Symbol.LYRE: (
        '<path fill="none" stroke-width="2.8" d="M-3.5 7.5C-11.5 5-11.5-2-8-5-6.3-6.8-7-9.5-9.6-11.2'
        'M3.5 7.5C11.5 5 11.5-2 8-5 6.3-6.8 7-9.5 9.6-11.2"/>'
        '<path d="M-8-8.4H8V-6H-8zM-3.4-7h1.5V7h-1.5zM-.75-7h1.5V7h-1.5zM1.9-7h1.5V7H1.9z'
        'M-6 6.2H6C6 10.3 3.6 12 0 12S-6 10.3-6 6.2z"/>'
    ),
    # a helmet from the front: a crest across, two eyes with the nose between, two cheeks
    Symbol.SOLDIER: (
        '<path d="M-9 10C-8.3 6-9 3-9 0-9-6-5-8.3 0-8.3S9-6 9 0C9 3 8.3 6 9 10L3.6 12 2.6 4.8 7.2 2.8 6.8-.6'
        " 1.4-.2V5.2L0 6.8-1.4 5.2V-.2L-6.8-.6-7.2 2.8-2.6 4.8-3.6 12z"
        'M-11.4-4.6C-9-15.4 9-15.4 11.4-4.6L9.4-4.8C7.5-12-7.5-12-9.4-4.8z"/>'
    ),
}

GUARD_OUTLINES = (
    '<circle r="9.5"/>',
    '<path d="M-8.6-8.6H8.6V8.6H-8.6z"/>',
    '<path d="M0-12.2L12.2 0 0 12.2-12.2 0z"/>',
    '<path d="M0-12.6L12.6 8.8H-12.6z"/>',
)
"""The outline of a guard by seat: circle, square, diamond, triangle."""
LETTER_SIZES = (15, 15, 15, 13)
LETTER_DROPS = (4.6, 4.6, 4.6, 6.2)  # from the centre of a guard down to the foot of its letter


_SUN_RAYS = [(pi * step / 12, 5.5 if step % 2 else 13.5) for step in range(24)]
SUN_DRAWING = '<path d="M{}z"/>'.format(
    "L".join(f"{far * sin(turn):.1f} {-far * cos(turn):.1f}" for turn, far in _SUN_RAYS)
)


COLUMN_WIDTH, ROW_HEIGHT = 29, 50
"""Units between neighbouring columns of points, and between neighbouring rows."""
FRAME_WIDTH, BEACH_WIDTH = 32, 12
"""Width, in units, of the frame with letters and numbers, and of the sea between frame and land."""
MIN_WIDTH = 260
SYMBOL_SIZE, GUARD_SYMBOL_SIZE = ".92", ".68"
STROKES = (1 / 6, 1 / 2, 5 / 6)  # where hatching crosses the horizontal side of a space
INSET = ("m0-27l24 41h-48z", "m0 27l-24-41h48z")
# Each pair: the longest name in characters, and its font size.
NAME_SIZES, SMALLEST_NAME_SIZE = ((6, 10.0), (8, 9.2), (9, 8.5)), 7.5
NAME_SIZE = 10.0
GUARD_SIZE = 1.25
FONT = "Source Sans Pro, sans-serif"
GROUND_TAG, PROVINCES_TAG = '<g class="ground">', '<g class="provinces">'
Coordinates = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def list_met(self, others: Iterable[Box]) -> list[Box]:
        left, top, right, bottom = self.left, self.top, self.right, self.bottom
        return [
            one
            for one in others
            if left < one.right and one.left < right and top < one.bottom and one.top < bottom
        ]

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def grown(self, across: float, down: float) -> Box:
        return Box(self.left - across, self.top - down, self.right + across, self.bottom + down)

    def within(self, other: Box) -> bool:
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


@dataclass(frozen=True, slots=True, eq=False)
class Basemap:
    board: Board
    left: int
    """The x coordinate of column 0."""
    top: int
    """The y coordinate of row 0."""
    width: int
    height: int
    origin: int
    """The x at which the map begins, such that columns lie on whole pixels at each scale."""
    inner: Box
    """The map without the frame."""
    rows: Sequence[tuple[str, int, int]]
    """The letter, number and y coordinate of each row of points."""
    columns: Sequence[tuple[str, int, int]]
    terrain: str = ""
    ground: str = ""
    """The terrain, and the letters and numbers on the frame."""
    shore: str = ""
    symbols: Mapping[Space, str] = field(default_factory=dict)
    names: Mapping[Space, str] = field(default_factory=dict)

    def locate(self, point: Point) -> tuple[int, int]:
        return self.left + COLUMN_WIDTH * point.col, self.top + ROW_HEIGHT * point.row

    def centre_of(self, space: Space) -> Coordinates:
        """Return the centre of the inscribed circle of a space."""
        return self.left + COLUMN_WIDTH * space.col, self.top + ROW_HEIGHT * space.row + (
            17 if space.points_down else 33
        )

    def area_path(self, spaces: Iterable[Space]) -> str:
        path = ""
        for space in spaces:
            x, y = self.left + COLUMN_WIDTH * space.col, self.top + ROW_HEIGHT * space.row
            if space.points_down:
                path += f"M{x - COLUMN_WIDTH} {y}h{2 * COLUMN_WIDTH}l-{COLUMN_WIDTH} {ROW_HEIGHT}z"
            else:
                path += f"M{x} {y}l{COLUMN_WIDTH} {ROW_HEIGHT}h-{2 * COLUMN_WIDTH}z"
        return path

    def inset_path(self, space: Space) -> str:
        x, y = self.centre_of(space)
        return f"M{x} {y}{INSET[space.points_down]}"

    def hatch_path(self, spaces: Iterable[Space]) -> str:
        strokes = ""
        for space in sorted(spaces):
            x, y = self.left + COLUMN_WIDTH * space.col, self.top + ROW_HEIGHT * space.row
            for part in STROKES:
                east, south = 2 * COLUMN_WIDTH * part, ROW_HEIGHT * part
                if space.points_down:
                    strokes += f"M{x - COLUMN_WIDTH + east:g} {y}l{-east / 2:g} {south:g}"
                else:
                    strokes += f"M{x - COLUMN_WIDTH + east:g} {y + ROW_HEIGHT}"
                    strokes += f"l{COLUMN_WIDTH - east / 2:g} {south - ROW_HEIGHT:g}"
        return strokes

    def sides_path(self, edges: Iterable[Side]) -> str:
        return "".join(map(self.polyline_path, join_sides(frozenset(edges))))

    def lines_path(self, edges: Iterable[Side]) -> str:
        """Return SVG path data along these sides with as few line segments as possible."""
        return "".join(self.polyline_path(turning_points(run)) for run in join_sides(frozenset(edges)))

    def draw_grid(self, edges: Iterable[Side]) -> str:
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
        corners = ("{} {}".format(*self.locate(point)) for point in points)
        return "M" + "L".join(corners)


@lru_cache(maxsize=1024)
def join_sides(edges: frozenset[Side]) -> tuple[tuple[Point, ...], ...]:
    """Join sides into runs of points that cover each side once.

    A run goes straight on where it can. Runs with two ends come first, then loops, whose last point is also
    the first. Each kind is sorted by the first points, row by row.
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
    return tuple(found)


def turning_points(run: tuple[Point, ...]) -> tuple[Point, ...]:
    kept = [
        here
        for before, here, after in zip(run, run[1:], run[2:], strict=False)
        if (here.row - before.row, here.col - before.col) != (after.row - here.row, after.col - here.col)
    ]
    return run[0], *kept, run[-1]


def _walk_run(start: Point, ahead: Mapping[Point, set[Point]]) -> tuple[Point, ...]:
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
    points = tuple(board.steps)
    rows, columns = sorted({point.row for point in points}), sorted({point.col for point in points})
    land = COLUMN_WIDTH * (columns[-1] - columns[0])
    width = max(land + 2 * (FRAME_WIDTH + BEACH_WIDTH), MIN_WIDTH)
    height = ROW_HEIGHT * (rows[-1] - rows[0]) + 2 * (FRAME_WIDTH + BEACH_WIDTH)
    left = (width - land) // 2 - COLUMN_WIDTH * columns[0]
    top = FRAME_WIDTH + BEACH_WIDTH - ROW_HEIGHT * rows[0]
    bare = Basemap(
        board=board,
        left=left,
        top=top,
        width=width,
        height=height,
        origin=left % COLUMN_WIDTH,
        inner=Box(FRAME_WIDTH, FRAME_WIDTH, width - FRAME_WIDTH, height - FRAME_WIDTH),
        rows=[(ROW_LETTERS[row], row, top + ROW_HEIGHT * row) for row in rows],
        columns=[(str(col + 1), col, left + COLUMN_WIDTH * col) for col in columns],
    )
    shore = "".join(
        bare.polyline_path(turning_points(run)) + "z"
        for run in join_sides(frozenset(filter(board.is_on_rim, board.spaces_on)))
    )
    terrain = _draw_terrain(bare, shore)
    symbols, names = dict[Space, str](), dict[Space, str]()
    for space, name in board.names.items():
        x, y = bare.centre_of(space)
        aside = 5.5 if space.points_down else -5.5  # towards the tip: the name needs the wide end
        symbols[space] = f'<use href="#place-{board.symbols[space]}" x="{x}" y="{y + aside}"/>'
        x, foot, size = name_spot(bare, space)
        more = "" if size == NAME_SIZE else f' font-size="{size:g}"'
        names[space] = f'<text x="{x}" y="{foot:g}"{more}>{escape(name)}</text>'
    return replace(
        bare,
        terrain=terrain,
        ground=terrain + _draw_rim(bare),
        shore=shore,
        symbols=symbols,
        names=names,
    )


def _draw_terrain(chart: Basemap, shore: str) -> str:
    meridians = "".join(f"M{FRAME_WIDTH} {y}H{chart.width - FRAME_WIDTH}" for _, _, y in chart.rows)
    meridians += "".join(f"M{x} {FRAME_WIDTH}V{chart.height - FRAME_WIDTH}" for _, _, x in chart.columns)
    far, near = palette.SHALLOWS
    name = _element_id(chart, "shore")
    return (
        f'<rect class="sea" x="{FRAME_WIDTH}" y="{FRAME_WIDTH}" width="{chart.width - 2 * FRAME_WIDTH}" '
        f'height="{chart.height - 2 * FRAME_WIDTH}" fill="{palette.SEA}" stroke="{palette.COAST}"/>'
        f'<path d="{meridians}" stroke="{palette.MERIDIAN}"/>'
        '<g class="land" fill="none" stroke-linejoin="round">'
        f'<g stroke="{far}" stroke-width="26"><path id="{name}" d="{shore}"/></g>'
        f'<use href="#{name}" stroke="{near}" stroke-width="12"/>'
        f'<use href="#{name}" fill="{palette.LAND}" fill-rule="evenodd"/></g>'
        f"{chart.draw_grid(chart.board.spaces_on)}"
    )


def _element_id(chart: Basemap, part: str) -> str:
    return f"{part}-{crc32(chart.board.name.encode()):x}"


def draw_rim_text(name: str, number: int, x: float, y: float) -> str:
    """Draw a row letter or column number, dark if the number is even, faint if it is odd."""
    ink = palette.FAINT_INK if number % 2 else palette.INK
    return f'<text x="{x:g}" y="{y:g}" fill="{ink}">{name}</text>'


def _draw_rim(chart: Basemap) -> str:
    every = 2 if chart.columns[-1][1] > 98 else 1  # three digits need the width of two columns
    letters = [draw_rim_text(name, row, FRAME_WIDTH / 2, y + 8.5) for name, row, y in chart.rows]
    numbers = [draw_rim_text(name, col, x, FRAME_WIDTH - 7.5) for name, col, x in chart.columns[::every]]
    shown = ['<g class="rim" font-size="25" font-weight="700" text-anchor="middle">']
    for part, texts, again in (
        ("rows", letters, f'x="{chart.width - FRAME_WIDTH}"'),
        ("columns", numbers, f'y="{chart.height - FRAME_WIDTH}"'),
    ):
        name = _element_id(chart, part)
        shown += [f'<g id="{name}">', *texts, f'</g><use href="#{name}" {again}/>']
    return "".join((*shown, "</g>"))


def name_spot(chart: Basemap, space: Space) -> tuple[float, float, float]:
    """Return the middle x, the baseline y and the font size of a place name inside its space."""
    x, y = chart.centre_of(space)
    name = chart.board.names[space]
    size = next((size for longest, size in NAME_SIZES if len(name) <= longest), SMALLEST_NAME_SIZE)
    return x, y - 13 + size * 0.75 if space.points_down else y + 12, size


def _draw_definitions() -> Iterator[str]:
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


def draw_ways(chart: Basemap, marks: Overlay) -> Iterator[str]:
    """Draw the preview, and an arrow for each march, beside the arrows of earlier marches on shared sides."""
    if marks.marches:
        yield '<g class="marches" fill="none" stroke-linejoin="round">'
    walked: list[frozenset[Side]] = []
    for seat, path in marks.marches:
        edges = frozenset(sides_of_path(path))
        lane = sum(1 for other in walked if other & edges)
        walked.append(edges)
        if edges:
            arrow = _draw_arrow(chart, path, WALL_CLEARANCE + LANE_WIDTH * lane, palette.SEAT_COLOURS[seat])
            yield f'<g data-seat="{seat}">{arrow}</g>'
    if marks.marches:
        yield "</g>"
    if len(marks.preview) > 1:
        line = chart.polyline_path(marks.preview)
        yield (
            '<g class="preview" fill="none" stroke-linecap="round" stroke-linejoin="round">'
            f'<path stroke="{palette.PAPER}" stroke-width="11" d="{line}"/>'
            f'<path stroke="{palette.CHOICE}" stroke-width="7" stroke-dasharray="11 12" d="{line}"/></g>'
        )


def _draw_arrow(chart: Basemap, path: Sequence[Point], aside: float, colour: str) -> str:
    spots = [chart.locate(point) for point in path]
    rights: list[Coordinates] = []
    for (x, y), (next_x, next_y) in pairwise(spots):
        whole = hypot(next_x - x, next_y - y)
        rights.append(((y - next_y) / whole, (next_x - x) / whole))
    bends: list[Coordinates] = []
    for (x, y), before, after in zip(spots, [rights[0], *rights], [*rights, rights[-1]], strict=True):
        across = before[0] + after[0], before[1] + after[1]
        share = aside / max(0.5, (across[0] ** 2 + across[1] ** 2) / 2)
        bends.append((x + across[0] * share, y + across[1] * share))
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
