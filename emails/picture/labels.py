"""Labels of a picture: layout and drawing of place names, corner discs and province values."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape
from importlib.resources import files
from math import cos, hypot, inf, pi, sin

from PIL import ImageFont

from emails.picture import palette
from emails.picture.layers import Basemap, Coordinates, Overlay, basemap_of
from engine.board import Board, Point, Side, Space, sides_of_path
from engine.position import Table
from engine.provinces import Province

FONT_FOLDER = files("font_source_sans_pro") / "files"
FONT_FILES = [str(FONT_FOLDER / f"SourceSansPro-{face}.ttf") for face in ("Bold", "SemiboldIt")]
"""The fonts, without which resvg draws no text and reports no error."""
BOLD, NAME_FACE = 0, 1
"""Indexes of the font for general text, and of the font for place names."""
LOW_LETTERS = frozenset("gpqyj")
ASCENT, DESCENT = 0.72, 0.2
"""Height of letters above and below the baseline, as a fraction of the font size."""


@dataclass(frozen=True, slots=True)
class LabelBox:
    left: float
    top: float
    right: float
    bottom: float

    def list_met(self, others: Iterable[LabelBox]) -> list[LabelBox]:
        left, top, right, bottom = self.left, self.top, self.right, self.bottom
        return [
            one
            for one in others
            if left < one.right and one.left < right and top < one.bottom and one.top < bottom
        ]

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def grown(self, across: float, down: float) -> LabelBox:
        return LabelBox(self.left - across, self.top - down, self.right + across, self.bottom + down)

    def within(self, other: LabelBox) -> bool:
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


@dataclass(frozen=True, slots=True)
class PlacedName:
    """A place name, the x of its middle and the y of its baseline."""

    space: Space
    x: float
    foot: float
    size: float
    box: LabelBox


@dataclass(frozen=True, slots=True)
class PlacedDisc:
    """A disc with a corner's label, on or near the corner; wider than high if the label is long."""

    point: Point
    shown: str
    x: float
    y: float
    radius: float
    half: float
    size: float

    @property
    def box(self) -> LabelBox:
        return LabelBox(self.x - self.half, self.y - self.radius, self.x + self.half, self.y + self.radius)

    def meets(self, box: LabelBox, gap: float = 0) -> bool:
        """True if the distance between the disc and a box is less than `gap`."""
        reach = self.half + gap
        if box.right <= self.x - reach or box.left >= self.x + reach:
            return False
        flat = self.half - self.radius
        across = max(box.left - self.x - flat, 0, self.x - flat - box.right)
        down = max(box.top - self.y, 0, self.y - box.bottom)
        return hypot(across, down) < self.radius + gap


@dataclass(frozen=True, slots=True)
class LabelLayout:
    names: tuple[PlacedName, ...] = ()
    discs: tuple[PlacedDisc, ...] = ()
    window: LabelBox | None = None
    """The visible part of the board; None: the whole board."""

    @property
    def named(self) -> frozenset[Space]:
        return frozenset(name.space for name in self.names)

    def shows(self, box: LabelBox) -> bool:
        return self.window is None or box.within(self.window)

    def leaves_room(self, box: LabelBox) -> bool:
        if not self.shows(box):
            return False
        return not box.list_met(name.box for name in self.names) and not any(
            disc.meets(box) for disc in self.discs
        )


NO_LABELS = LabelLayout()


def name_box(name: str, x: float, foot: float, size: float) -> LabelBox:
    half = text_width(name, size, NAME_FACE) / 2 + 0.5
    low = DESCENT if LOW_LETTERS.intersection(name) else 0.02
    return LabelBox(x - half, foot - ASCENT * size, x + half, foot + low * size)


@lru_cache(maxsize=4096)
def _relative_width(words: str, face: int) -> float:
    return float(_measuring_font(face).getlength(words)) / 100


@cache
def _measuring_font(face: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONT_FILES[face], 100)


def text_width(words: str, size: float, face: int) -> float:
    return _relative_width(words, face) * size


def draw_names(chart: Basemap, names: Iterable[PlacedName], layer: str = "named") -> Iterator[str]:
    shown = [
        f'<text data-space="{one.space}" x="{one.x:.1f}" y="{one.foot:.1f}" font-size="{one.size:.2f}" '
        f'stroke-width="{one.size / 4:.1f}">{escape(chart.board.names[one.space])}</text>'
        for one in names
    ]
    if shown:
        yield (
            f'<g class="{layer}" font-weight="600" font-style="italic" text-anchor="middle" '
            f'fill="{palette.INK}" stroke="{palette.PAPER}" stroke-linejoin="round" paint-order="stroke">'
        )
        yield from shown
        yield "</g>"


def draw_stalks(chart: Basemap, discs: Sequence[PlacedDisc]) -> Iterator[str]:
    """Draw a line to the corner from each disc that is not on its corner."""
    lines = [
        f"M{chart.locate(one.point)[0]} {chart.locate(one.point)[1]}L{one.x:.1f} {one.y:.1f}"
        for one in discs
        if (one.x, one.y) != chart.locate(one.point)
    ]
    if lines:
        wide = max(one.radius for one in discs)
        yield '<g class="stalks" fill="none" stroke-linecap="round">'
        for colour, share in ((palette.PAPER, 0.7), (palette.CHOICE, 0.4)):
            yield f'<path stroke="{colour}" stroke-width="{wide * share:.1f}" d="{"".join(lines)}"/>'
        yield "</g>"


def draw_discs(discs: Iterable[PlacedDisc]) -> Iterator[str]:
    shown: list[str] = []
    for one in discs:
        form = f'<circle cx="{one.x:g}" cy="{one.y:g}" r="{one.radius:g}" stroke-width="2.5"/>'
        if one.half > one.radius:
            form = (
                f'<rect x="{one.x - one.half:g}" y="{one.y - one.radius:g}" width="{2 * one.half:g}" '
                f'height="{2 * one.radius:g}" rx="{one.radius:g}" stroke-width="2.5"/>'
                f'<circle cx="{one.x:g}" cy="{one.y:g}" r="{one.radius:g}" stroke-width="0"/>'
            )
        shown.append(
            f'<g data-label="{one.point}">{form}<text x="{one.x:g}" y="{one.y + one.size / 3:g}" '
            f'font-size="{one.size:g}" fill="#fff" stroke="none">{escape(one.shown)}</text></g>'
        )
    if shown:
        yield f'<g class="labels" text-anchor="middle" fill="{palette.CHOICE}" stroke="{palette.PAPER}">'
        yield from shown
        yield "</g>"


NAME_PIXELS, DISC_PIXELS, DISC_RADIUS = 9.3, 10.5, 8.4
"""Sizes in pixels on a phone: font of names, font of discs, radius of discs."""
MOST_SIGNS = 9
SUN_RADIUS = 18.0
SYMBOL_HALF = 12.0
LINE_PARTS, LINE_HALF = (0.1, 0.3, 0.5, 0.7, 0.9), 5.0  # boxes on a line that labels avoid
DIRECTIONS = 16
# distances to try between a symbol and its name, in font sizes of the name
NEAR, FARTHER, FARTHEST = (0.0,), (0.0, 0.6, 1.2, 1.8), (0.0, 0.6, 1.2, 1.8, 2.4, 3.0)
REACH = 6.0
"""Distance from a name, in font sizes, beyond which obstacles are ignored."""
SHIFTS = (0.0, 0.12, -0.12, 0.25, -0.25, 0.38, -0.38, 0.5, -0.5)
WIDE_SHIFTS = (*SHIFTS, 0.65, -0.65, 0.8, -0.8, 1.0, -1.0)  # sideways, in widths of the name


@dataclass(frozen=True, slots=True)
class LabelSizes:
    name: float
    least: float
    radius: float
    sign: float
    on_corners: bool = False
    """True if each disc must stay on its corner, because the page places a link there."""

    @classmethod
    def on_telephone(cls, unit: float) -> LabelSizes:
        """Return the sizes for a letter's picture; `unit`: drawing units per pixel on a phone."""
        return cls(NAME_PIXELS * unit, NAME_PIXELS * unit, DISC_RADIUS * unit, DISC_PIXELS * unit)


def lay_out_labels(
    chart: Basemap,
    table: Table,
    marks: Overlay,
    window: LabelBox,
    sizes: LabelSizes,
    figures: Iterable[LabelBox] = (),
) -> LabelLayout:
    """Place corner discs and place names within a window; names avoid province values (`figures`).

    Places the discs first. If some target spaces then get no name, starts again with the names of these
    spaces.
    """
    guarded = {space for standing in table.guards for space in standing}
    boxes = ((space, thing_box(chart, space, guarded=space in guarded)) for space in chart.board.names)
    things = {space: box for space, box in boxes if box.list_met([window])}
    things_and_sun = [*things.values(), _around(*chart.locate(table.alexander), SUN_RADIUS)]
    walked = {edge for _, path in marks.marches for edge in sides_of_path(path)}
    near = (
        edge for edge in table.walls | walked if any(window.holds(*chart.locate(point)) for point in edge)
    )
    lines = [*(box for edge in near for box in _pieces_of(chart.board, edge)), *figures]
    room = _Room(chart, marks, things, things_and_sun, lines, window, sizes)
    found = room.fill(())
    missing = () if sizes.on_corners else sorted(marks.targets - found.named)
    return room.fill(tuple(missing)) if missing else found


@dataclass(frozen=True, slots=True)
class _Room:
    chart: Basemap
    marks: Overlay
    things: Mapping[Space, LabelBox]
    obstacles: Sequence[LabelBox]
    lines: Sequence[LabelBox]
    """Boxes of walls, marches and province values, which names avoid if possible."""
    window: LabelBox
    sizes: LabelSizes

    def fill(self, urgent: tuple[Space, ...]) -> LabelLayout:
        names = self.place_names(urgent, (), ())
        owns = {name.space: name.box for name in names}
        discs = place_discs(
            self.chart, self.marks, self.things, self.obstacles, owns, self.window, self.sizes
        )
        return LabelLayout((*names, *self.place_names(self.marks.named, names, discs)), discs, self.window)

    def place_names(
        self, wanted: Iterable[Space], before: Sequence[PlacedName], discs: Sequence[PlacedDisc]
    ) -> tuple[PlacedName, ...]:
        found: list[PlacedName] = []
        taken = [*self.obstacles, *(name.box for name in before)]
        done = {name.space for name in before}
        for space in dict.fromkeys(wanted):
            if space in self.things and space not in done:
                name = next(self._try_name(space, taken, discs), None)
                if name is not None:
                    found.append(name)
                    taken.append(name.box.grown(name.size / 3, 0))
        return tuple(found)

    def _try_name(
        self, space: Space, taken: Sequence[LabelBox], discs: Sequence[PlacedDisc]
    ) -> Iterator[PlacedName]:
        must, own = space in self.marks.targets, self.things[space]
        tries: list[tuple[float, Sequence[LabelBox], Sequence[float]]] = [
            (self.sizes.name, [*self.lines, *taken], NEAR),
            (self.sizes.name, taken, FARTHER if must else NEAR),
        ]
        if must:
            smaller = self.sizes.least < self.sizes.name
            tries += [(self.sizes.least, taken, FARTHER)] if smaller else []
            tries.append((self.sizes.least, taken, FARTHEST))
        for size, filled, farther in tries:
            name = place_name(self.chart, space, own, filled, discs, self.window, size, farther)
            if name is not None:
                yield name


@lru_cache(maxsize=4096)
def thing_box(chart: Basemap, space: Space, *, guarded: bool) -> LabelBox:
    x, y = chart.centre_of(space)
    lean = 1 if space.points_down else -1
    if guarded:
        tip, base = y + 22 * lean, y - 20.5 * lean
        return LabelBox(x - 15, min(tip, base), x + 15, max(tip, base))
    return _around(x, y + 5.5 * lean, SYMBOL_HALF)


@lru_cache(maxsize=4096)
def _pieces_of(board: Board, edge: Side) -> tuple[LabelBox, ...]:
    (x, y), (right, low) = map(basemap_of(board).locate, edge)
    return tuple(_around(x + (right - x) * part, y + (low - y) * part, LINE_HALF) for part in LINE_PARTS)


def _around(x: float, y: float, far: float) -> LabelBox:
    return LabelBox(x - far, y - far, x + far, y + far)


# --- discs ----------------------------------------------------------------------------------------------


def place_discs(
    chart: Basemap,
    marks: Overlay,
    things: Mapping[Space, LabelBox],
    obstacles: Sequence[LabelBox],
    names: Mapping[Space, LabelBox],
    window: LabelBox,
    sizes: LabelSizes,
) -> tuple[PlacedDisc, ...]:
    placed: list[PlacedDisc] = []
    for point, label in sorted(marks.labels.items()):
        x, y = chart.locate(point)
        around = _around(x, y, 5 * sizes.radius)
        near = around.list_met(obstacles)
        goals = [space for space in chart.board.spaces_at[point] if space in marks.targets]
        owns = [*(things[space] for space in goals if space in things), *names.values()]
        best, least = None, inf
        for spot in _disc_spots(chart, point, label, window, sizes):
            cost = hypot(spot.x - x, spot.y - y) / spot.radius
            cost += 1000 * sum(spot.meets(own, 0.5) for own in owns)
            cost += 300 * sum(spot.meets(other.box, 1) for other in placed)
            cost += 4 * sum(spot.meets(thing) for thing in near)
            if cost < least:
                best, least = spot, cost
            if cost == 0:
                break
        placed += [] if best is None else [best]
    return tuple(placed)


def _disc_spots(
    chart: Basemap, point: Point, label: str, window: LabelBox, sizes: LabelSizes
) -> Iterator[PlacedDisc]:
    x, y = chart.locate(point)
    shown = palette.clean_name(label, MOST_SIGNS)
    radius, size = sizes.radius, sizes.sign
    half = radius if len(shown) < 3 else max(radius, text_width(shown, size, BOLD) / 2 + radius * 0.45)
    yield PlacedDisc(point, shown, x, y, radius, half, size)
    for far in () if sizes.on_corners else (1.15, 1.6, 2.2):
        for step in range(DIRECTIONS):
            turn = 2 * pi * step / DIRECTIONS
            across, down = (half + radius * (far - 1)) * sin(turn), radius * far * cos(turn)
            spot = PlacedDisc(point, shown, x + across, y + down, radius, half, size)
            if spot.box.within(window):
                yield spot


# --- names ----------------------------------------------------------------------------------------------


def place_name(
    chart: Basemap,
    space: Space,
    own: LabelBox,
    taken: Sequence[LabelBox],
    discs: Sequence[PlacedDisc],
    window: LabelBox,
    size: float,
    farther: Sequence[float] = NEAR,
) -> PlacedName | None:
    """Place a name beside its symbol, trying the distances `farther` (font sizes); None: no free position."""
    name = chart.board.names[space]
    shifts = WIDE_SHIFTS if farther is FARTHEST else SHIFTS
    reach = own.grown(text_width(name, size, NAME_FACE) + REACH * size, REACH * size)
    near = reach.list_met(taken)
    for x, foot in (
        spot for far in farther for spot in _name_spots(name, space, own, size, far * size, shifts)
    ):
        box = name_box(name, x, foot, size)
        if not box.within(window) or box.list_met(near):
            continue
        if not any(disc.meets(box, 0.5) for disc in discs):
            return PlacedName(space, x, foot, size, box)
    return None


def _name_spots(
    name: str, space: Space, own: LabelBox, size: float, far: float, shifts: Sequence[float]
) -> Iterator[Coordinates]:
    x = (own.left + own.right) / 2
    width = text_width(name, size, NAME_FACE)
    below, above = own.bottom + ASCENT * size + 0.5 + far, own.top - DESCENT * size - 0.5 - far
    base, tip = (above, below) if space.points_down else (below, above)
    for foot in (base, tip):
        for shift in shifts:
            yield x + shift * width, foot
    middle = (own.top + own.bottom) / 2 + ASCENT * size / 2
    for foot in (middle, middle - size / 2, middle + size / 2):
        yield own.right + width / 2 + 1.5 + far, foot
        yield own.left - width / 2 - 1.5 - far, foot


LARGE, FREE, SMALL = 30, 21, 15  # font sizes of values: held provinces, free ones, any in a small space
CAPITAL = 0.72


def draw_values(
    chart: Basemap,
    table: Table,
    parts: Sequence[Province],
    seen: Container[Space],
    layout: LabelLayout = NO_LABELS,
) -> Iterator[str]:
    """Draw the values of provinces on spaces in `seen`; a value that scores nothing is in brackets (5.12)."""
    yield f'<g class="values" text-anchor="middle" stroke="{palette.PAPER}" paint-order="stroke">'
    for province, spaces in _list_valued(parts, seen):
        x, y, room = find_clear_spot(chart, table, province, spaces, layout)
        colour = palette.FAINT_INK if province.holder is None else palette.SEAT_COLOURS[province.holder]
        figure, size = _figure_of(province, room=room)
        if not layout.shows(_figure_box(x, y, figure, size)):
            continue
        yield (
            f'<text data-province="{province.first}" x="{x:g}" y="{y + size / 3:.1f}" font-size="{size}" '
            f'fill="{colour}" stroke-width="{size / 7:.1f}">{figure}</text>'
        )
    yield "</g>"


def value_boxes(
    chart: Basemap, table: Table, parts: Sequence[Province], seen: Container[Space]
) -> Iterator[LabelBox]:
    """Yield the box of each province value, placed without regard to labels."""
    for province, spaces in _list_valued(parts, seen):
        x, y, room = find_clear_spot(chart, table, province, spaces)
        yield _figure_box(x, y, *_figure_of(province, room=room))


def _list_valued(parts: Sequence[Province], seen: Container[Space]) -> Iterator[tuple[Province, list[Space]]]:
    largest = max(parts, key=lambda province: len(province.spaces))
    for province in parts:
        if not province.places or (province is largest and province.holder is None):
            continue
        spaces = [space for space in province.spaces if space in seen]
        if spaces:
            yield province, spaces


def _figure_of(province: Province, *, room: bool) -> tuple[str, int]:
    """Return the text and font size of a province's value; `room` is true if a large figure fits."""
    figure = f"({province.value})" if len(province.guards) > 1 else f"{province.value}"
    if not room:
        return figure, SMALL
    if province.holder is None:
        return figure, FREE
    return figure, LARGE if len(figure) < 4 else 24


def _figure_box(x: float, y: float, figure: str, size: int) -> LabelBox:
    half = text_width(figure, size, BOLD) / 2
    return LabelBox(x - half, y - CAPITAL * size / 2, x + half, y + CAPITAL * size / 2)


def find_clear_spot(
    chart: Basemap,
    table: Table,
    province: Province,
    spaces: Sequence[Space],
    layout: LabelLayout = NO_LABELS,
) -> tuple[float, float, bool]:
    """Return the position of a province's value, and whether a large figure fits.

    The best position is a space without a symbol near the middle of the province; else, the tip of a triangle
    with a symbol, or a spot beside a guard.
    """
    hearts = [chart.centre_of(space) for space in spaces]
    mid_x, mid_y = (sum(numbers) / len(hearts) for numbers in zip(*hearts, strict=True))
    symbols = table.board.symbols
    clear = [heart for space, heart in zip(spaces, hearts, strict=True) if not symbols[space]]
    if clear:
        figure = _figure_of(province, room=True)
        clear.sort(key=lambda spot: (spot[0] - mid_x) ** 2 + (spot[1] - mid_y) ** 2)
        free = (spot for spot in clear if layout.leaves_room(_figure_box(*spot, *figure)))
        return *next(free, clear[0]), True
    bare = [space for space in spaces if symbols[space] and space not in province.guards]
    space = bare[0] if bare else spaces[0]
    x, y = chart.centre_of(space)
    lean = 1 if space.points_down else -1
    return (x, y + 21.5 * lean, False) if bare else (x - 18, y - 10.5 * lean, False)
