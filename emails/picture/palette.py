"""The colours of the pictures, and how each seat is told apart: by colour, by shape and by initial.

The provinces of any two seats, and those of any seat and bare land, stay apart for readers with protanopia,
deuteranopia or tritanopia too (CIEDE2000 of 15 or more), and so do the guards of any two seats, and walls,
glow, coast and what they lie on. Shape and initial say the same once more, for prints in grey. The green of
what can be chosen is not safe so: numbers in circles and dashes tell it from seats.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import takewhile

from emails.i18n import gettext_noop
from emails.names import drop_unseen

PAPER = "#faf5e9"
"""The frame, and the light round letters and figures."""
SEA = "#96adb3"
SHALLOWS = ("#adc0c4", "#c6d3d3")
"""The water along the coast, the outer band first."""
MERIDIAN = "#839da5"
"""The faint lines over the sea that lead from the rim to the land."""
LAND = "#f4ecd8"
GRID = "#d3c5a5"
COAST = "#7a6f5d"
INK = "#26221e"
"""Walls and writing."""
FAINT_INK = "#7d7362"
"""Writing that matters less; 4.0 to 1 on land."""
NAME_INK = "#54493a"
"""The names of places."""
RED_WALL = "#c4161c"
GLOW = "#f2902c"
"""Under walls laid since the reader's last turn."""
CHOICE = "#0a6b3d"
"""What the reader may do now: targets, numbered corners, the path that is previewed."""
CHOICE_TINT = "#bfe3b4"
PURPLE = "#5a1248"
SUN = "#ffd75a"
"""Alexander's sun, on purple."""

SYMBOL_COLOURS = ("#4c5a69", "#b04f1f", "#4a3018", "#3d6f2b", "#2a4a80")
"""Of temple, amphora, horse, lyre and soldier."""

SEAT_LOOKS = (
    gettext_noop("blue circle"),
    gettext_noop("red square"),
    gettext_noop("gold diamond"),
    gettext_noop("violet triangle"),
)
"""The colour and the outline of a seat's guards."""
SEAT_COLOURS = ("#1673b1", "#ac262f", "#a87800", "#482988")
"""Guards, marches, figures: dark enough for white on them (3.9 to 1 or more)."""
SEAT_TINTS = ("#92cfea", "#e58a86", "#e7c94f", "#9e87dc")
"""The provinces a seat holds."""

WHITE = "#ffffff"
"""The symbols and initials of guards."""
HATCHING_SHARE = 0.3
"""How much of the ink in the strokes over changed provinces covers what lies under them."""
PLACE_LIGHTENING = 0.5
"""How much of the paper lightens the places in held provinces."""

NARROW_LETTERS, BROAD_LETTERS = frozenset("fijlrtIJ.,:;'!|()[] "), frozenset("mwMW@%…—")
"""Letters that take much less room than others, or much more."""

RGB = tuple[int, int, int]


def _parse_rgb(colour: str) -> RGB:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _mix(one: str, other: str, share: float) -> RGB:
    """The colour of `one` under so much of `other`."""
    (r, g, b), (red, green, blue) = _parse_rgb(one), _parse_rgb(other)
    return (
        round(r + (red - r) * share),
        round(g + (green - g) * share),
        round(b + (blue - b) * share),
    )


_WATER = (SEA, *SHALLOWS, MERIDIAN)
_WRITTEN = (INK, FAINT_INK, NAME_INK, RED_WALL, CHOICE, PURPLE, COAST)
FEW_COLOURS = (
    *map(_parse_rgb, (PAPER, WHITE, LAND, GRID, *_WATER, *_WRITTEN, GLOW, CHOICE_TINT, SUN)),
    *map(_parse_rgb, (*SYMBOL_COLOURS, *SEAT_COLOURS, *SEAT_TINTS)),
    *(_mix(tint, PAPER, PLACE_LIGHTENING) for tint in SEAT_TINTS),
    *(_mix(ground, INK, HATCHING_SHARE) for ground in (LAND, *SEAT_TINTS)),
    _mix(LAND, GRID, 0.5),
)
"""All colours a picture is drawn with, without those of soft edges."""
COLOURS = (
    *FEW_COLOURS,
    *(_mix(PAPER, INK, share) for share in (0.25, 0.5, 0.75)),
    *(_mix(LAND, colour, 0.5) for colour in (*SYMBOL_COLOURS, FAINT_INK)),
    *(_mix(WHITE, colour, 0.5) for colour in (*SEAT_COLOURS, CHOICE)),
)
"""The same with those of the edges that show most: the palette of every PNG."""


def clean_name(name: str, longest: int = 60) -> str:
    """A name as one line of at most so many characters: nothing invisible, no control characters."""
    seen = (" " if char.isspace() else char for char in unicodedata.normalize("NFC", name))
    line = " ".join(drop_unseen("".join(seen)).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def estimate_width(words: str) -> float:
    """About how wide bold words are, in units of their size, and rather more than less."""
    return sum(0.37 if char in NARROW_LETTERS else 0.9 if char in BROAD_LETTERS else 0.58 for char in words)


def fit_name(name: str, room: float) -> str:
    """As much of a name as the font has and as finds room, in units of the size of its letters."""
    return next((one for one in _shorten(_drawable(name)) if estimate_width(one) <= room), "")


def fit_names(names: Sequence[str], rooms: Sequence[float]) -> list[str]:
    """Several names that stand beside each other, as much of each as finds room.

    Of those that would be cut to the same text a part is left out that they have in common.
    """
    found = [fit_name(name, room) for name, room in zip(names, rooms, strict=True)]
    for text in {one for one in found if found.count(one) > 1}:
        alike = [number for number, one in enumerate(found) if one == text]
        whole = [_drawable(names[number]) for number in alike]
        if len(set(whole)) > 1:
            for number, one in zip(alike, _cut_within(whole, [rooms[at] for at in alike]), strict=True):
                found[number] = one
    return found


def _drawable(name: str) -> str:
    """What of a name the font has."""
    return "".join(char for char in clean_name(name) if ord(char) < 0x500 or 0x1E00 <= ord(char) < 0x2070)


def _shorten(name: str) -> Iterator[str]:
    """A name, and less and less of it, down to a letter."""
    return (clean_name(name, longest) for longest in range(len(name), 1, -1))


def _cut_within(names: Sequence[str], rooms: Sequence[float]) -> list[str]:
    """These names without the end of what they all begin with, or as much more as finds no room."""
    shared = sum(1 for _ in takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False)))
    for kept in range(shared - 1, 0, -1):
        found = [f"{name[:kept].rstrip()}…{name[shared:]}" for name in names]
        if all(estimate_width(one) <= room for one, room in zip(found, rooms, strict=True)):
            return found
    return [fit_name(f"{name[:1]}…{name[shared:]}", room) for name, room in zip(names, rooms, strict=True)]


def initial_of(name: str, seat: int) -> str:
    """The letter on a guard: the first of the name that the font has, else the seat's number from 1."""
    for char in clean_name(name).upper():
        if char.isalnum() and ord(char) < 0x500:
            return char
    return str(seat + 1)
