"""Where the discs lie on a picture of the board, for the image map of a letter.

Mail programs do not shrink an image map with its picture, so it fits the picture at one width only; the
style sheet of the letters turns it off where the picture is narrower. Whatever it does a button does too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from emails.picture.label_shapes import PlacedDisc
from engine.board import Point

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


LEAST_RADIUS, MOST_RADIUS = 8, 22
"""Pixels around the middle of a disc that can be touched."""


def disc_areas(
    discs: Sequence[PlacedDisc], left: float, top: float, width: float
) -> tuple[ImageMapArea, ...]:
    """The discs of a picture that shows so much of the drawing, from there on."""
    scale = PICTURE_WIDTH / width
    found = []
    for one in discs:
        near = [hypot(one.x - other.x, one.y - other.y) / 2 for other in discs if other is not one]
        radius = int(max(LEAST_RADIUS, min([MOST_RADIUS, *(far * scale for far in near)])))
        spot = f"{round((one.x - left) * scale)},{round((one.y - top) * scale)},{radius}"
        found.append(ImageMapArea(one.point, one.shown, spot))
    return tuple(found)
