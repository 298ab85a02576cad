"""The part of a board that a letter's picture shows: where things happen, or all of it.

A picture is as wide as a telephone's screen. The closer it looks, the larger are its symbols and the shorter
its names, and so there are a few scales only: the ground of a board is drawn once for each of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from emails.picture.basemap import (
    COLUMN_WIDTH,
    FRAME_WIDTH,
    ROW_HEIGHT,
    Basemap,
    Coordinates,
    column_lines,
    row_lines,
)
from engine.board import Point, Space, corners

PHONE_WIDTH = 328
"""Pixels: how wide a picture is on a telephone of 360, within the margins of mail programs."""
CLOSEUP_WIDTH = 620
"""Pixels of the PNG of a part of the board: sharp on a telephone, and no more than that on a desk."""
CLOSEUP_FRAME = 23
"""Of these, the frame on the left and at the top."""
COLUMN_PIXELS = (46, 38, 32, 26)
"""From one column to the next at each scale, the closest first; whole pixels keep the PNG small."""
LEAST_ROWS = 4
"""Rows of spaces that a part shows at least."""
MARGIN = 30
"""Around what matters."""
MOST_HEIGHT = 0.62
"""How high a part is at most, for its width: a screen shows words and a button too."""
NEARLY_ALL = 0.74
"""A part as wide as this share of the board is left: the whole board says more."""


@dataclass(frozen=True, slots=True)
class PictureArea:
    """What a picture shows of a map, in units of the drawing."""

    left: float
    top: float
    width: float
    height: float
    frame: float
    """The frame to the left of it and above it."""
    column: int
    """Pixels from one column to the next; 0: the whole board, at its own scale."""

    @property
    def phone_unit(self) -> float:
        """Units to a pixel where the picture is as wide as a telephone."""
        return (self.width + self.frame) / PHONE_WIDTH

    def holds(self, x: float, y: float, margin: float = 0) -> bool:
        """Whether a spot is in it, and not next to its rim."""
        return (
            self.left + margin <= x <= self.left + self.width - margin
            and self.top + margin <= y <= self.top + self.height - margin
        )


def spots_of(chart: Basemap, points: Iterable[Point], spaces: Iterable[Space]) -> tuple[Coordinates, ...]:
    """Where points lie, and the corners of spaces."""
    around = (corner for space in spaces for corner in corners(space))
    return tuple(chart.locate(point) for point in dict.fromkeys((*points, *around)))


def whole_area(chart: Basemap) -> PictureArea:
    """All of a map, with its frame."""
    return PictureArea(0, 0, chart.width, chart.height, 0, 0)


def list_areas(
    chart: Basemap, wanted: Collection[Coordinates], news: Collection[Coordinates]
) -> Iterator[PictureArea]:
    """The parts that show all that is wanted, the best first; the last is the whole board.

    The news are shown too where that does not take the widest scale.
    """
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
    """The part of this width around these spots; none where they do not fit, or fill nearly all."""
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
    """The first and the last point of an area, by the letters and numbers on its rim: ("D18", "J32")."""
    right, bottom = area.left + area.width, area.top + area.height
    rows = [name for name, _, y in row_lines(chart) if area.top <= y <= bottom]
    columns = [name for name, _, x in column_lines(chart) if area.left <= x <= right]
    return rows[0] + columns[0], rows[-1] + columns[-1]


def _clamp_offset(wanted: float, least: float, most: float) -> float:
    return min(max(wanted, least), max(least, most))


def ground_origin(chart: Basemap) -> int:
    """Where the drawing of the ground begins, so that columns lie whole pixels apart at every scale."""
    return chart.left % COLUMN_WIDTH
