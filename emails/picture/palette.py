"""The colours of the pictures, and the shortening of player names to fit.

People with protanopia, deuteranopia or tritanopia can distinguish (CIEDE2000 of 15 or more) the tints of any
two seats, a tint and bare land, and the guards of any two seats. Walls, the glow of new walls and the coast
differ as much from the colours beneath. The green of choices differs less, so choices also have numbers or
dashes. In grey prints, outlines and initials distinguish seats.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import takewhile

from emails.i18n import gettext_noop
from emails.names import drop_unseen

PAPER = "#faf5e9"
SEA = "#96adb3"
SHALLOWS = ("#adc0c4", "#c6d3d3")
"""Colours of the water along the coast, from the outer band inwards."""
MERIDIAN = "#839da5"
LAND = "#f4ecd8"
GRID = "#d3c5a5"
COAST = "#7a6f5d"
INK = "#26221e"
FAINT_INK = "#7d7362"
"""Colour of less important text; contrast 4.0 on land."""
NAME_INK = "#54493a"
RED_WALL = "#c4161c"
GLOW = "#f2902c"
"""Colour beneath new walls."""
CHOICE = "#0a6b3d"
CHOICE_TINT = "#bfe3b4"
PURPLE = "#5a1248"
SUN = "#ffd75a"

SYMBOL_COLOURS = ("#4c5a69", "#b04f1f", "#4a3018", "#3d6f2b", "#2a4a80")
"""Colours of temple, amphora, horse, lyre and soldier."""

SEAT_LOOKS = (
    gettext_noop("blue circle"),
    gettext_noop("red square"),
    gettext_noop("gold diamond"),
    gettext_noop("violet triangle"),
)
SEAT_COLOURS = ("#1673b1", "#ac262f", "#a87800", "#482988")
"""Colours of guards, marches and values of provinces by seat; contrast 3.9 or more to white."""
SEAT_TINTS = ("#92cfea", "#e58a86", "#e7c94f", "#9e87dc")

WHITE = "#ffffff"
HATCHING_SHARE = 0.3
PLACE_LIGHTENING = 0.5

NARROW_LETTERS, BROAD_LETTERS = frozenset("fijlrtIJ.,:;'!|()[] "), frozenset("mwMW@%…—")


def _mix(one: str, other: str, share: float) -> bytes:
    """Mix two colours; `share` is the part of `other`, from 0 to 1."""
    parts = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return bytes(round(first + (second - first) * share) for first, second in parts)


def _read_colours(*colours: str) -> list[bytes]:
    return [bytes.fromhex(colour[1:]) for colour in colours]


FEW_COLOURS = (  # without the mixtures that smooth edges
    *_read_colours(PAPER, WHITE, LAND, GRID, SEA, *SHALLOWS, MERIDIAN, INK, FAINT_INK, NAME_INK),
    *_read_colours(RED_WALL, CHOICE, PURPLE, COAST, GLOW, CHOICE_TINT, SUN),
    *_read_colours(*SYMBOL_COLOURS, *SEAT_COLOURS, *SEAT_TINTS),
    *(_mix(tint, PAPER, PLACE_LIGHTENING) for tint in SEAT_TINTS),
    *(_mix(ground, INK, HATCHING_SHARE) for ground in (LAND, *SEAT_TINTS)),
    _mix(LAND, GRID, 0.5),
)
COLOURS = (
    *FEW_COLOURS,
    *(_mix(PAPER, INK, share) for share in (0.25, 0.5, 0.75)),
    *(_mix(LAND, colour, 0.5) for colour in (*SYMBOL_COLOURS, FAINT_INK)),
    *(_mix(WHITE, colour, 0.5) for colour in (*SEAT_COLOURS, CHOICE)),
)


def clean_name(name: str, longest: int = 60) -> str:
    """Return a name on one line without control or invisible characters, cut to `longest` characters."""
    seen = (" " if char.isspace() else char for char in unicodedata.normalize("NFC", name))
    line = " ".join(drop_unseen("".join(seen)).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def estimate_width(words: str) -> float:
    """Return an upper estimate of the width of bold text, in multiples of the font size."""
    return sum(0.37 if char in NARROW_LETTERS else 0.9 if char in BROAD_LETTERS else 0.58 for char in words)


def fit_name(name: str, room: float) -> str:
    """Drop characters that the fonts lack, and shorten the name to `room` multiples of the font size."""
    plain = _drawable(name)
    shorter = (clean_name(plain, longest) for longest in range(len(plain), 1, -1))
    return next((one for one in shorter if estimate_width(one) <= room), "")


def fit_names(names: Sequence[str], rooms: Sequence[float]) -> list[str]:
    """Shorten each name to its width in `rooms`, given in font sizes.

    Names are cut at the end. If two of them would then look the same, these are cut in the middle.
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
    return "".join(char for char in clean_name(name) if ord(char) < 0x500 or 0x1E00 <= ord(char) < 0x2070)


def _cut_within(names: Sequence[str], rooms: Sequence[float]) -> list[str]:
    shared = sum(1 for _ in takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False)))
    for kept in range(shared - 1, 0, -1):
        found = [f"{name[:kept].rstrip()}…{name[shared:]}" for name in names]
        if all(estimate_width(one) <= room for one, room in zip(found, rooms, strict=True)):
            return found
    return [fit_name(f"{name[:1]}…{name[shared:]}", room) for name, room in zip(names, rooms, strict=True)]


def initial_of(name: str, seat: int) -> str:
    """Return the name's first letter or digit that the fonts contain; else the number of the seat, from 1."""
    for char in clean_name(name).upper():
        if char.isalnum() and ord(char) < 0x500:
            return char
    return str(seat + 1)
