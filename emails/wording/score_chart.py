"""The points of a game turn by turn: a chart, the same as lines of text for screen readers, and a summary.

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
from emails.picture.symbols import GUARD_OUTLINES, LETTER_DROPS
from emails.wording.statistics import GameStatistics

WIDTH, HEIGHT = 608, 260
"""The units of the drawing."""
ZOOM = 1.5
"""Pixels to a unit, for screens with small pixels."""
LEFT, RIGHT, TOP, FOOT = 48, 446, 34, 220
"""Where the lines may run: from turn 0 to the last, from most points to none."""
BREAK_HEIGHT = 28
"""Left out below the winning score where nobody comes near it."""
LINE_GAP = 4.5
"""Between lines that would lie on each other; they run side by side."""
SEAT_DASHES = ("", "13 6", "0.1 8", "18 6 0.1 6")
"""The line of each seat: whole, dashed, dotted, both by turns."""
MAX_TICKS = 8
"""Turns that are numbered at most."""
MAX_LINES = 12
"""Turns that are told at most."""
MAX_WIDTH = 78
"""Characters of a line."""
MAX_NAME_LENGTH = 30


# --- the chart ------------------------------------------------------------------------------------------


def draw_score_chart(
    record: GameStatistics, names: Sequence[str], winning: int, turns: str, points: str
) -> str:
    """The points of each seat after each turn as a well-formed SVG document; `winning` points are a line.

    `turns` and `points` are the words at the two axes.
    """
    scale = _fit_scale(record, winning)
    lines = [_ScoreLine(seat, record, scale, seat - (len(names) - 1) / 2) for seat in range(len(names))]
    lines.sort(key=lambda line: (line.points[-1], -line.seat))
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="scores" role="img" width="{WIDTH * ZOOM:.0f}" '
            f'height="{HEIGHT * ZOOM:.0f}" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{FONT}" '
            f'font-weight="700"><rect width="{WIDTH}" height="{HEIGHT}" fill="{palette.PAPER}"/>',
            *_draw_points_axis(scale, escape(points)),
            *_draw_turns_axis(scale, escape(turns)),
            *(line.line_svg for line in lines),
            *(line.marks_svg for line in lines),
            *_draw_line_ends(lines[::-1], names),
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

    def x_of_turn(self, turn: float) -> float:
        return LEFT + (RIGHT - LEFT) * turn / max(1, self.turns)

    def y_of_points(self, points: float) -> float:
        return FOOT - (FOOT - self.ceiling) * points / self.most

    def y_beside_points(self, points: int, far: float) -> float:
        """So far below where points lie, yet on their side of the winning score."""
        y = self.y_of_points(points) + far
        return max(y, self.goal + LINE_GAP) if points < self.winning else min(y, self.goal)


def _fit_scale(record: GameStatistics, winning: int) -> _Scale:
    best = max(record.scores[-1]) if record.scores else 0
    if 2 * best >= winning:
        most = max(best, winning)
        return _Scale(len(record.scores), winning, most, TOP, FOOT - (FOOT - TOP) * winning / most)
    return _Scale(len(record.scores), winning, max(best, 10), TOP + BREAK_HEIGHT, TOP)


class _ScoreLine:
    """The line of one seat, so far aside of where it belongs that it hides no other."""

    def __init__(self, seat: int, record: GameStatistics, scale: _Scale, aside: float) -> None:
        self.seat = seat
        self.points = [0, *(scores[seat] for scores in record.scores)]
        heights = [scale.y_beside_points(points, LINE_GAP * aside) for points in self.points]
        rises = [turn for turn, (was, now) in enumerate(pairwise(self.points), 1) if now != was]
        spots = [(scale.x_of_turn(turn), heights[turn]) for turn in rises]
        self.end = heights[-1]
        self.path = f"M{LEFT} {heights[0]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in spots) + f"H{RIGHT}"
        self.spots = list(_thin_out(spots)) or [((LEFT + RIGHT) / 2 + 40 * aside, self.end)]

    @property
    def line_svg(self) -> str:
        """The line on its light ground."""
        dashed = f' stroke-dasharray="{SEAT_DASHES[self.seat]}"' if SEAT_DASHES[self.seat] else ""
        return (
            '<g fill="none" stroke-linejoin="round" stroke-linecap="round">'
            f'<path stroke="{palette.PAPER}" stroke-width="6" d="{self.path}"/>'
            f'<path data-seat="{self.seat}" stroke="{palette.SEAT_COLOURS[self.seat]}" stroke-width="4" '
            f'd="{self.path}"{dashed}/></g>'
        )

    @property
    def marks_svg(self) -> str:
        """The marks where it rises; one where it never does."""
        outline = GUARD_OUTLINES[self.seat]
        placed = (
            f'<g transform="translate({x:.1f} {y:.1f}) scale(.62)">{outline}</g>' for x, y in self.spots
        )
        return (
            f'<g fill="{palette.SEAT_COLOURS[self.seat]}" stroke="{palette.PAPER}" stroke-width="3">'
            + "".join(placed)
            + "</g>"
        )


def _thin_out(spots: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Those that leave room between them."""
    free = 0.0
    for x, y in spots:
        if x >= free:
            yield x, y
            free = x + 24


def _draw_points_axis(scale: _Scale, word: str) -> Iterator[str]:
    """The points: thin lines, and a dotted one for the winning score, broken off where it is far away."""
    step = next(step for step in (2, 5, 10, 25, 50, 100, 250) if scale.most <= 5 * step)
    heights = [(points, scale.y_of_points(points)) for points in range(0, scale.most + 1, step)]
    heights = [(points, y) for points, y in heights if abs(y - scale.goal) > 17]
    faint = "".join(f"M{LEFT} {y:.1f}H{RIGHT}" for _, y in heights)
    yield f'<g font-size="17" text-anchor="end" fill="{palette.FAINT_INK}">'
    yield f'<path d="{faint}" stroke="{palette.GRID}"/>'
    for points, y in heights:
        yield f'<text x="{LEFT - 9}" y="{y + 5.5:.1f}">{points}</text>'
    yield (
        f'<path class="winning" d="M{LEFT} {scale.goal:.1f}H{RIGHT}" stroke="{palette.INK}" stroke-width="2" '
        f'stroke-dasharray="2 5"/><text x="{LEFT - 9}" y="{scale.goal + 5.5:.1f}" fill="{palette.INK}">'
        f'{scale.winning}</text><text x="8" y="17" text-anchor="start">{word}</text></g>'
    )
    if scale.ceiling > TOP:
        slants = "".join(f"M{x} {TOP + BREAK_HEIGHT / 2 + 5}l8-10" for x in (LEFT + 4, LEFT + 11))
        yield f'<path class="break" d="{slants}" stroke="{palette.INK}" stroke-width="2"/>'


def _draw_turns_axis(scale: _Scale, word: str) -> Iterator[str]:
    """The numbers of some turns."""
    step = next(step for step in _round_steps() if scale.turns <= step * MAX_TICKS)
    yield f'<g font-size="17" text-anchor="middle" fill="{palette.FAINT_INK}">'
    for turn in range(step, scale.turns + 1, step):
        x = scale.x_of_turn(turn)
        yield f'<path d="M{x:.1f} {FOOT + 9}v5" stroke="{palette.FAINT_INK}" stroke-width="1.5"/>'
        yield f'<text x="{x:.1f}" y="{FOOT + 30}">{turn}</text>'
    yield f'<text x="{RIGHT + 22}" y="{FOOT + 30}" text-anchor="start">{word}</text></g>'


def _round_steps() -> Iterator[int]:
    """1, 2, 5, 10, 20 and so on."""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def _draw_line_ends(lines: list[_ScoreLine], names: Sequence[str]) -> Iterator[str]:
    """At the end of each line its mark, name and points; they stand clear of each other."""
    places = _spread_places([line.end for line in lines], 31, TOP - 8, FOOT + 2)
    yield '<g class="ends" font-size="20">'
    for line, y in zip(lines, places, strict=True):
        seat, x = line.seat, RIGHT + 30
        colour, letter = palette.SEAT_COLOURS[seat], escape(palette.initial_of(names[seat], seat))
        points = str(line.points[-1])
        name = palette.fit_name(names[seat], (WIDTH - x - 20) / 20 - palette.estimate_width(f" {points}"))
        yield (
            f'<path d="M{RIGHT} {line.end:.1f}L{x - 12} {y:.1f}" stroke="{colour}" stroke-width="1.5"/>'
            f'<g transform="translate({x} {y:.1f})" fill="{colour}">{GUARD_OUTLINES[seat]}'
            f'<text y="{LETTER_DROPS[seat]}" font-size="14" text-anchor="middle" fill="#fff">{letter}</text>'
            f'<text x="17" y="7">{escape(name)} {points}</text></g>'
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


# --- in words -------------------------------------------------------------------------------------------


def describe_scores(record: GameStatistics, names: Sequence[str], line: str) -> str:
    """The points after every few turns and after the last, a line each, of 78 characters at most.

    `line` holds `%(turn)s` and `%(points)s`, such as "Turn %(turn)s: %(points)s".
    """
    last = len(record.scores)
    step = next(step for step in _round_steps() if last <= step * (MAX_LINES - 1))
    shown = [*range(step, last, step), last] if last else []
    if len(shown) > 1 and shown[-1] - shown[-2] < step / 2:
        del shown[-2]
    short = [palette.clean_name(name, MAX_NAME_LENGTH) for name in names]
    found: list[str] = []
    for turn in shown:
        points = [f"{name} {score}" for name, score in zip(short, record.scores[turn - 1], strict=True)]
        found += _wrap_points(line % {"turn": turn, "points": "\n"}, points)
    return "\n".join(found)


def _wrap_points(frame: str, points: Sequence[str]) -> Iterator[str]:
    """The points in their line, broken between players where it would be too long."""
    before, _, after = frame.partition("\n")
    *others, last = points
    line = before.rstrip()
    for item in (*(f"{other}," for other in others), last + after):
        if len(line) + 1 + len(item) > MAX_WIDTH:
            yield line
            line = " "
        line += f" {item}"
    yield line


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """What a chart comes to, for those who cannot see it."""

    turns: int
    standing: tuple[tuple[int, int], ...]
    """Seat and points at the end, the best first."""
    leaders: tuple[int, ...]
    """The seats with the most points at the end."""
    since: int
    """From the end of which turn on they have been the leaders, they alone; 1 at least."""


def summarize_scores(record: GameStatistics) -> ScoreSummary | None:
    """What the chart of a game comes to; None before a turn is over."""
    if not record.scores:
        return None
    best = [tuple(seat for seat, one in enumerate(now) if one == max(now)) for now in record.scores]
    since = len(best)
    while since > 1 and best[since - 2] == best[-1]:
        since -= 1
    standing = sorted(enumerate(record.scores[-1]), key=lambda one: -one[1])
    return ScoreSummary(len(best), tuple(standing), best[-1], since)
