"""Names and discs as shapes on a picture: what they cover, and how wide their words are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import hypot

from PIL import ImageFont

from emails.picture.png import FONT_FILES, NAME_FACE
from engine.board import Point, Space

ASCENT, DESCENT = 0.72, 0.2
"""How far letters rise above their foot and hang below it, in units of their size."""


@dataclass(frozen=True, slots=True)
class LabelBox:
    """A rectangle that something covers."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: LabelBox) -> bool:
        """Whether they overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, x: float, y: float) -> bool:
        """Whether a spot lies in it."""
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def widened(self, by: float) -> LabelBox:
        """The same, wider on both sides."""
        return LabelBox(self.left - by, self.top, self.right + by, self.bottom)

    def grown(self, across: float, down: float) -> LabelBox:
        """The same, larger on all sides."""
        return LabelBox(self.left - across, self.top - down, self.right + across, self.bottom + down)

    def within(self, other: LabelBox) -> bool:
        """Whether it lies in the other."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


@dataclass(frozen=True, slots=True)
class PlacedName:
    """A place's name and where it stands: `x` is its middle, `foot` the foot of its letters."""

    space: Space
    x: float
    foot: float
    size: float
    box: LabelBox


@dataclass(frozen=True, slots=True)
class PlacedDisc:
    """A corner's disc, round or longer where it names several turns, and where it stands."""

    point: Point
    shown: str
    x: float
    y: float
    radius: float
    half: float
    """Half its width: the radius, where it is round."""
    size: float

    @property
    def box(self) -> LabelBox:
        """What it covers at most."""
        return LabelBox(self.x - self.half, self.y - self.radius, self.x + self.half, self.y + self.radius)

    def meets(self, box: LabelBox, gap: float = 0) -> bool:
        """Whether it covers some of a box."""
        flat = self.half - self.radius
        across = max(box.left - self.x - flat, 0, self.x - flat - box.right)
        down = max(box.top - self.y, 0, self.y - box.bottom)
        return hypot(across, down) < self.radius + gap


@dataclass(frozen=True, slots=True)
class LabelLayout:
    """The names and discs of a picture."""

    names: tuple[PlacedName, ...] = ()
    discs: tuple[PlacedDisc, ...] = ()
    window: LabelBox | None = None
    """What the picture shows; None: all."""

    @property
    def named(self) -> frozenset[Space]:
        """The places whose names stand there."""
        return frozenset(name.space for name in self.names)

    def shows(self, box: LabelBox) -> bool:
        """Whether nothing there is cut off."""
        return self.window is None or box.within(self.window)

    def leaves_room(self, box: LabelBox) -> bool:
        """Whether something else could stand there, whole."""
        if not self.shows(box):
            return False
        return not any(box.meets(name.box) for name in self.names) and not any(
            disc.meets(box) for disc in self.discs
        )


NO_LABELS = LabelLayout()


def name_box(name: str, x: float, foot: float, size: float) -> LabelBox:
    """What a name covers whose middle and foot are there."""
    half = text_width(name, size, NAME_FACE) / 2 + 0.5
    low = DESCENT if any(letter in "gpqyj" for letter in name) else 0.02
    return LabelBox(x - half, foot - ASCENT * size, x + half, foot + low * size)


@lru_cache(maxsize=4096)
def _relative_width(words: str, face: int) -> float:
    return float(_measuring_font(face).getlength(words)) / 100


@cache
def _measuring_font(face: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONT_FILES[face], 100)


def text_width(words: str, size: float, face: int) -> float:
    """How wide words of this size are in one of our fonts."""
    return _relative_width(words, face) * size
