"""The review of a finished game in words: statistics, charts, the sources of points, the cost of turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby, pairwise

from emails.i18n import gettext, gettext_noop, ngettext
from emails.names import SeatNames, name_seats_in_turn
from emails.picture import palette
from emails.picture.layers import FONT, GUARD_OUTLINES, LETTER_DROPS
from emails.wording import phrases
from engine.actions import Action, Choose, Draw, Levy, March, Occupy, Play, Recall, Stay, Take, TakeOver
from engine.board import Board, Point, Space
from engine.bots.reviews import Harvest, Review, Swing, Verdict, largest_swing, largest_swings
from engine.cards import Bag, Symbol
from engine.events import (
    AlexanderMarched,
    GameClosed,
    GameEnded,
    GameStarted,
    TaxesLevied,
    TurnEnded,
    TurnSkipped,
)
from engine.position import GameStartedVeiled, View, VisibleEvent


@dataclass(frozen=True, slots=True)
class LongestMarch:
    """The march along the most sides; among equals the earliest."""

    seat: int
    turn: int
    path: tuple[Point, ...]
    sides: int
    walls: int


@dataclass(frozen=True, slots=True)
class BestLevy:
    """The levy with the most points for its player; among equals the earliest."""

    seat: int
    turn: int
    card: Symbol
    gain: int


@dataclass(frozen=True, slots=True)
class GameStatistics:
    """The course of a game; turns are counted from 1."""

    scores: tuple[tuple[int, ...], ...]
    """For each turn, the points by seat after the turn."""
    longest: LongestMarch | None = None
    best: BestLevy | None = None


def compile_statistics(told: Sequence[VisibleEvent]) -> GameStatistics:
    """Compile statistics from all events of a game; raises `ValueError` if the first event is not a deal."""
    first = told[0] if told else None
    if not isinstance(first, GameStarted | GameStartedVeiled):
        raise ValueError("statistics need all events of a game, the deal first")
    now = (0,) * len(first.seats)
    scores: list[tuple[int, ...]] = []
    longest: LongestMarch | None = None
    best: BestLevy | None = None
    for fact in told:
        turn = len(scores) + 1
        match fact:
            case AlexanderMarched(seat, path=path, walls=walls):
                if longest is None or len(path) - 1 > longest.sides:
                    longest = LongestMarch(seat, turn, path, len(path) - 1, len(walls))
            case TaxesLevied(seat, card, gains):
                now = tuple(score + gain for score, gain in zip(now, gains, strict=True))
                if gains[seat] > (best.gain if best else 0):
                    best = BestLevy(seat, turn, card, gains[seat])
            case TurnEnded() | TurnSkipped() | GameEnded() | GameClosed():
                scores.append(now)
            case _:
                pass
    return GameStatistics(tuple(scores), longest, best)


MOST_PLACES = 3
MOST_POINTS = 25  # a costlier turn lost the game, so its cost is not stated as a number
LEAST_COST = 0.5
"""Lowest cost in points for which a turn counts as costly; a cost of 0.5 is stated as one point."""


def summarize_review(
    review: Review, found: Sequence[Harvest], view: View, turn_names: Sequence[SeatNames] = ()
) -> list[str]:
    """Return sentences on the winners' points, the turning point, and the reader's costliest turn."""
    table = view.table
    lines = [describe_origins(found, seat, view) for seat in table.winners or ()]
    if (swing := largest_swing(review)) is not None:
        lines.append(describe_swing(swing, name_seats_in_turn(view, turn_names, swing.turn)))
    verdicts = (one.verdict for one in review.turns)
    played = (one for one in verdicts if one.seat == name_seats_in_turn(view, turn_names, one.turn).me)
    own = largest_swings(played, 1)
    lines += [describe_costliest(one, view) for one in own if one.cost >= LEAST_COST]
    return [line for line in lines if line]


def describe_origins(found: Iterable[Harvest], seat: int, view: View) -> str:
    """Describe the sources of a seat's points; empty if it has none."""
    table, values = view.table, Counter[str]()
    for one in found:
        if one.seat == seat:
            values[table.board.names[one.place]] += one.value
    named = values.most_common(MOST_PLACES)
    words = gettext_noop("%(value)s with the guard on %(place)s")
    parts = [gettext(words, value=value, place=place) for place, value in named]
    if rest := values.total() - sum(value for _, value in named):
        parts.append(gettext("%(value)s with other guards", value=rest))
    if not parts:
        return ""
    mine = gettext_noop("Your points: %(parts)s.")
    theirs = gettext_noop("The points of %(name)s: %(parts)s.")
    return phrases.gettext_for_seat(table, seat, view.me, mine, theirs, parts=phrases.format_list(parts))


def describe_levy(found: Sequence[Harvest], view: View) -> str:
    parts = []
    for seat, group in groupby(sorted(found, key=lambda one: one.seat), key=lambda one: one.seat):
        own = list(group)
        places = ", ".join(f"{view.table.board.names[one.place]} {one.value}" for one in own)
        name = phrases.name_or_you(view.table, seat, view.me)
        parts.append(f"{name} +{sum(one.value for one in own)} ({places})")
    return gettext("Turn %(turn)s: %(points)s", turn=found[0].turn, points="; ".join(parts))


def describe_swing(swing: Swing, view: View) -> str:
    mine = gettext_noop(
        "Turn %(turn)s changed the game most: the judge, a program, gave you a chance of %(before)s to win "
        "before it, and of %(after)s after it."
    )
    theirs = gettext_noop(
        "Turn %(turn)s changed the game most: the judge, a program, gave %(name)s a chance of %(before)s to "
        "win before it, and of %(after)s after it."
    )
    before, after = format_chance(swing.before), format_chance(swing.after)
    return phrases.gettext_for_seat(
        view.table, swing.seat, view.me, mine, theirs, turn=swing.turn, before=before, after=after
    )


def format_chance(chance: float) -> str:
    """Format a chance as a percentage; only a certain result is 0% or 100%."""
    shown = round(100 * chance)
    if 0 < chance < 1:
        shown = min(99, max(1, shown))
    return gettext("%(percent)s%%", percent=shown)


def describe_costliest(verdict: Verdict, view: View) -> str:
    number, better = round_cost(verdict), summarize_turn(verdict.best, view.table.board)
    if number > MOST_POINTS:
        return gettext(
            "The turn that cost you most: turn %(turn)s. Much better, the judge thinks: %(better)s.",
            turn=verdict.turn,
            better=better,
        )
    return ngettext(
        "The turn that cost you most: turn %(turn)s, about %(number)s point. Better, the judge thinks: "
        "%(better)s.",
        "The turn that cost you most: turn %(turn)s, about %(number)s points. Better, the judge thinks: "
        "%(better)s.",
        number,
        turn=verdict.turn,
        better=better,
    )


def describe_cost(verdict: Verdict, board: Board) -> str:
    if not verdict.best:
        return gettext("The judge had no time for it.")
    number = round_cost(verdict)
    if not number:
        return gettext("The judge knows nothing better.")
    better = summarize_turn(verdict.best, board)
    if number > MOST_POINTS:
        return gettext("Much better: %(better)s.", better=better)
    return ngettext(
        "It cost about %(number)s point. Better: %(better)s.",
        "It cost about %(number)s points. Better: %(better)s.",
        number,
        better=better,
    )


def round_cost(verdict: Verdict) -> int:
    return int(verdict.cost + 0.5)


def summarize_turn(actions: Sequence[Action], board: Board) -> str:
    return phrases.format_list(_describe_actions(actions, board))


def _describe_actions(actions: Sequence[Action], board: Board) -> Iterator[str]:
    card: Choose | Play | None = None
    for kind, group in groupby(actions, type):
        alike = list(group)
        if kind is Draw:
            yield ngettext("a card from the supply", "%(number)s cards from the supply", len(alike))
        elif kind is Take:
            cards = Bag.of(one.card for one in alike if isinstance(one, Take))
            yield gettext("%(cards)s from the display", cards=phrases.format_cards(cards))
        else:
            for action in alike:
                if isinstance(action, Choose | Play):
                    card = action
                elif words := _describe_action(action, card, board):
                    yield words


def _describe_action(action: Action, card: Choose | Play | None, board: Board) -> str:
    match action:
        case March(target, path):
            return _march(card, gettext("%(place)s (%(corner)s)", place=board.names[target], corner=path[-1]))
        case Stay():
            return gettext("no march")
        case Occupy(guards):
            where = _list_places(guards, board)
            return ngettext("a guard on %(places)s", "guards on %(places)s", len(guards), places=where)
        case TakeOver(guards):
            where = _list_places(guards, board)
            return ngettext(
                "a takeover with a guard on %(places)s",
                "a takeover with guards on %(places)s",
                len(guards),
                places=where,
            )
        case Levy(symbol):
            return gettext("a levy with %(card)s", card=phrases.a_card(symbol))
        case Recall(place):
            return gettext("the guard on %(place)s back in the supply", place=board.names[place])
        case _:
            return ""


def _list_places(places: Sequence[Space], board: Board) -> str:
    return phrases.format_list(board.names[place] for place in places)


def _march(card: Choose | Play | None, goal: str) -> str:
    if card is None:
        return gettext("a march to %(goal)s", goal=goal)
    if isinstance(card, Play):
        return gettext("%(card)s out of the hand to %(goal)s", card=phrases.a_card(card.card), goal=goal)
    return gettext("%(card)s to %(goal)s", card=phrases.the_card(card.card), goal=goal)


WIDTH, HEIGHT = 608, 260
ZOOM = 1.5
LEFT, RIGHT, TOP, FOOT = 48, 424, 34, 220
"""Edges of the area in which the lines are drawn, in SVG units."""
LINE_GAP = 4.5
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


def draw_line_ends(ends: Sequence[tuple[int, float, str]], names: Sequence[str]) -> Iterator[str]:
    """Draw mark, name and figure at the end of each line; `ends`: seat, y and figure, which may be empty."""
    places = _spread_places([y for _, y, _ in ends], 31, TOP - 8, FOOT + 2)
    x, figures = RIGHT + 30, [f" {figure}".rstrip() for _, _, figure in ends]
    rooms = [(WIDTH - x - 20) / 20 - palette.estimate_width(figure) for figure in figures]
    shown = palette.fit_names([names[seat] for seat, _, _ in ends], rooms)
    yield '<g class="ends" font-size="20">'
    for (seat, end, _), y, name, figure in zip(ends, places, shown, figures, strict=True):
        colour, letter = palette.SEAT_COLOURS[seat], escape(palette.initial_of(names[seat], seat))
        yield (
            f'<path d="M{RIGHT} {end:.1f}L{x - 12} {y:.1f}" stroke="{colour}" stroke-width="1.5"/>'
            f'<g transform="translate({x} {y:.1f})" fill="{colour}">{GUARD_OUTLINES[seat]}'
            f'<text y="{LETTER_DROPS[seat]}" font-size="14" text-anchor="middle" fill="#fff">{letter}</text>'
            f'<text x="17" y="7">{escape(name)}{figure}</text></g>'
        )
    yield "</g>"


def _spread_places(wanted: list[float], gap: float, least: float, most: float) -> list[float]:
    found: list[float] = []
    for place in wanted:
        found.append(max(place, found[-1] + gap if found else least))
    for number in reversed(range(len(found))):
        found[number] = min(found[number], most - gap * (len(found) - 1 - number))
    return found


GUIDES = (0, 50, 100)


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
            *draw_line_ends([(line.seat, line.end, "") for line in reversed(lines)], names),
        ),
    )


class _ChanceLine:
    """The line of one seat, shifted up or down so that it covers no other line."""

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


BREAK_HEIGHT = 28  # height of the gap in the axis, drawn if no score comes near the winning score
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
    ends = [(line.seat, line.end, str(line.points[-1])) for line in reversed(lines)]
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
    ceiling: float
    goal: float
    """The y of the winning score: true to scale, or at the top if it is far away."""

    def y_of_points(self, points: float) -> float:
        return FOOT - (FOOT - self.ceiling) * points / self.most

    def y_beside_points(self, points: int, far: float) -> float:
        y = self.y_of_points(points) + far
        return max(y, self.goal + LINE_GAP) if points < self.winning else min(y, self.goal)


def _fit_scale(record: GameStatistics, winning: int) -> _Scale:
    best = max(record.scores[-1]) if record.scores else 0
    if 2 * best >= winning:
        most = max(best, winning)
        return _Scale(len(record.scores), winning, most, TOP, FOOT - (FOOT - TOP) * winning / most)
    return _Scale(len(record.scores), winning, max(best, 10), TOP + BREAK_HEIGHT, TOP)


class _ScoreLine:
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


def describe_scores(record: GameStatistics, names: Sequence[str], line: str) -> str:
    """List the points after every few turns, wrapped at 78 characters. `line`: template of a turn's text."""
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
    leaders: tuple[int, ...]
    since: int
    """Number of the turn since which the present leaders have led; at least 1."""


def summarize_scores(record: GameStatistics) -> ScoreSummary | None:
    """Summarise the chart of a game; None before the end of the first turn."""
    if not record.scores:
        return None
    best = [tuple(seat for seat, one in enumerate(now) if one == max(now)) for now in record.scores]
    since = len(best)
    while since > 1 and best[since - 2] == best[-1]:
        since -= 1
    standing = sorted(enumerate(record.scores[-1]), key=lambda one: -one[1])
    return ScoreSummary(len(best), tuple(standing), best[-1], since)
