"""The points of a game turn by turn: a chart, the same as lines of text for screen readers, and a summary.

No words stand here: whoever asks brings those of the language spoken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from emails.picture import palette
from emails.wording.finished.chart_parts import (
    FOOT,
    LEFT,
    LINE_GAP,
    RIGHT,
    TOP,
    LineEnd,
    draw_line_ends,
    draw_seat_line,
    draw_seat_marks,
    draw_turns_axis,
    frame_chart,
    round_steps,
    x_of_turn,
)
from emails.wording.finished.statistics import GameStatistics

BREAK_HEIGHT = 28
"""Left out below the winning score where nobody comes near it."""
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
    ends = [LineEnd(line.seat, line.end, str(line.points[-1])) for line in reversed(lines)]
    return frame_chart(
        "scores",
        (
            *_draw_points_axis(scale, escape(points)),
            *draw_turns_axis(scale.turns, escape(turns)),
            *(draw_seat_line(line.seat, line.path) for line in lines),
            *(draw_seat_marks(line.seat, line.spots) for line in lines),
            *draw_line_ends(ends, names),
        ),
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
        spots = [(x_of_turn(turn, scale.turns), heights[turn]) for turn in rises]
        self.end = heights[-1]
        self.path = f"M{LEFT} {heights[0]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in spots) + f"H{RIGHT}"
        self.spots = list(_thin_out(spots)) or [((LEFT + RIGHT) / 2 + 40 * aside, self.end)]


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


# --- in words -------------------------------------------------------------------------------------------


def describe_scores(record: GameStatistics, names: Sequence[str], line: str) -> str:
    """The points after every few turns and after the last, a line each, of 78 characters at most.

    `line` holds `%(turn)s` and `%(points)s`, such as "Turn %(turn)s: %(points)s".
    """
    last = len(record.scores)
    step = next(step for step in round_steps() if last <= step * (MAX_LINES - 1))
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
