"""The picture of a letter: the relevant part of the board, an overview, and an image map; pictures as PNG."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from io import BytesIO
from math import hypot

from PIL import Image
from resvg_py import svg_to_bytes

from emails.picture import palette
from emails.picture.board_picture import draw_position, draw_seats, draw_small_names, draw_titles
from emails.picture.labels import (
    FARTHER,
    FONT_FILES,
    NAME_PIXELS,
    LabelBox,
    LabelSizes,
    PlacedDisc,
    PlacedName,
    draw_discs,
    draw_names,
    draw_stalks,
    lay_out_labels,
    place_name,
    thing_box,
    value_boxes,
)
from emails.picture.layers import (
    COLUMN_WIDTH,
    DEFINITIONS,
    FONT,
    FRAME_WIDTH,
    GROUND_TAG,
    GUARD_OUTLINES,
    PROVINCES_TAG,
    ROW_HEIGHT,
    Basemap,
    Coordinates,
    Overlay,
    basemap_of,
    column_lines,
    draw_rim_text,
    row_lines,
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


def disc_areas(
    discs: Sequence[PlacedDisc], left: float, top: float, width: float
) -> tuple[ImageMapArea, ...]:
    """Return link areas over the discs, for a picture of `width` units with the given left and top edge."""
    scale = PICTURE_WIDTH / width
    found = []
    for one in discs:
        near = [hypot(one.x - other.x, one.y - other.y) / 2 for other in discs if other is not one]
        radius = int(max(LEAST_RADIUS, min([MOST_RADIUS, *(far * scale for far in near)])))
        spot = f"{round((one.x - left) * scale)},{round((one.y - top) * scale)},{radius}"
        found.append(ImageMapArea(one.point, one.shown, spot))
    return tuple(found)


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
    """The visible part of a map, in drawing units."""

    left: float
    top: float
    width: float
    height: float
    frame: float
    column: int
    """Width of a column of spaces in the PNG, in pixels; 0 if the area is the whole board."""

    def holds(self, x: float, y: float, margin: float = 0) -> bool:
        return (
            self.left + margin <= x <= self.left + self.width - margin
            and self.top + margin <= y <= self.top + self.height - margin
        )


def spots_of(chart: Basemap, points: Iterable[Point], spaces: Iterable[Space]) -> tuple[Coordinates, ...]:
    around = (corner for space in spaces for corner in corners(space))
    return tuple(chart.locate(point) for point in dict.fromkeys((*points, *around)))


def whole_area(chart: Basemap) -> PictureArea:
    return PictureArea(0, 0, chart.width, chart.height, 0, 0)


def list_areas(
    chart: Basemap, wanted: Collection[Coordinates], news: Collection[Coordinates]
) -> Iterator[PictureArea]:
    """Yield areas that contain all `wanted` points, in order of preference; some contain all `news` too."""
    everything = (*wanted, *news)
    *close, widest = COLUMN_PIXELS
    tries = [(everything, column) for column in close] + [(wanted, column) for column in COLUMN_PIXELS]
    for spots, column in (*tries, (everything, widest)):
        width = (CLOSEUP_WIDTH - CLOSEUP_FRAME) * COLUMN_WIDTH / column
        if width <= NEARLY_ALL * chart.width and (found := _frame_spots(chart, spots, width, column)):
            yield found
    yield whole_area(chart)


def _frame_spots(
    chart: Basemap, spots: Collection[Coordinates], width: float, column: int
) -> PictureArea | None:
    xs, ys = zip(*spots, strict=True)
    if max(xs) - min(xs) + MARGIN > width:
        return None
    north, south = FRAME_WIDTH, chart.height - FRAME_WIDTH
    top, bottom = max(north, min(ys) - MARGIN), min(south, max(ys) + MARGIN)
    height = min(south - north, max(bottom - top, LEAST_ROWS * ROW_HEIGHT))
    if height > MOST_HEIGHT * width:
        return None
    step = COLUMN_WIDTH / column
    left = _clamp_offset((min(xs) + max(xs) - width) / 2, FRAME_WIDTH, chart.width - FRAME_WIDTH - width)
    top = _clamp_offset((top + bottom - height) / 2, north, south - height)
    origin = ground_origin(chart)
    left, top = origin + round((left - origin) / step) * step, round(top / step) * step
    return PictureArea(left, top, width, height, CLOSEUP_FRAME * step, column)


def describe_area(chart: Basemap, area: PictureArea) -> tuple[str, str]:
    """Return the first and last point of an area, such as ("D18", "J32")."""
    right, bottom = area.left + area.width, area.top + area.height
    rows = [name for name, _, y in row_lines(chart) if area.top <= y <= bottom]
    columns = [name for name, _, x in column_lines(chart) if area.left <= x <= right]
    return rows[0] + columns[0], rows[-1] + columns[-1]


def _clamp_offset(wanted: float, least: float, most: float) -> float:
    return min(max(wanted, least), max(least, most))


def ground_origin(chart: Basemap) -> int:
    """Return the x at which the map begins, such that columns lie on whole pixels at each scale."""
    return chart.left % COLUMN_WIDTH


GUARD_SCALE, SUN_RADIUS = 2.0, 22
WALL_WIDTH = 9


def overview_box(chart: Basemap) -> LabelBox:
    return LabelBox(FRAME_WIDTH, FRAME_WIDTH, chart.width - FRAME_WIDTH, chart.height - FRAME_WIDTH)


def draw_overview(chart: Basemap, table: Table, marks: Overlay, area: PictureArea) -> Iterator[str]:
    box = overview_box(chart)
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
        strokes = "".join(map(chart.hatch_path, sorted(marks.changed)))
        yield (
            f'<path fill="none" stroke="{palette.INK}" stroke-opacity="{palette.HATCHING_SHARE}" '
            f'stroke-width="3" d="{strokes}"/>'
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
        f'<rect class="part" x="{area.left:g}" y="{area.top:g}" width="{area.width:g}" '
        f'height="{area.height:g}" fill="none" stroke="{palette.INK}" stroke-width="7"/>'
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
    areas = [whole_area(chart)] if whole else _areas_of(chart, view, marks)
    fewest: tuple[int, _Drawing] | None = None
    for area in areas:
        drawing = _Drawing(chart, view, marks, area, parts, all_names=whole or area.column >= ALL_NAMES_FROM)
        missing = len(marks.targets - drawing.layout.named) + len(marks.labels) - len(drawing.layout.discs)
        if fewest is None or missing < fewest[0]:
            fewest = missing, drawing
        if not missing:
            break
    assert fewest is not None
    return fewest[1].draw()


def _areas_of(chart: Basemap, view: View, marks: Overlay) -> Iterator[PictureArea]:
    table = view.table
    wanted = spots_of(chart, (table.alexander, *marks.labels, *marks.preview), marks.targets)
    walked = (point for _, path in marks.marches for point in path)
    fresh = (point for edge in marks.fresh for point in edge)
    return list_areas(chart, wanted, spots_of(chart, (*walked, *fresh), (*marks.changed, *marks.named)))


class _Drawing:
    def __init__(
        self,
        chart: Basemap,
        view: View,
        marks: Overlay,
        area: PictureArea,
        parts: tuple[Province, ...],
        *,
        all_names: bool,
    ) -> None:
        self.all_names = all_names
        self.chart, self.table, self.marks, self.area = chart, view.table, marks, area
        self.unit = (area.width + area.frame) / PHONE_WIDTH
        """Drawing units per pixel on a phone."""
        self.window = LabelBox(area.left, area.top, area.left + area.width, area.top + area.height)
        self.parts = parts
        self.seen = {space for space in chart.board.symbols if self._is_near(space)}
        figures = value_boxes(chart, view.table, parts, self.seen)
        sizes = LabelSizes.on_telephone(self.unit)
        self.layout = lay_out_labels(chart, view.table, marks, self.window, sizes, figures)
        beyond = [space for space in marks.named if not area.holds(*chart.centre_of(space))]
        self.beyond = self._is_news_beyond() or bool(beyond)
        self.far_names = tuple(self._place_far_names(beyond)) if area.column else ()

    def _is_news_beyond(self) -> bool:
        if not self.area.column:
            return False
        chart, marks = self.chart, self.marks
        fresh = [point for edge in marks.fresh for point in edge]
        spots = (*map(chart.locate, fresh), *map(chart.centre_of, marks.changed))
        return any(not self.area.holds(*spot) for spot in spots)

    @property
    def overview_scale(self) -> float:
        box = overview_box(self.chart)
        return OVERVIEW_SHARE * (self.area.width + self.area.frame) / (box.right - box.left)

    def _place_far_names(self, beyond: list[Space]) -> Iterator[PlacedName]:
        chart, table = self.chart, self.table
        size = NAME_PIXELS * self.unit / self.overview_scale
        guards = [space for standing in table.guards for space in standing]
        x, y = chart.locate(table.alexander)
        taken = [thing_box(chart, space, guarded=True) for space in guards]
        taken.append(LabelBox(x - 25, y - 25, x + 25, y + 25))
        for space in beyond:
            own = thing_box(chart, space, guarded=True)
            found = place_name(chart, space, own, taken, (), overview_box(chart), size, FARTHER)
            if found is not None:
                taken.append(found.box)
                yield found

    # --- the parts ---

    def draw(self) -> LetterPicture:
        area, chart = self.area, self.chart
        foot, feet = self._draw_foot()
        left, top = area.left - area.frame, area.top - area.frame
        width, height = area.width + area.frame, area.height + area.frame + feet
        column = area.column or min(
            FULL_COLUMN if self.all_names else WHOLE_COLUMN,
            1000 * COLUMN_WIDTH / width,
            1400 * COLUMN_WIDTH / height,
        )
        scale = column / COLUMN_WIDTH
        height = round(height * scale) / scale  # whole pixels, so that the ground lies exactly under the rest
        cut = f'data-ground="{ground_origin(chart)} {chart.width} {chart.height}" ' if area.column else ""
        ground = chart.terrain if area.column else chart.ground
        deep = chart.height + (0 if area.column else feet)
        parts, seen = self.parts, self.seen
        bare = self._untouched_places(parts)
        ground += f'<g stroke-width="0">{"".join(chart.symbols.values())}</g>'
        near_marks = replace(self.marks, changed=self.marks.changed & seen)
        names = ""
        if self.all_names:
            names = draw_small_names(chart, self.table, self.marks, self.layout, seen, self.window)
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board" role="img" width="{width * scale:.0f}" '
            f'height="{height * scale:.0f}" viewBox="{left:.6g} {top:.6g} {width:.6g} {height:.6g}" '
            f'{cut}font-family="{FONT}" font-weight="700">'
            f"{draw_titles(self.table)}<defs>{DEFINITIONS}</defs>"
            f'{GROUND_TAG}<rect width="{chart.width}" height="{deep:.6g}" fill="{palette.PAPER}"/>'
            f"{ground}</g>",
            *draw_position(chart, self.table, near_marks, names, seen, parts, bare, self.layout),
            *draw_stalks(chart, self.layout.discs),
            *draw_names(chart, self.layout.names),
            *draw_discs(self.layout.discs),
            *(self._draw_frame(left, top, width, height) if area.column else ()),
            foot,
            "</svg>",
        )
        named = self.layout.named | {name.space for name in self.far_names}
        discs = disc_areas(self.layout.discs, left, top, width)
        return LetterPicture("".join(svg), area, named, self.beyond and bool(area.column), discs)

    def _untouched_places(self, parts: tuple[Province, ...]) -> set[Space]:
        held = {space for province in parts if province.holder is not None for space in province.spaces}
        around, walls = self.chart.board.sides_around, self.table.walls
        covered = held | self.marks.changed | self.marks.targets
        return {
            space
            for space in self.chart.board.names
            if space not in covered and walls.isdisjoint(around[space])
        }

    def _is_near(self, space: Space) -> bool:
        return self.area.holds(*self.chart.centre_of(space), -REACH)

    def _draw_frame(self, left: float, top: float, width: float, height: float) -> Iterator[str]:
        area, size = self.area, RIM_PIXELS * self.unit
        right, bottom = area.left + area.width, area.top + area.height
        bands = (
            (left, top, width, area.frame),
            (left, top, area.frame, height),
            (left, bottom, width, top + height - bottom),
        )
        yield f'<g class="frame" fill="{palette.PAPER}">'
        for x, y, wide, high in bands:
            yield f'<rect x="{x:.6g}" y="{y:.6g}" width="{wide:.6g}" height="{high:.6g}"/>'
        yield (
            f'</g><path fill="none" stroke="{palette.COAST}" '
            f'd="M{area.left:.6g} {bottom:.6g}V{area.top:.6g}H{right:.6g}"/>'
            f'<g class="rim" font-size="{size:.6g}" text-anchor="middle">'
        )
        for name, row, y in row_lines(self.chart):
            if area.top + 4 <= y <= bottom - 4:
                yield draw_rim_text(name, row, area.left - area.frame / 2, y + size / 3)
        for name, column, x in column_lines(self.chart):
            if area.left + 8 <= x <= right - 8:
                yield draw_rim_text(name, column, x, area.top - area.frame / 2 + size / 3)
        yield "</g>"

    def _draw_foot(self) -> tuple[str, float]:
        area = self.area
        left, top, width = area.left - area.frame, area.top + area.height, area.width + area.frame
        scale = self.unit / 2.6
        if not area.column:
            return draw_seats(self.table, 32, area.width - 32, area.height)
        room = width * (1 - OVERVIEW_SHARE if self.beyond else 1) / scale
        seats, high = draw_seats(self.table, 12, room - 12, 10)
        shown = f'<g transform="translate({left:.6g} {top:.6g}) scale({scale:.6g})">{seats}</g>'
        rows = (high + 14) * scale
        if not self.beyond:
            return shown, rows
        box, small = overview_box(self.chart), self.overview_scale
        x, y = left + width * (1 - OVERVIEW_SHARE) - box.left * small, top + 4 * self.unit - box.top * small
        shown += "".join(
            (
                f'<g class="overview" transform="translate({x:.6g} {y:.6g}) scale({small:.6g})">',
                *draw_overview(self.chart, self.table, self.marks, area),
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


def _encode_png(image: Image.Image, colours: tuple[palette.RGB, ...], level: int) -> bytes:
    few = image.quantize(palette=_palette_image(colours), dither=Image.Dither.NONE)
    stored = BytesIO()
    few.save(stored, "PNG", compress_level=level)
    return stored.getvalue()


@cache
def _palette_image(colours: tuple[palette.RGB, ...]) -> Image.Image:
    """Return an image with this palette, because `quantize` takes a palette only from an image."""
    made = Image.new("P", (1, 1))
    made.putpalette([part for colour in colours for part in colour])
    return made
