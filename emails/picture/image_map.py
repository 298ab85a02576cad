"""Where the numbered corners lie on a picture of the board, for the image map of a letter.

Mail programs do not shrink an image map with its picture, so it fits the picture at one width only; the
style sheet of the letters turns it off where the picture is narrower. Whatever it does a button does too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from emails.picture.basemap import COLUMN_WIDTH, basemap_of
from engine.board import Board
from engine.lattice import Point

PICTURE_WIDTH = 608
"""Pixels: how wide a letter shows its pictures where there is room."""


@dataclass(frozen=True, slots=True)
class ImageMapArea:
    """One corner that can be tapped."""

    point: Point
    label: str
    """What the picture calls it."""
    circle: str
    """The middle and the radius in pixels, such as "300,200,16": circles of two corners never overlap."""


def image_map_areas(board: Board, labels: Mapping[Point, str]) -> tuple[ImageMapArea, ...]:
    """The labelled corners of a picture that is shown `WIDTH` pixels wide, in reading order."""
    chart = basemap_of(board)
    scale = PICTURE_WIDTH / chart.width
    radius = int(COLUMN_WIDTH * scale * 0.97)  # the next corner is 2 * HALF away, or a little less
    spots = ((point, *chart.locate(point)) for point in sorted(labels))
    return tuple(
        ImageMapArea(point, labels[point], f"{round(x * scale)},{round(y * scale)},{radius}")
        for point, x, y in spots
    )
