"""The chances of a game turn by turn, as the judge sees them: a chart in the style of that of the points.

No words stand here: whoever asks brings those of the language spoken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

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
    x_of_turn,
)
from engine.bots.reviews import Review

GUIDES = (0, 50, 100)
"""The hundredths at which lines are drawn across."""


def draw_chance_chart(review: Review, names: Sequence[str], turns: str, chances: str) -> str:
    """How likely each seat was to win after each turn as a well-formed SVG document.

    `turns` and `chances` are the words at the two axes.
    """
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
    """The line of one seat, so far aside of where it belongs that it hides no other."""

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
    """The chances in hundredths."""
    yield f'<g font-size="17" text-anchor="end" fill="{palette.FAINT_INK}">'
    for guide in GUIDES:
        y = _y_of_chance(guide / 100)
        yield f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="{palette.GRID}"/>'
        yield f'<text x="{LEFT - 9}" y="{y + 5.5:.1f}">{guide}%</text>'
    yield f'<text x="8" y="17" text-anchor="start">{word}</text></g>'
