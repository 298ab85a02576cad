"""Labels of a picture: layout and drawing of place names, corner discs and province values."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.resources import files
from math import cos, hypot, inf, pi, sin

from PIL import ImageFont

from emails.picture import palette
from emails.picture.layers import Basemap, Box, Overlay, basemap_of
from engine.board import Board, Point, Side, Space, sides_of_path
from engine.position import Table
from engine.provinces import Province

FONT_FOLDER = files("font_source_sans_pro") / "files"
FONT_FILES = [str(FONT_FOLDER / f"SourceSansPro-{face}.ttf") for face in ("Bold", "SemiboldIt")]
"""The fonts, without which resvg draws no text and reports no error."""
BOLD, NAME_FACE = 0, 1
"""Indexes of the font for general text, and of the font for place names."""
MEASURES = [ImageFont.truetype(file, 100) for file in FONT_FILES]
LOW_LETTERS = frozenset("gpqyj")
ASCENT, DESCENT = 0.72, 0.2
"""Height of letters above and below the baseline, as a fraction of the font size."""


@dataclass(frozen=True, slots=True)
class PlacedName:
    """A place name, the x of its middle and the y of its baseline."""

    space: Space
    x: float
    foot: float
    size: float
    box: Box


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
    def box(self) -> Box:
        return Box(self.x - self.half, self.y - self.radius, self.x + self.half, self.y + self.radius)

    def meets(self, box: Box, gap: float = 0) -> bool:
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
    window: Box | None = None
    """The visible part of the board; None: the whole board."""

    @property
    def named(self) -> frozenset[Space]:
        return frozenset(name.space for name in self.names)

    def shows(self, box: Box) -> bool:
        return self.window is None or box.within(self.window)

    def leaves_room(self, box: Box) -> bool:
        if not self.shows(box):
            return False
        return not box.list_met(name.box for name in self.names) and not any(
            disc.meets(box) for disc in self.discs
        )


NO_LABELS = LabelLayout()


def name_box(name: str, x: float, foot: float, size: float) -> Box:
    half = text_width(name, size, NAME_FACE) / 2 + 0.5
    low = DESCENT if LOW_LETTERS.intersection(name) else 0.02
    return Box(x - half, foot - ASCENT * size, x + half, foot + low * size)


@lru_cache(maxsize=4096)
def text_width(words: str, size: float, face: int) -> float:
    return float(MEASURES[face].getlength(words)) / 100 * size


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


def draw_labels(chart: Basemap, layout: LabelLayout) -> Iterator[str]:
    """Draw names and discs, each disc with a line to its corner if it is not on the corner."""
    lines = "".join(
        f"M{chart.locate(one.point)[0]} {chart.locate(one.point)[1]}L{one.x:.1f} {one.y:.1f}"
        for one in layout.discs
        if (one.x, one.y) != chart.locate(one.point)
    )
    if lines:
        wide = max(one.radius for one in layout.discs)
        yield '<g class="stalks" fill="none" stroke-linecap="round">'
        for colour, share in ((palette.PAPER, 0.7), (palette.CHOICE, 0.4)):
            yield f'<path stroke="{colour}" stroke-width="{wide * share:.1f}" d="{lines}"/>'
        yield "</g>"
    yield from draw_names(chart, layout.names)
    shown: list[str] = []
    for one in layout.discs:
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


def lay_out_labels(
    chart: Basemap,
    table: Table,
    marks: Overlay,
    window: Box,
    sizes: LabelSizes,
    figures: Iterable[Box] = (),
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
    things: Mapping[Space, Box]
    obstacles: Sequence[Box]
    lines: Sequence[Box]
    """Boxes of walls, marches and province values, which names avoid if possible."""
    window: Box
    sizes: LabelSizes

    def fill(self, urgent: tuple[Space, ...]) -> LabelLayout:
        names = self.place_names(urgent, (), ())
        discs = self.place_discs([name.box for name in names])
        return LabelLayout((*names, *self.place_names(self.marks.named, names, discs)), discs, self.window)

    def place_names(
        self, wanted: Iterable[Space], before: Sequence[PlacedName], discs: Sequence[PlacedDisc]
    ) -> tuple[PlacedName, ...]:
        found: list[PlacedName] = []
        taken = [*self.obstacles, *(name.box for name in before)]
        done = {name.space for name in before}
        large, least = self.sizes.name, self.sizes.least
        for space in dict.fromkeys(wanted):
            if space not in self.things or space in done:
                continue
            must = space in self.marks.targets
            tries: list[tuple[float, Sequence[Box], Sequence[float]]] = [
                (large, [*self.lines, *taken], NEAR),
                (large, taken, FARTHER if must else NEAR),
            ]
            if must:
                tries += [(least, taken, FARTHER)] if least < large else []
                tries.append((least, taken, FARTHEST))
            for size, filled, farther in tries:
                own = self.things[space]
                name = place_name(self.chart, space, own, filled, discs, self.window, size, farther)
                if name is not None:
                    found.append(name)
                    taken.append(name.box.grown(name.size / 3, 0))
                    break
        return tuple(found)

    def place_discs(self, names: Iterable[Box]) -> tuple[PlacedDisc, ...]:
        labels = sorted(self.marks.labels.items())
        if self.sizes.on_corners:
            return tuple(next(self._disc_spots(*one)) for one in labels)
        placed: list[PlacedDisc] = []
        for point, label in labels:
            x, y = self.chart.locate(point)
            near = _around(x, y, 5 * self.sizes.radius).list_met(self.obstacles)
            goals = [space for space in self.chart.board.spaces_at[point] if space in self.marks.targets]
            owns = [*(self.things[space] for space in goals if space in self.things), *names]
            best, least = None, inf
            for spot in self._disc_spots(point, label):
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

    def _disc_spots(self, point: Point, label: str) -> Iterator[PlacedDisc]:
        x, y = self.chart.locate(point)
        shown = palette.clean_name(label, MOST_SIGNS)
        radius, size = self.sizes.radius, self.sizes.sign
        half = radius if len(shown) < 3 else max(radius, text_width(shown, size, BOLD) / 2 + radius * 0.45)
        yield PlacedDisc(point, shown, x, y, radius, half, size)
        for far in (1.15, 1.6, 2.2):
            for step in range(DIRECTIONS):
                turn = 2 * pi * step / DIRECTIONS
                across, down = (half + radius * (far - 1)) * sin(turn), radius * far * cos(turn)
                spot = PlacedDisc(point, shown, x + across, y + down, radius, half, size)
                if spot.box.within(self.window):
                    yield spot


@lru_cache(maxsize=4096)
def thing_box(chart: Basemap, space: Space, *, guarded: bool) -> Box:
    x, y = chart.centre_of(space)
    lean = 1 if space.points_down else -1
    if guarded:
        tip, base = y + 22 * lean, y - 20.5 * lean
        return Box(x - 15, min(tip, base), x + 15, max(tip, base))
    return _around(x, y + 5.5 * lean, SYMBOL_HALF)


@lru_cache(maxsize=4096)
def _pieces_of(board: Board, edge: Side) -> tuple[Box, ...]:
    (x, y), (right, low) = map(basemap_of(board).locate, edge)
    return tuple(_around(x + (right - x) * part, y + (low - y) * part, LINE_HALF) for part in LINE_PARTS)


def _around(x: float, y: float, far: float) -> Box:
    return Box(x - far, y - far, x + far, y + far)


def place_name(
    chart: Basemap,
    space: Space,
    own: Box,
    taken: Sequence[Box],
    discs: Sequence[PlacedDisc],
    window: Box,
    size: float,
    farther: Sequence[float] = NEAR,
) -> PlacedName | None:
    """Place a name beside its symbol, trying the distances `farther` (font sizes); None: no free position."""
    name = chart.board.names[space]
    width = text_width(name, size, NAME_FACE)
    near = own.grown(width + REACH * size, REACH * size).list_met(taken)
    x, middle = (own.left + own.right) / 2, (own.top + own.bottom) / 2 + ASCENT * size / 2
    for far in farther:
        away = far * size
        below, above = own.bottom + ASCENT * size + 0.5 + away, own.top - DESCENT * size - 0.5 - away
        feet = (above, below) if space.points_down else (below, above)
        shifts = WIDE_SHIFTS if farther is FARTHEST else SHIFTS
        spots = [(x + shift * width, foot) for foot in feet for shift in shifts]
        for foot in (middle, middle - size / 2, middle + size / 2):
            spots += [(own.right + width / 2 + 1.5 + away, foot), (own.left - width / 2 - 1.5 - away, foot)]
        for spot in spots:
            box = name_box(name, *spot, size)
            is_free = box.within(window) and not box.list_met(near)
            if is_free and not any(disc.meets(box, 0.5) for disc in discs):
                return PlacedName(space, *spot, size, box)
    return None


LARGE, FREE, SMALL = 30, 21, 15  # font sizes of values: held provinces, free ones, any in a small space
CAPITAL = 0.72


@dataclass(frozen=True, slots=True)
class PlacedValue:
    """The value of a province and its middle; a value that scores nothing is in brackets (5.12)."""

    province: Province
    x: float
    y: float
    figure: str
    size: int

    @property
    def box(self) -> Box:
        across, down = text_width(self.figure, self.size, BOLD) / 2, CAPITAL * self.size / 2
        return Box(self.x - across, self.y - down, self.x + across, self.y + down)


def draw_values(
    chart: Basemap, parts: Sequence[Province], seen: Container[Space], layout: LabelLayout
) -> Iterator[str]:
    yield f'<g class="values" text-anchor="middle" stroke="{palette.PAPER}" paint-order="stroke">'
    for value in place_values(chart, parts, seen, layout):
        holder, size = value.province.holder, value.size
        if layout.shows(value.box):
            yield (
                f'<text data-province="{value.province.first}" x="{value.x:g}" y="{value.y + size / 3:.1f}" '
                f'font-size="{size}" '
                f'fill="{palette.FAINT_INK if holder is None else palette.SEAT_COLOURS[holder]}" '
                f'stroke-width="{size / 7:.1f}">{value.figure}</text>'
            )
    yield "</g>"


def place_values(
    chart: Basemap, parts: Sequence[Province], seen: Container[Space], layout: LabelLayout = NO_LABELS
) -> Iterator[PlacedValue]:
    """Yield the values of provinces, placed on spaces in `seen` and clear of the labels in `layout`."""
    largest = max(parts, key=lambda province: len(province.spaces))
    for province in parts:
        spaces = [space for space in province.spaces if space in seen]
        if spaces and province.places and (province is not largest or province.holder is not None):
            yield place_value(chart, province, spaces, layout)


def place_value(
    chart: Basemap, province: Province, spaces: Sequence[Space], layout: LabelLayout = NO_LABELS
) -> PlacedValue:
    """Place the value on a space without a symbol near the middle of the province.

    If there is none, place a small figure at the tip of a triangle with a symbol, or beside a guard.
    """
    figure = f"({province.value})" if len(province.guards) > 1 else f"{province.value}"
    hearts = [chart.centre_of(space) for space in spaces]
    mid_x, mid_y = (sum(numbers) / len(hearts) for numbers in zip(*hearts, strict=True))
    symbols = chart.board.symbols
    clear = [heart for space, heart in zip(spaces, hearts, strict=True) if not symbols[space]]
    if clear:
        size = FREE if province.holder is None else LARGE if len(figure) < 4 else 24
        clear.sort(key=lambda spot: (spot[0] - mid_x) ** 2 + (spot[1] - mid_y) ** 2)
        placed = (PlacedValue(province, *spot, figure, size) for spot in clear)
        free = (one for one in placed if layout.leaves_room(one.box))
        return next(free, PlacedValue(province, *clear[0], figure, size))
    bare = [space for space in spaces if symbols[space] and space not in province.guards]
    space = bare[0] if bare else spaces[0]
    x, y = chart.centre_of(space)
    lean = 1 if space.points_down else -1
    x, y = (x, y + 21.5 * lean) if bare else (x - 18, y - 10.5 * lean)
    return PlacedValue(province, x, y, figure, SMALL)
