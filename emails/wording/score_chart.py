"""The points of a game turn by turn: a chart, the same in lines that can be heard, and what it comes to.

No words stand here: whoever asks brings those of the language spoken. Seats are told apart by colour, by the
dashes of their lines, by their marks and by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from emails.picture import palette
from emails.picture.basemap import FONT
from emails.picture.symbols import LETTER_DROPS, OUTLINES
from emails.wording.statistics import Record

WIDTH, HEIGHT = 608, 260
"""The units of the drawing."""
ZOOM = 1.5
"""Pixels to a unit, for screens with small pixels."""
LEFT, RIGHT, TOP, FOOT = 48, 446, 34, 220
"""Where the lines may run: from turn 0 to the last, from most points to none."""
BREAK = 28
"""Left out below the winning score where nobody comes near it."""
APART = 4.5
"""Between lines that would lie on each other; they run side by side."""
DASHES = ("", "13 6", "0.1 8", "18 6 0.1 6")
"""The line of each seat: whole, dashed, dotted, both by turns."""
TICKS = 8
"""Turns that are numbered at most."""
LINES = 12
"""Turns that are told at most."""
WIDEST = 78
"""Characters of a line."""
LONGEST_NAME = 30


# --- the chart ------------------------------------------------------------------------------------------


def chart(record: Record, names: Sequence[str], winning: int, turns: str, points: str) -> str:
    """The points of each seat after each turn as a well-formed SVG document; `winning` points are a line.

    `turns` and `points` are the words at the two axes.
    """
    scale = _scale(record, winning)
    lines = [_Line(seat, record, scale, seat - (len(names) - 1) / 2) for seat in range(len(names))]
    lines.sort(key=lambda line: (line.points[-1], -line.seat))
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="scores" role="img" width="{WIDTH * ZOOM:.0f}" '
            f'height="{HEIGHT * ZOOM:.0f}" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{FONT}" '
            f'font-weight="700"><rect width="{WIDTH}" height="{HEIGHT}" fill="{palette.PAPER}"/>',
            *_rules(scale, escape(points)),
            *_turns(scale, escape(turns)),
            *(line.drawn for line in lines),
            *(line.marks for line in lines),
            *_ends(lines[::-1], names),
            "</svg>",
        )
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where turns and points lie."""

    turns: int
    winning: int
    most: int
    """The points at the ceiling."""
    ceiling: float
    goal: float
    """Where the line of the winning score lies: at its height, or at the top where that is far away."""

    def across(self, turn: float) -> float:
        return LEFT + (RIGHT - LEFT) * turn / max(1, self.turns)

    def height(self, points: float) -> float:
        return FOOT - (FOOT - self.ceiling) * points / self.most

    def aside(self, points: int, far: float) -> float:
        """So far below where points lie, yet on their side of the winning score."""
        y = self.height(points) + far
        return max(y, self.goal + APART) if points < self.winning else min(y, self.goal)


def _scale(record: Record, winning: int) -> _Scale:
    best = max(record.scores[-1]) if record.scores else 0
    if 2 * best >= winning:
        most = max(best, winning)
        return _Scale(len(record.scores), winning, most, TOP, FOOT - (FOOT - TOP) * winning / most)
    return _Scale(len(record.scores), winning, max(best, 10), TOP + BREAK, TOP)


class _Line:
    """The line of one seat, so far aside of where it belongs that it hides no other."""

    def __init__(self, seat: int, record: Record, scale: _Scale, aside: float) -> None:
        self.seat = seat
        self.points = [0, *(scores[seat] for scores in record.scores)]
        heights = [scale.aside(points, APART * aside) for points in self.points]
        rises = [turn for turn, (was, now) in enumerate(pairwise(self.points), 1) if now != was]
        spots = [(scale.across(turn), heights[turn]) for turn in rises]
        self.end = heights[-1]
        self.path = f"M{LEFT} {heights[0]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in spots) + f"H{RIGHT}"
        self.spots = list(_spaced(spots)) or [((LEFT + RIGHT) / 2 + 40 * aside, self.end)]

    @property
    def drawn(self) -> str:
        """The line on its light ground."""
        dashed = f' stroke-dasharray="{DASHES[self.seat]}"' if DASHES[self.seat] else ""
        return (
            '<g fill="none" stroke-linejoin="round" stroke-linecap="round">'
            f'<path stroke="{palette.PAPER}" stroke-width="6" d="{self.path}"/>'
            f'<path data-seat="{self.seat}" stroke="{palette.SEAT_COLOURS[self.seat]}" stroke-width="4" '
            f'd="{self.path}"{dashed}/></g>'
        )

    @property
    def marks(self) -> str:
        """The marks where it rises; one where it never does."""
        outline = OUTLINES[self.seat]
        placed = (
            f'<g transform="translate({x:.1f} {y:.1f}) scale(.62)">{outline}</g>' for x, y in self.spots
        )
        return (
            f'<g fill="{palette.SEAT_COLOURS[self.seat]}" stroke="{palette.PAPER}" stroke-width="3">'
            + "".join(placed)
            + "</g>"
        )


def _spaced(spots: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Those that leave room between them."""
    free = 0.0
    for x, y in spots:
        if x >= free:
            yield x, y
            free = x + 24


def _rules(scale: _Scale, word: str) -> Iterator[str]:
    """The points: thin lines, and a dotted one for the winning score, broken off where it is far away."""
    step = next(step for step in (2, 5, 10, 25, 50, 100, 250) if scale.most <= 5 * step)
    heights = [(points, scale.height(points)) for points in range(0, scale.most + 1, step)]
    heights = [(points, y) for points, y in heights if abs(y - scale.goal) > 17]
    faint = "".join(f"M{LEFT} {y:.1f}H{RIGHT}" for _, y in heights)
    yield f'<g font-size="17" text-anchor="end" fill="{palette.FAINT}">'
    yield f'<path d="{faint}" stroke="{palette.GRID}"/>'
    for points, y in heights:
        yield f'<text x="{LEFT - 9}" y="{y + 5.5:.1f}">{points}</text>'
    yield (
        f'<path class="winning" d="M{LEFT} {scale.goal:.1f}H{RIGHT}" stroke="{palette.INK}" stroke-width="2" '
        f'stroke-dasharray="2 5"/><text x="{LEFT - 9}" y="{scale.goal + 5.5:.1f}" fill="{palette.INK}">'
        f'{scale.winning}</text><text x="8" y="17" text-anchor="start">{word}</text></g>'
    )
    if scale.ceiling > TOP:
        slants = "".join(f"M{x} {TOP + BREAK / 2 + 5}l8-10" for x in (LEFT + 4, LEFT + 11))
        yield f'<path class="break" d="{slants}" stroke="{palette.INK}" stroke-width="2"/>'


def _turns(scale: _Scale, word: str) -> Iterator[str]:
    """The numbers of some turns."""
    step = next(step for step in _steps() if scale.turns <= step * TICKS)
    yield f'<g font-size="17" text-anchor="middle" fill="{palette.FAINT}">'
    for turn in range(step, scale.turns + 1, step):
        x = scale.across(turn)
        yield f'<path d="M{x:.1f} {FOOT + 9}v5" stroke="{palette.FAINT}" stroke-width="1.5"/>'
        yield f'<text x="{x:.1f}" y="{FOOT + 30}">{turn}</text>'
    yield f'<text x="{RIGHT + 22}" y="{FOOT + 30}" text-anchor="start">{word}</text></g>'


def _steps() -> Iterator[int]:
    """1, 2, 5, 10, 20 and so on."""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def _ends(lines: list[_Line], names: Sequence[str]) -> Iterator[str]:
    """At the end of each line its mark, name and points; they stand clear of each other."""
    places = _spread([line.end for line in lines], 31, TOP - 8, FOOT + 2)
    yield '<g class="ends" font-size="20">'
    for line, y in zip(lines, places, strict=True):
        seat, x = line.seat, RIGHT + 30
        colour, letter = palette.SEAT_COLOURS[seat], escape(palette.initial(names[seat], seat))
        points = str(line.points[-1])
        name = palette.fitting(names[seat], (WIDTH - x - 20) / 20 - palette.breadth(f" {points}"))
        yield (
            f'<path d="M{RIGHT} {line.end:.1f}L{x - 12} {y:.1f}" stroke="{colour}" stroke-width="1.5"/>'
            f'<g transform="translate({x} {y:.1f})" fill="{colour}">{OUTLINES[seat]}'
            f'<text y="{LETTER_DROPS[seat]}" font-size="14" text-anchor="middle" fill="#fff">{letter}</text>'
            f'<text x="17" y="7">{escape(name)} {points}</text></g>'
        )
    yield "</g>"


def _spread(wanted: list[float], gap: float, least: float, most: float) -> list[float]:
    """Places near those wanted, in their order, so far apart and between these bounds."""
    found: list[float] = []
    for place in wanted:
        found.append(max(place, found[-1] + gap if found else least))
    for number in reversed(range(len(found))):
        found[number] = min(found[number], most - gap * (len(found) - 1 - number))
    return found


# --- in words -------------------------------------------------------------------------------------------


def chart_text(record: Record, names: Sequence[str], line: str) -> str:
    """The points after every few turns and after the last, a line each, of 78 characters at most.

    `line` holds `%(turn)s` and `%(points)s`, such as "Turn %(turn)s: %(points)s".
    """
    last = len(record.scores)
    step = next(step for step in _steps() if last <= step * (LINES - 1))
    shown = [*range(step, last, step), last] if last else []
    if len(shown) > 1 and shown[-1] - shown[-2] < step / 2:
        del shown[-2]
    short = [palette.plain_name(name, LONGEST_NAME) for name in names]
    found: list[str] = []
    for turn in shown:
        points = [f"{name} {score}" for name, score in zip(short, record.scores[turn - 1], strict=True)]
        found += _broken(line % {"turn": turn, "points": "\n"}, points)
    return "\n".join(found)


def _broken(frame: str, points: Sequence[str]) -> Iterator[str]:
    """The points in their line, broken between players where it would be too long."""
    before, _, after = frame.partition("\n")
    *others, last = points
    said = before.rstrip()
    for item in (*(f"{other}," for other in others), last + after):
        if len(said) + 1 + len(item) > WIDEST:
            yield said
            said = " "
        said += f" {item}"
    yield said


@dataclass(frozen=True, slots=True)
class Course:
    """What a chart comes to, for those who cannot see it."""

    turns: int
    standing: tuple[tuple[int, int], ...]
    """Seat and points at the end, the best first."""
    leaders: tuple[int, ...]
    """The seats with the most points at the end."""
    since: int
    """From the end of which turn on they have been the leaders, they alone; 1 at least."""


def course(record: Record) -> Course | None:
    """What the chart of a game comes to; None before a turn is over."""
    if not record.scores:
        return None
    best = [tuple(seat for seat, one in enumerate(now) if one == max(now)) for now in record.scores]
    since = len(best)
    while since > 1 and best[since - 2] == best[-1]:
        since -= 1
    standing = sorted(enumerate(record.scores[-1]), key=lambda one: -one[1])
    return Course(len(best), tuple(standing), best[-1], since)
