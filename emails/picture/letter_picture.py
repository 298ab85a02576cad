"""The picture of a letter: the part of the board where things happen, large enough for a telephone.

Where something happened beyond that part a small map of the whole board stands beneath it. The names that
words use are written large; where a name finds no room, the words do without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from emails.picture import palette
from emails.picture.basemap import (
    COLUMN_WIDTH,
    DEFINITIONS,
    FONT,
    Basemap,
    basemap_of,
    column_lines,
    draw_rim_text,
    row_lines,
)
from emails.picture.board_picture import draw_position, draw_seats, draw_small_names, draw_titles
from emails.picture.image_map import ImageMapArea, disc_areas
from emails.picture.label_layers import draw_discs, draw_names, draw_stalks
from emails.picture.label_layout import (
    FARTHER,
    NAME_PIXELS,
    LabelSizes,
    lay_out_labels,
    place_name,
    thing_box,
)
from emails.picture.label_shapes import LabelBox, PlacedName
from emails.picture.overlay import Overlay
from emails.picture.overview import draw_overview, overview_box
from emails.picture.picture_area import (
    PictureArea,
    ground_origin,
    list_areas,
    spots_of,
    whole_area,
)
from emails.picture.png import GROUND_TAG
from emails.picture.province_values import value_boxes
from engine.board import Space
from engine.position import View
from engine.provinces import Province, provinces

ALL_NAMES_FROM = 46
"""Pixels from column to column from which on all names can be read, and are written, faintly."""
OVERVIEW_SHARE = 0.42
"""How much of the width the small map takes."""
WHOLE_COLUMN, FULL_COLUMN = 20, 25
"""Pixels from column to column on a picture of the whole board, and where somebody asked for that with all
names."""
RIM_PIXELS = 9.0
"""Pixels on a telephone: the size of the letters and numbers of the rim."""
REACH = 34
"""Beyond the rim of what is shown things are drawn still."""


@dataclass(frozen=True, slots=True)
class LetterPicture:
    """A picture, and what the words beside it may rely on."""

    svg: str
    area: PictureArea
    named: frozenset[Space]
    """The places whose names it bears, large enough to be read on a telephone."""
    overview: bool
    """Whether it shows the whole board too, as a small map."""
    areas: tuple[ImageMapArea, ...]
    """Where its discs lie."""


def draw_letter_picture(view: View, marks: Overlay, *, whole: bool = False) -> LetterPicture:
    """The picture for a letter, of what matters, or of the `whole` board with all its names."""
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
    """Where things happen: what can be chosen before all else, then what happened."""
    table = view.table
    wanted = spots_of(chart, (table.alexander, *marks.labels, *marks.preview), marks.targets)
    walked = (point for _, path in marks.marches for point in path)
    fresh = (point for edge in marks.fresh for point in edge)
    return list_areas(chart, wanted, spots_of(chart, (*walked, *fresh), (*marks.changed, *marks.named)))


class _Drawing:
    """One picture while it is drawn."""

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
        self.unit = area.phone_unit
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
        """Whether something happened that the part does not show."""
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
        """The names that the small map bears, in its own units."""
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

    # --- the pieces ---

    def draw(self) -> LetterPicture:
        """The whole picture."""
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
        height = round(height * scale) / scale  # whole pixels, so that the ground lies exactly under all else
        cut = f'data-ground="{ground_origin(chart)} {chart.width} {chart.height}" ' if area.column else ""
        ground = chart.terrain if area.column else chart.ground
        deep = chart.height + (0 if area.column else feet)
        parts, seen = self.parts, self.seen
        bare = self._untouched_places(parts)
        ground += f'<g stroke-width="0">{"".join(chart.symbols.values())}</g>'
        near_marks = replace(self.marks, changed=self.marks.changed & seen)
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board" role="img" width="{width * scale:.0f}" '
            f'height="{height * scale:.0f}" viewBox="{left:.6g} {top:.6g} {width:.6g} {height:.6g}" '
            f'{cut}font-family="{FONT}" font-weight="700">'
            f"{draw_titles(self.table)}<defs>{DEFINITIONS}</defs>"
            f'{GROUND_TAG}<rect width="{chart.width}" height="{deep:.6g}" fill="{palette.PAPER}"/>'
            f"{ground}</g>",
            *draw_position(
                chart, self.table, near_marks, self._draw_faint_names(), seen, parts, bare, self.layout
            ),
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
        """The places over whose symbols nothing is drawn: those of the ground serve."""
        held = {space for province in parts if province.holder is not None for space in province.spaces}
        around, walls = self.chart.board.sides_around, self.table.walls
        covered = held | self.marks.changed | self.marks.targets
        return {
            space
            for space in self.chart.board.names
            if space not in covered and walls.isdisjoint(around[space])
        }

    def _is_near(self, space: Space) -> bool:
        """Whether at least some of what stands on a space is shown."""
        return self.area.holds(*self.chart.centre_of(space), -REACH)

    def _draw_faint_names(self) -> str:
        """The other names, where they can be read and find room."""
        if not self.all_names:
            return ""
        near = {space for space in self.chart.board.names if self._is_near(space)}
        return draw_small_names(self.chart, self.table, self.marks, self.layout, near, self.window)

    def _draw_frame(self, left: float, top: float, width: float, height: float) -> Iterator[str]:
        """The frame with the letters of rows on the left and the numbers of columns at the top."""
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
        """Beneath the map the players, beside the small map where there is one; and how high all that is."""
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
