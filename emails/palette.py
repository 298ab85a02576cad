"""The colours of the pictures, and how each seat is told apart: by colour, by shape and by initial.

The provinces of any two seats, and those of any seat and bare land, stay apart for readers with protanopia,
deuteranopia or tritanopia too (CIEDE2000 of 15 or more), and so do the guards of any two seats. Shape and
initial say the same once more, for prints in grey.
"""

from __future__ import annotations

import unicodedata

PAPER = "#faf5e9"
"""The frame, and the light round letters and figures."""
SEA = "#b7cbd5"
SHALLOWS = ("#c3d5dc", "#d1dfe2")
"""The water along the coast, the outer band first."""
MERIDIAN = "#a4bac7"
"""The faint lines over the sea that lead from the rim to the land."""
LAND = "#f4ecd8"
GRID = "#d3c5a5"
COAST = "#7a6f5d"
INK = "#26221e"
"""Walls and writing."""
FAINT = "#7d7362"
"""Writing that matters less; 4.0 to 1 on land."""
NAME = "#54493a"
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

SEAT_WORDS = ("blue", "red", "gold", "violet")
SEAT_COLOURS = ("#1673b1", "#ac262f", "#a87800", "#482988")
"""Guards, marches, figures: dark enough for white on them (3.9 to 1 or more)."""
SEAT_TINTS = ("#92cfea", "#e58a86", "#e7c94f", "#9e87dc")
"""The provinces a seat holds."""
SEAT_SHAPES = ("circle", "square", "diamond", "triangle")
"""The outline of a seat's guards."""


def plain_name(name: str, longest: int = 60) -> str:
    """A name as one line of at most so many characters: nothing invisible, no control characters."""
    seen = (" " if char.isspace() else char for char in unicodedata.normalize("NFC", name))
    words = "".join(char for char in seen if unicodedata.category(char)[0] != "C").split()
    line = " ".join(words)
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def initial(name: str, seat: int) -> str:
    """The letter on a guard: the first of the name that the font has, else the seat's number from 1."""
    for char in plain_name(name).upper():
        if char.isalnum() and ord(char) < 0x500:
            return char
    return str(seat + 1)
