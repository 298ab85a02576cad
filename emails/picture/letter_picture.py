"""The picture of a letter: the relevant part of the board, an overview, and an image map; pictures as PNG."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from io import BytesIO
from math import hypot

from PIL import Image
from resvg_py import svg_to_bytes

from emails.picture import palette
from emails.picture.board_picture import draw_position, draw_seats, draw_small_names, draw_titles
from emails.picture.labels import (
    DISC_PIXELS,
    DISC_RADIUS,
    FARTHER,
    FONT_FILES,
    NAME_PIXELS,
    LabelSizes,
    PlacedName,
    draw_labels,
    draw_names,
    lay_out_labels,
    place_name,
    place_values,
    thing_box,
)
from emails.picture.layers import (
    COLUMN_WIDTH,
    DEFINITIONS,
    FONT,
    GROUND_TAG,
    GUARD_OUTLINES,
    PROVINCES_TAG,
    ROW_HEIGHT,
    Basemap,
    Box,
    Coordinates,
    Overlay,
    basemap_of,
    draw_rim_text,
)
from engine.board import Point, Space, corners
from engine.position import Table, View
from engine.provinces import Province, provinces

PICTURE_WIDTH = 608
"""Display width of a letter's pictures in pixels."""


@dataclass(frozen=True, slots=True)
class ImageMapArea:
    point: Point
    label: str
    circle: str
    """Centre and radius in pixels, such as "300,200,16"; circles never overlap."""


LEAST_RADIUS, MOST_RADIUS = 8, 22

PHONE_WIDTH = 328
"""Width of a picture on a phone, in pixels: 360 minus the margins of mail programs."""
CLOSEUP_WIDTH = 620
"""Width of a close-up's PNG in pixels; nearly twice the width on a phone, for a sharp display."""
CLOSEUP_FRAME = 23
COLUMN_PIXELS = (46, 38, 32, 26)  # scales of a close-up; whole pixels keep the PNG small
LEAST_ROWS = 4
MARGIN = 30
MOST_HEIGHT = 0.62  # of a close-up, as a fraction of its width; text and a button fit below it
NEARLY_ALL = 0.74  # of the board's width; a wider close-up becomes the whole board


@dataclass(frozen=True, slots=True)
class PictureArea:
    """The visible part of a map."""

    box: Box
    frame: float
    column: int
    """Width of a column of spaces in the PNG, in pixels; 0 if the area is the whole board."""


def list_areas(chart: Basemap, table: Table, marks: Overlay) -> Iterator[PictureArea]:
    """Yield areas that contain all that can be chosen, in order of preference; some contain all news too."""
    walked = (point for _, path in marks.marches for point in path)
    fresh = (point for edge in marks.fresh for point in edge)
    spots_of = list[list[Coordinates]]()
    for points, spaces in (
        ((table.alexander, *marks.labels, *marks.preview), marks.targets),
        ((*walked, *fresh), (*marks.changed, *marks.named)),
    ):
        around = (corner for space in spaces for corner in corners(space))
        spots_of.append([chart.locate(point) for point in dict.fromkeys((*points, *around))])
    wanted, news = spots_of
    everything, inner = [*wanted, *news], chart.inner
    *close, widest = COLUMN_PIXELS
    tries = [(everything, column) for column in close] + [(wanted, column) for column in COLUMN_PIXELS]
    for spots, column in (*tries, (everything, widest)):
        width, step = (CLOSEUP_WIDTH - CLOSEUP_FRAME) * COLUMN_WIDTH / column, COLUMN_WIDTH / column
        xs, ys = zip(*spots, strict=True)
        if width > NEARLY_ALL * chart.width or max(xs) - min(xs) + MARGIN > width:
            continue
        top, bottom = max(inner.top, min(ys) - MARGIN), min(inner.bottom, max(ys) + MARGIN)
        height = min(inner.bottom - inner.top, max(bottom - top, LEAST_ROWS * ROW_HEIGHT))
        if height > MOST_HEIGHT * width:
            continue
        left = max(inner.left, min((min(xs) + max(xs) - width) / 2, inner.right - width))
        top = max(inner.top, min((top + bottom - height) / 2, inner.bottom - height))
        left, top = chart.origin + round((left - chart.origin) / step) * step, round(top / step) * step
        yield PictureArea(Box(left, top, left + width, top + height), CLOSEUP_FRAME * step, column)
    yield whole_area(chart)


def whole_area(chart: Basemap) -> PictureArea:
    return PictureArea(Box(0, 0, chart.width, chart.height), 0, 0)


GUARD_SCALE, SUN_RADIUS = 2.0, 22
WALL_WIDTH = 9


def draw_overview(chart: Basemap, table: Table, marks: Overlay, shown: Box) -> Iterator[str]:
    box = chart.inner
    yield (
        f'<rect x="{box.left:g}" y="{box.top:g}" width="{box.right - box.left:g}" '
        f'height="{box.bottom - box.top:g}" fill="{palette.SEA}"/>'
        f'<path d="{chart.shore}" fill="{palette.LAND}" fill-rule="evenodd"/>'
    )
    for province in provinces(table):
        if province.holder is not None:
            tint = palette.SEAT_TINTS[province.holder]
            yield f'<path fill="{tint}" d="{chart.area_path(province.spaces)}"/>'
    if marks.changed:
        yield (
            f'<path fill="none" stroke="{palette.INK}" stroke-opacity="{palette.HATCHING_SHARE}" '
            f'stroke-width="3" d="{chart.hatch_path(marks.changed)}"/>'
        )
    yield '<g fill="none" stroke-linecap="round" stroke-linejoin="round">'
    for edges, colour, width in ((marks.fresh, palette.GLOW, 24), (table.walls, palette.INK, WALL_WIDTH)):
        if edges:
            yield f'<path stroke="{colour}" stroke-width="{width}" d="{chart.sides_path(edges)}"/>'
    yield "</g>"
    for seat, standing in enumerate(table.guards):
        for space in standing:
            x, y = chart.centre_of(space)
            yield (
                f'<g transform="translate({x} {y}) scale({GUARD_SCALE})" fill="{palette.SEAT_COLOURS[seat]}" '
                f'stroke="{palette.PAPER}">{GUARD_OUTLINES[seat]}</g>'
            )
    x, y = chart.locate(table.alexander)
    yield (
        f'<circle cx="{x}" cy="{y}" r="{SUN_RADIUS}" fill="{palette.PURPLE}" stroke="{palette.SUN}" '
        'stroke-width="6"/>'
        f'<rect class="part" x="{shown.left:g}" y="{shown.top:g}" width="{shown.right - shown.left:g}" '
        f'height="{shown.bottom - shown.top:g}" fill="none" stroke="{palette.INK}" stroke-width="7"/>'
    )


ALL_NAMES_FROM = 46
OVERVIEW_SHARE = 0.42
WHOLE_COLUMN, FULL_COLUMN = 20, 25
RIM_PIXELS = 9.0
REACH = 34  # drawing units beyond the edge: an element so near may reach into the picture


@dataclass(frozen=True, slots=True)
class LetterPicture:
    svg: str
    area: PictureArea
    named: frozenset[Space]
    """Places whose names are readable on a phone."""
    overview: bool
    areas: tuple[ImageMapArea, ...]


def draw_letter_picture(view: View, marks: Overlay, *, whole: bool = False) -> LetterPicture:
    chart = basemap_of(view.table.board)
    parts = tuple(provinces(view.table))
    areas = [whole_area(chart)] if whole else list_areas(chart, view.table, marks)
    fewest: tuple[int, _Drawing] | None = None
    for area in areas:
        drawing = _Drawing(chart, view.table, marks, area, parts, whole or area.column >= ALL_NAMES_FROM)
        missing = len(marks.targets - drawing.layout.named) + len(marks.labels) - len(drawing.layout.discs)
        if fewest is None or missing < fewest[0]:
            fewest = missing, drawing
        if not missing:
            break
    assert fewest is not None
    return fewest[1].draw()


class _Drawing:
    def __init__(
        self,
        chart: Basemap,
        table: Table,
        marks: Overlay,
        area: PictureArea,
        parts: tuple[Province, ...],
        all_names: bool,
    ) -> None:
        self.chart, self.table, self.marks, self.area, self.parts = chart, table, marks, area, parts
        self.all_names = all_names
        box = area.box
        self.left, self.top = box.left - area.frame, box.top - area.frame
        self.width = box.right - box.left + area.frame
        self.unit = self.width / PHONE_WIDTH
        """Drawing units per pixel on a phone."""
        near = box.grown(REACH, REACH)
        self.seen = {space for space in chart.board.symbols if near.holds(*chart.centre_of(space))}
        figures = (value.box for value in place_values(chart, parts, self.seen))
        name = NAME_PIXELS * self.unit
        sizes = LabelSizes(name, name, DISC_RADIUS * self.unit, DISC_PIXELS * self.unit)
        self.layout = lay_out_labels(chart, table, marks, box, sizes, figures)
        self.overview_scale = OVERVIEW_SHARE * self.width / (chart.inner.right - chart.inner.left)
        self.far_names: list[PlacedName] = []
        self.beyond = False
        """True if something new lies beyond the close-up."""
        if area.column:
            fresh = [point for edge in marks.fresh for point in edge]
            spots = (*map(chart.locate, fresh), *map(chart.centre_of, (*marks.changed, *marks.named)))
            self.beyond = any(not box.holds(*spot) for spot in spots)
            self._place_far_names()

    def _place_far_names(self) -> None:
        chart, guards = self.chart, [space for standing in self.table.guards for space in standing]
        x, y = chart.locate(self.table.alexander)
        taken = [thing_box(chart, space, guarded=True) for space in guards]
        taken.append(Box(x - 25, y - 25, x + 25, y + 25))
        size = NAME_PIXELS * self.unit / self.overview_scale
        for space in self.marks.named:
            if self.area.box.holds(*chart.centre_of(space)):
                continue
            own = thing_box(chart, space, guarded=True)
            found = place_name(chart, space, own, taken, (), chart.inner, size, FARTHER)
            if found is not None:
                taken.append(found.box)
                self.far_names.append(found)

    def draw(self) -> LetterPicture:
        area, chart, layout = self.area, self.chart, self.layout
        foot, feet = self._draw_foot()
        left, top, width = self.left, self.top, self.width
        height = area.box.bottom - area.box.top + area.frame + feet
        column = area.column or min(
            FULL_COLUMN if self.all_names else WHOLE_COLUMN,
            1000 * COLUMN_WIDTH / width,
            1400 * COLUMN_WIDTH / height,
        )
        scale = column / COLUMN_WIDTH
        height = round(height * scale) / scale  # whole pixels, so that the ground lies exactly under the rest
        cut = f'data-ground="{chart.origin} {chart.width} {chart.height}" ' if area.column else ""
        ground = chart.terrain if area.column else chart.ground
        deep = chart.height + (0 if area.column else feet)
        near_marks = replace(self.marks, changed=self.marks.changed & self.seen)
        names = ""
        if self.all_names:
            names = draw_small_names(chart, self.table, self.marks, layout, self.seen, area.box)
        parts, walls = self.parts, self.table.walls
        held = {space for province in parts if province.holder is not None for space in province.spaces}
        covered, around = held | self.marks.changed | self.marks.targets, chart.board.sides_around
        free = [space for space in chart.board.names if space not in covered]
        untouched = {space for space in free if walls.isdisjoint(around[space])}
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board" role="img" width="{width * scale:.0f}" '
            f'height="{height * scale:.0f}" viewBox="{left:.6g} {top:.6g} {width:.6g} {height:.6g}" '
            f'{cut}font-family="{FONT}" font-weight="700">'
            f"{draw_titles(self.table)}<defs>{DEFINITIONS}</defs>"
            f'{GROUND_TAG}<rect width="{chart.width}" height="{deep:.6g}" fill="{palette.PAPER}"/>{ground}'
            f'<g stroke-width="0">{"".join(chart.symbols.values())}</g></g>',
            *draw_position(chart, self.table, near_marks, names, self.seen, parts, untouched, layout),
            *draw_labels(chart, layout),
            *(self._draw_frame(height) if area.column else ()),
            foot,
            "</svg>",
        )
        named = layout.named | {name.space for name in self.far_names}
        return LetterPicture("".join(svg), area, named, self.beyond, tuple(self._list_links()))

    def _list_links(self) -> Iterator[ImageMapArea]:
        scale = PICTURE_WIDTH / self.width
        for one in self.layout.discs:
            others = [other for other in self.layout.discs if other is not one]
            near = [hypot(one.x - other.x, one.y - other.y) / 2 * scale for other in others]
            radius = int(max(LEAST_RADIUS, min([MOST_RADIUS, *near])))
            x, y = round((one.x - self.left) * scale), round((one.y - self.top) * scale)
            yield ImageMapArea(one.point, one.shown, f"{x},{y},{radius}")

    def _draw_frame(self, height: float) -> Iterator[str]:
        left, top, width, box = self.left, self.top, self.width, self.area.box
        frame, size = self.area.frame, RIM_PIXELS * self.unit
        bands = (
            (left, top, width, frame),
            (left, top, frame, height),
            (left, box.bottom, width, top + height - box.bottom),
        )
        yield f'<g class="frame" fill="{palette.PAPER}">'
        for x, y, wide, high in bands:
            yield f'<rect x="{x:.6g}" y="{y:.6g}" width="{wide:.6g}" height="{high:.6g}"/>'
        yield (
            f'</g><path fill="none" stroke="{palette.COAST}" '
            f'd="M{box.left:.6g} {box.bottom:.6g}V{box.top:.6g}H{box.right:.6g}"/>'
            f'<g class="rim" font-size="{size:.6g}" text-anchor="middle">'
        )
        for name, row, y in self.chart.rows:
            if box.top + 4 <= y <= box.bottom - 4:
                yield draw_rim_text(name, row, box.left - frame / 2, y + size / 3)
        for name, column, x in self.chart.columns:
            if box.left + 8 <= x <= box.right - 8:
                yield draw_rim_text(name, column, x, box.top - frame / 2 + size / 3)
        yield "</g>"

    def _draw_foot(self) -> tuple[str, float]:
        area, left, top, width = self.area, self.left, self.area.box.bottom, self.width
        if not area.column:
            return draw_seats(self.table, 32, width - 32, top)
        scale = self.unit / 2.6
        room = width * (1 - OVERVIEW_SHARE if self.beyond else 1) / scale
        seats, high = draw_seats(self.table, 12, room - 12, 10)
        shown = f'<g transform="translate({left:.6g} {top:.6g}) scale({scale:.6g})">{seats}</g>'
        rows = (high + 14) * scale
        if not self.beyond:
            return shown, rows
        box, small = self.chart.inner, self.overview_scale
        x, y = left + width * (1 - OVERVIEW_SHARE) - box.left * small, top + 4 * self.unit - box.top * small
        shown += "".join(
            (
                f'<g class="overview" transform="translate({x:.6g} {y:.6g}) scale({small:.6g})">',
                *draw_overview(self.chart, self.table, self.marks, area.box),
                *draw_names(self.chart, self.far_names, "far"),
                "</g>",
            )
        )
        return shown, max(rows, (box.bottom - box.top) * small + 6 * self.unit)


# --- PNG -----------------------------------------------------------------------------------------------

MAX_BYTES = 60_000  # so that a mail in base64 stays below 150 KB
COMPRESSION_LEVEL = 7
"""Compression level of zlib; level 9 takes five times as long for a file 4% smaller."""
CLOSEUP = re.compile(
    r'width="(\d+)" height="\d+" viewBox="([-\d.]+) ([-\d.]+) ([\d.]+) [\d.]+" '
    r'data-ground="(\d+) (\d+) (\d+)"'
)


def render_png(drawn: str, most: int = MAX_BYTES) -> bytes:
    """Render a drawing as a PNG of at most `most` bytes, if necessary with fewer colours, then smaller."""
    colours = _rasterize(drawn)
    for tones, level in (
        (palette.COLOURS, COMPRESSION_LEVEL),
        (palette.FEW_COLOURS, COMPRESSION_LEVEL),
        (palette.FEW_COLOURS, 9),
    ):
        stored = _encode_png(colours, tones, level)
        if len(stored) <= most:
            return stored
    while len(stored) > most:
        colours = colours.resize((colours.width * 7 // 8, colours.height * 7 // 8), Image.Resampling.HAMMING)
        stored = _encode_png(colours, palette.FEW_COLOURS, COMPRESSION_LEVEL)
    return stored


cached_png = lru_cache(maxsize=64)(render_png)


def _rasterize(drawn: str) -> Image.Image:
    head, _, rest = drawn.partition(GROUND_TAG)
    ground, split, over = rest.partition(PROVINCES_TAG)
    if not split:
        return _run_resvg(drawn).convert("RGB")
    upper = _run_resvg(f"{head}{PROVINCES_TAG}{over}")
    whole = _cut_ground(head, f"{GROUND_TAG}{ground}</svg>", upper.size)
    whole.paste(upper, mask=upper.getchannel("A"))
    return whole


def _cut_ground(head: str, ground: str, size: tuple[int, int]) -> Image.Image:
    found = CLOSEUP.search(head)
    if found is None:
        return _rasterize_ground(f"{head[: head.index('>') + 1]}{ground}").copy()
    across, left, top, width, origin, most, high = map(float, found.groups())
    scale = across / width
    whole = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{most * scale:.0f}" height="{high * scale:.0f}" '
        f'viewBox="{origin:g} 0 {round(most * scale) / scale:.6f} {round(high * scale) / scale:.6f}" '
        f'font-family="Source Sans Pro" font-weight="700">{head[head.index("<defs>") :]}{ground}'
    )
    cut = Image.new("RGB", size, palette.PAPER)
    cut.paste(_rasterize_ground(whole), (round((origin - left) * scale), round(-top * scale)))
    return cut


@lru_cache(maxsize=8)
def _rasterize_ground(drawn: str) -> Image.Image:
    return _run_resvg(drawn).convert("RGB")


def _run_resvg(drawn: str) -> Image.Image:
    whole = svg_to_bytes(svg_string=drawn, font_files=FONT_FILES, skip_system_fonts=True)
    with Image.open(BytesIO(whole)) as image:
        image.load()
    return image


def _encode_png(image: Image.Image, colours: tuple[bytes, ...], level: int) -> bytes:
    few = image.quantize(palette=_palette_image(colours), dither=Image.Dither.NONE)
    stored = BytesIO()
    few.save(stored, "PNG", compress_level=level)
    return stored.getvalue()


@cache
def _palette_image(colours: tuple[bytes, ...]) -> Image.Image:
    """Return an image with this palette, because `quantize` takes a palette only from an image."""
    made = Image.new("P", (1, 1))
    made.putpalette(b"".join(colours))
    return made
