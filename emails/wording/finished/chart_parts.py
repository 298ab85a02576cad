"""What the charts of a game have in common: their frame, the axis of turns, the look of a seat's line, names.

No words stand here: whoever asks brings those of the language spoken. Seats are told apart by colour, by the
dashes of their lines, by their marks and by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from emails.picture import palette
from emails.picture.basemap import FONT
from emails.picture.symbols import GUARD_OUTLINES, LETTER_DROPS

WIDTH, HEIGHT = 608, 260
"""The units of the drawing."""
ZOOM = 1.5
"""Pixels to a unit, for screens with small pixels."""
LEFT, RIGHT, TOP, FOOT = 48, 424, 34, 220
"""Where the lines may run: from turn 0 to the last, from the top to the foot."""
LINE_GAP = 4.5
"""Between lines that would lie on each other; they run side by side."""
SEAT_DASHES = ("", "13 6", "0.1 8", "18 6 0.1 6")
"""The line of each seat: whole, dashed, dotted, both by turns."""
MAX_TICKS = 8
"""Turns that are numbered at most."""


def frame_chart(name: str, drawn: Iterable[str]) -> str:
    """What is drawn as a well-formed SVG document of the class `name`."""
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" role="img" width="{WIDTH * ZOOM:.0f}" '
            f'height="{HEIGHT * ZOOM:.0f}" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{FONT}" '
            f'font-weight="700"><rect width="{WIDTH}" height="{HEIGHT}" fill="{palette.PAPER}"/>',
            *drawn,
            "</svg>",
        )
    )


def x_of_turn(turn: float, turns: int) -> float:
    """Where a turn lies, of so many."""
    return LEFT + (RIGHT - LEFT) * turn / max(1, turns)


def draw_turns_axis(turns: int, word: str) -> Iterator[str]:
    """The numbers of some turns."""
    step = next(step for step in round_steps() if turns <= step * MAX_TICKS)
    yield f'<g font-size="17" text-anchor="middle" fill="{palette.FAINT_INK}">'
    for turn in range(step, turns + 1, step):
        x = x_of_turn(turn, turns)
        yield f'<path d="M{x:.1f} {FOOT + 9}v5" stroke="{palette.FAINT_INK}" stroke-width="1.5"/>'
        yield f'<text x="{x:.1f}" y="{FOOT + 30}">{turn}</text>'
    yield f'<text x="{RIGHT + 22}" y="{FOOT + 30}" text-anchor="start">{word}</text></g>'


def round_steps() -> Iterator[int]:
    """1, 2, 5, 10, 20 and so on."""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def draw_seat_line(seat: int, path: str) -> str:
    """The line of a seat on its light ground."""
    dashed = f' stroke-dasharray="{SEAT_DASHES[seat]}"' if SEAT_DASHES[seat] else ""
    return (
        '<g fill="none" stroke-linejoin="round" stroke-linecap="round">'
        f'<path stroke="{palette.PAPER}" stroke-width="6" d="{path}"/>'
        f'<path data-seat="{seat}" stroke="{palette.SEAT_COLOURS[seat]}" stroke-width="4" '
        f'd="{path}"{dashed}/></g>'
    )


def draw_seat_marks(seat: int, spots: Iterable[tuple[float, float]]) -> str:
    """The marks of a seat on its line."""
    outline = GUARD_OUTLINES[seat]
    placed = (f'<g transform="translate({x:.1f} {y:.1f}) scale(.62)">{outline}</g>' for x, y in spots)
    return (
        f'<g fill="{palette.SEAT_COLOURS[seat]}" stroke="{palette.PAPER}" stroke-width="3">'
        + "".join(placed)
        + "</g>"
    )


@dataclass(frozen=True, slots=True)
class LineEnd:
    """Where the line of a seat ends, and what stands there beside its name; may be nothing."""

    seat: int
    y: float
    figure: str


def draw_line_ends(ends: Sequence[LineEnd], names: Sequence[str]) -> Iterator[str]:
    """At the end of each line, from the top down, its mark, name and figure, clear of each other."""
    places = _spread_places([end.y for end in ends], 31, TOP - 8, FOOT + 2)
    x, figures = RIGHT + 30, [f" {end.figure}".rstrip() for end in ends]
    rooms = [(WIDTH - x - 20) / 20 - palette.estimate_width(figure) for figure in figures]
    shown = palette.fit_names([names[end.seat] for end in ends], rooms)
    yield '<g class="ends" font-size="20">'
    for end, y, name, figure in zip(ends, places, shown, figures, strict=True):
        seat = end.seat
        colour, letter = palette.SEAT_COLOURS[seat], escape(palette.initial_of(names[seat], seat))
        yield (
            f'<path d="M{RIGHT} {end.y:.1f}L{x - 12} {y:.1f}" stroke="{colour}" stroke-width="1.5"/>'
            f'<g transform="translate({x} {y:.1f})" fill="{colour}">{GUARD_OUTLINES[seat]}'
            f'<text y="{LETTER_DROPS[seat]}" font-size="14" text-anchor="middle" fill="#fff">{letter}</text>'
            f'<text x="17" y="7">{escape(name)}{figure}</text></g>'
        )
    yield "</g>"


def _spread_places(wanted: list[float], gap: float, least: float, most: float) -> list[float]:
    """Places near those wanted, in their order, so far apart and between these bounds."""
    found: list[float] = []
    for place in wanted:
        found.append(max(place, found[-1] + gap if found else least))
    for number in reversed(range(len(found))):
        found[number] = min(found[number], most - gap * (len(found) - 1 - number))
    return found
