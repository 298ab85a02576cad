"""Charts of a finished game: scores and chances turn by turn, as SVG and as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from emails.picture import palette
from emails.picture.basemap import FONT, GUARD_OUTLINES, LETTER_DROPS
from emails.wording.review_text import GameStatistics
from engine.bots.reviews import Review

WIDTH, HEIGHT = 608, 260
ZOOM = 1.5
"""Pixels per unit, for high-resolution screens."""
LEFT, RIGHT, TOP, FOOT = 48, 424, 34, 220
"""The area of the lines: from turn 0 to the last turn, from top to foot."""
LINE_GAP = 4.5
"""Distance between lines that would lie on each other."""
SEAT_DASHES = ("", "13 6", "0.1 8", "18 6 0.1 6")
MAX_TICKS = 8


def frame_chart(name: str, drawn: Iterable[str]) -> str:
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
    return LEFT + (RIGHT - LEFT) * turn / max(1, turns)


def draw_turns_axis(turns: int, word: str) -> Iterator[str]:
    step = next(step for step in round_steps() if turns <= step * MAX_TICKS)
    yield f'<g font-size="17" text-anchor="middle" fill="{palette.FAINT_INK}">'
    for turn in range(step, turns + 1, step):
        x = x_of_turn(turn, turns)
        yield f'<path d="M{x:.1f} {FOOT + 9}v5" stroke="{palette.FAINT_INK}" stroke-width="1.5"/>'
        yield f'<text x="{x:.1f}" y="{FOOT + 30}">{turn}</text>'
    yield f'<text x="{RIGHT + 22}" y="{FOOT + 30}" text-anchor="start">{word}</text></g>'


def round_steps() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20 and so on."""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def draw_seat_line(seat: int, path: str) -> str:
    dashed = f' stroke-dasharray="{SEAT_DASHES[seat]}"' if SEAT_DASHES[seat] else ""
    return (
        '<g fill="none" stroke-linejoin="round" stroke-linecap="round">'
        f'<path stroke="{palette.PAPER}" stroke-width="6" d="{path}"/>'
        f'<path data-seat="{seat}" stroke="{palette.SEAT_COLOURS[seat]}" stroke-width="4" '
        f'd="{path}"{dashed}/></g>'
    )


def draw_seat_marks(seat: int, spots: Iterable[tuple[float, float]]) -> str:
    outline = GUARD_OUTLINES[seat]
    placed = (f'<g transform="translate({x:.1f} {y:.1f}) scale(.62)">{outline}</g>' for x, y in spots)
    return (
        f'<g fill="{palette.SEAT_COLOURS[seat]}" stroke="{palette.PAPER}" stroke-width="3">'
        + "".join(placed)
        + "</g>"
    )


@dataclass(frozen=True, slots=True)
class LineEnd:
    """The end of a seat's line, and the figure beside its name, which may be empty."""

    seat: int
    y: float
    figure: str


def draw_line_ends(ends: Sequence[LineEnd], names: Sequence[str]) -> Iterator[str]:
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
    """Return places near the wanted ones, in their order, `gap` apart and within the bounds."""
    found: list[float] = []
    for place in wanted:
        found.append(max(place, found[-1] + gap if found else least))
    for number in reversed(range(len(found))):
        found[number] = min(found[number], most - gap * (len(found) - 1 - number))
    return found


GUIDES = (0, 50, 100)
"""Hundredths at which lines are drawn across."""


def draw_chance_chart(review: Review, names: Sequence[str], turns: str, chances: str) -> str:
    """Draw the chance of each seat after each turn as SVG; `turns` and `chances` label the axes."""
    course = [review.chances, *(one.chances for one in review.turns)]
    lines = [_ChanceLine(seat, [now[seat] for now in course], len(names)) for seat in range(len(names))]
    lines.sort(key=lambda line: (line.chances[-1], -line.seat))
    return frame_chart(
        "scores chances",
        (
            *_draw_chances_axis(escape(chances)),
            *draw_turns_axis(len(review.turns), escape(turns)),
            *(draw_seat_line(line.seat, line.path) for line in lines),
            *(draw_seat_marks(line.seat, [line.spot]) for line in lines),
            *draw_line_ends([LineEnd(line.seat, line.end, "") for line in reversed(lines)], names),
        ),
    )


class _ChanceLine:
    """The line of one seat, shifted aside so that it hides no other."""

    def __init__(self, seat: int, chances: list[float], seats: int) -> None:
        self.seat, self.chances = seat, chances
        aside, last = LINE_GAP * (seat - (seats - 1) / 2), len(chances) - 1
        spots = [(x_of_turn(turn, last), _y_of_chance(one) + aside) for turn, one in enumerate(chances)]
        if not last:  # no turn was played
            spots.append((RIGHT, spots[0][1]))
        self.end = spots[-1][1]
        self.path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        self.spot = spots[(len(spots) - 1) * (seat + 1) // (seats + 1)]


def _y_of_chance(chance: float) -> float:
    return FOOT - (FOOT - TOP) * chance


def _draw_chances_axis(word: str) -> Iterator[str]:
    yield f'<g font-size="17" text-anchor="end" fill="{palette.FAINT_INK}">'
    for guide in GUIDES:
        y = _y_of_chance(guide / 100)
        yield f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="{palette.GRID}"/>'
        yield f'<text x="{LEFT - 9}" y="{y + 5.5:.1f}">{guide}%</text>'
    yield f'<text x="8" y="17" text-anchor="start">{word}</text></g>'


BREAK_HEIGHT = 28
"""Omitted below the winning score if no player comes near it."""
MAX_LINES = 12
MAX_WIDTH = 78
MAX_NAME_LENGTH = 30


# --- the chart ------------------------------------------------------------------------------------------


def draw_score_chart(
    record: GameStatistics, names: Sequence[str], winning: int, turns: str, points: str
) -> str:
    """Draw the points of each seat after each turn as SVG; `turns` and `points` label the axes."""
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
    turns: int
    winning: int
    most: int
    """The points at the top."""
    ceiling: float
    goal: float
    """The y of the winning score: true to scale, or at the top if it is far away."""

    def y_of_points(self, points: float) -> float:
        return FOOT - (FOOT - self.ceiling) * points / self.most

    def y_beside_points(self, points: int, far: float) -> float:
        """Return the y `far` below some points, on their side of the winning score."""
        y = self.y_of_points(points) + far
        return max(y, self.goal + LINE_GAP) if points < self.winning else min(y, self.goal)


def _fit_scale(record: GameStatistics, winning: int) -> _Scale:
    best = max(record.scores[-1]) if record.scores else 0
    if 2 * best >= winning:
        most = max(best, winning)
        return _Scale(len(record.scores), winning, most, TOP, FOOT - (FOOT - TOP) * winning / most)
    return _Scale(len(record.scores), winning, max(best, 10), TOP + BREAK_HEIGHT, TOP)


class _ScoreLine:
    """The line of one seat, shifted aside so that it hides no other."""

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
    free = 0.0
    for x, y in spots:
        if x >= free:
            yield x, y
            free = x + 24


def _draw_points_axis(scale: _Scale, word: str) -> Iterator[str]:
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
    """List the points every few turns, in lines of at most 78 characters formatted by `line`."""
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
    turns: int
    standing: tuple[tuple[int, int], ...]
    """Seat and points at the end, the best first."""
    leaders: tuple[int, ...]
    since: int
    """The number of the turn since which they have led alone; at least 1."""


def summarize_scores(record: GameStatistics) -> ScoreSummary | None:
    """Summarise the chart of a game; None before the first turn is over."""
    if not record.scores:
        return None
    best = [tuple(seat for seat, one in enumerate(now) if one == max(now)) for now in record.scores]
    since = len(best)
    while since > 1 and best[since - 2] == best[-1]:
        since -= 1
    standing = sorted(enumerate(record.scores[-1]), key=lambda one: -one[1])
    return ScoreSummary(len(best), tuple(standing), best[-1], since)
