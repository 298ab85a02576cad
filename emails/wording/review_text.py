"""The review of a finished game in words: statistics, charts, the sources of points, the cost of turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count, groupby, pairwise

from emails.i18n import gettext, gettext_noop, ngettext
from emails.names import SeatNames, name_seats_in_turn
from emails.picture import palette
from emails.picture.layers import FONT, GUARD_OUTLINES, LETTER_DROPS
from emails.wording import phrases
from emails.wording.texts import say
from engine.actions import Action, Choose, Draw, Levy, March, Occupy, Play, Recall, Stay, Take, TakeOver
from engine.board import Board, Space
from engine.bots.reviews import Harvest, Review, Swing, Verdict, largest_swing, largest_swings
from engine.cards import Bag
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
class GameStatistics:
    """The course of a game; turns are counted from 1."""

    scores: tuple[tuple[int, ...], ...]
    """For each turn, the points by seat after the turn."""
    longest: tuple[int, AlexanderMarched] | None = None
    """The turn of the march along the most sides, and the march; among equals the earliest."""
    best: tuple[int, TaxesLevied] | None = None
    """The turn of the levy with the most points for its player, and the levy; among equals the earliest."""


def compile_statistics(told: Sequence[VisibleEvent]) -> GameStatistics:
    """Compile statistics from all events of a game; raises `ValueError` if the first event is not a deal."""
    first = told[0] if told else None
    if not isinstance(first, GameStarted | GameStartedVeiled):
        raise ValueError("statistics need all events of a game, the deal first")
    now, most = (0,) * len(first.seats), 0
    scores: list[tuple[int, ...]] = []
    longest: tuple[int, AlexanderMarched] | None = None
    best: tuple[int, TaxesLevied] | None = None
    for fact in told:
        turn = len(scores) + 1
        match fact:
            case AlexanderMarched():
                if longest is None or len(fact.path) > len(longest[1].path):
                    longest = turn, fact
            case TaxesLevied(seat, _, gains):
                now = tuple(score + gain for score, gain in zip(now, gains, strict=True))
                if gains[seat] > most:
                    most, best = gains[seat], (turn, fact)
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
    lines += [describe_costliest(one, table.board) for one in own if one.cost >= LEAST_COST]
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
    return phrases.gettext_for_seat(view, seat, mine, theirs, parts=phrases.format_list(parts))


def describe_levy(found: Sequence[Harvest], view: View) -> str:
    parts = []
    for seat, group in groupby(sorted(found, key=lambda one: one.seat), key=lambda one: one.seat):
        own = list(group)
        places = ", ".join(f"{view.table.board.names[one.place]} {one.value}" for one in own)
        name = phrases.name_or_you(view, seat)
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
        view, swing.seat, mine, theirs, turn=swing.turn, before=before, after=after
    )


def format_chance(chance: float) -> str:
    """Format a chance as a percentage; only a certain result is 0% or 100%."""
    shown = round(100 * chance)
    if 0 < chance < 1:
        shown = min(99, max(1, shown))
    return gettext("%(percent)s%%", percent=shown)


def describe_costliest(verdict: Verdict, board: Board) -> str:
    number, better = round_cost(verdict), summarize_turn(verdict.best, board)
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
            continue
        if kind is Take:
            cards = Bag.of(one.card for one in alike if isinstance(one, Take))
            yield gettext("%(cards)s from the display", cards=phrases.format_cards(cards))
            continue
        for action in alike:
            match action:
                case Choose() | Play():
                    card = action
                case March():
                    yield _march(action, card, board)
                case Stay():
                    yield gettext("no march")
                case Occupy(guards):
                    where = _list_places(guards, board)
                    yield ngettext("a guard on %(places)s", "guards on %(places)s", len(guards), places=where)
                case TakeOver(guards):
                    yield ngettext(
                        "a takeover with a guard on %(places)s",
                        "a takeover with guards on %(places)s",
                        len(guards),
                        places=_list_places(guards, board),
                    )
                case Levy(symbol):
                    yield gettext("a levy with %(card)s", card=phrases.a_card(symbol))
                case Recall(place):
                    yield gettext("the guard on %(place)s back in the supply", place=board.names[place])
                case _:
                    pass


def _list_places(places: Sequence[Space], board: Board) -> str:
    return phrases.format_list(board.names[place] for place in places)


def _march(march: March, card: Choose | Play | None, board: Board) -> str:
    place, corner = board.names[march.target], march.path[-1]
    goal = gettext("%(place)s (%(corner)s)", place=place, corner=corner)
    if card is None:
        return gettext("a march to %(goal)s", goal=goal)
    if isinstance(card, Play):
        return gettext("%(card)s out of the hand to %(goal)s", card=phrases.a_card(card.card), goal=goal)
    return gettext("%(card)s to %(goal)s", card=phrases.the_card(card.card), goal=goal)


# --- charts ---------------------------------------------------------------------------------------------

WIDTH, HEIGHT = 608, 260
ZOOM = 1.5
LEFT, RIGHT, TOP, FOOT = 48, 424, 34, 220
"""Edges of the area in which the lines are drawn, in SVG units."""
LINE_GAP = 4.5
SEAT_DASHES = ("", "13 6", "0.1 8", "18 6 0.1 6")
MAX_TICKS = 8
GUIDES = (0, 50, 100)
BREAK_HEIGHT = 28  # height of the gap in the axis, drawn if no score comes near the winning score


@dataclass(frozen=True, slots=True)
class _Line:
    """The line of one seat, shifted up or down so that it covers no other line."""

    seat: int
    last: float
    """The last value, by which the names at the ends of the lines are sorted."""
    end: float
    path: str
    spots: Sequence[tuple[float, float]]
    figure: str = ""


def _draw_chart(
    name: str, axis: Iterable[str], turns: int, word: str, lines: list[_Line], names: Sequence[str]
) -> str:
    lines.sort(key=lambda line: (line.last, -line.seat))
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" role="img" width="{WIDTH * ZOOM:.0f}" '
        f'height="{HEIGHT * ZOOM:.0f}" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{FONT}" '
        f'font-weight="700"><rect width="{WIDTH}" height="{HEIGHT}" fill="{palette.PAPER}"/>',
        *axis,
        *_draw_turns_axis(turns, escape(word)),
        *map(_draw_line, lines),
        *map(_draw_marks, lines),
        *_draw_line_ends(lines[::-1], names),
        "</svg>",
    )
    return "".join(drawn)


def _x_of_turn(turn: float, turns: int) -> float:
    return LEFT + (RIGHT - LEFT) * turn / max(1, turns)


def _draw_turns_axis(turns: int, word: str) -> Iterator[str]:
    step = next(step for step in _round_steps() if turns <= step * MAX_TICKS)
    yield f'<g font-size="17" text-anchor="middle" fill="{palette.FAINT_INK}">'
    for turn in range(step, turns + 1, step):
        x = _x_of_turn(turn, turns)
        yield f'<path d="M{x:.1f} {FOOT + 9}v5" stroke="{palette.FAINT_INK}" stroke-width="1.5"/>'
        yield f'<text x="{x:.1f}" y="{FOOT + 30}">{turn}</text>'
    yield f'<text x="{RIGHT + 22}" y="{FOOT + 30}" text-anchor="start">{word}</text></g>'


def _round_steps() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20 and so on."""
    return (step * 10**power for power in count() for step in (1, 2, 5))


def _draw_line(line: _Line) -> str:
    seat, path = line.seat, line.path
    dashed = f' stroke-dasharray="{SEAT_DASHES[seat]}"' if SEAT_DASHES[seat] else ""
    return (
        '<g fill="none" stroke-linejoin="round" stroke-linecap="round">'
        f'<path stroke="{palette.PAPER}" stroke-width="6" d="{path}"/>'
        f'<path data-seat="{seat}" stroke="{palette.SEAT_COLOURS[seat]}" stroke-width="4" '
        f'd="{path}"{dashed}/></g>'
    )


def _draw_marks(line: _Line) -> str:
    mark = f'scale(.62)">{GUARD_OUTLINES[line.seat]}</g>'
    placed = "".join(f'<g transform="translate({x:.1f} {y:.1f}) {mark}' for x, y in line.spots)
    colour = palette.SEAT_COLOURS[line.seat]
    return f'<g fill="{colour}" stroke="{palette.PAPER}" stroke-width="3">{placed}</g>'


def _draw_line_ends(lines: Sequence[_Line], names: Sequence[str]) -> Iterator[str]:
    """Draw mark, name and figure at the end of each line."""
    places = _spread_places([line.end for line in lines], 31, TOP - 8, FOOT + 2)
    x, figures = RIGHT + 30, [f" {line.figure}".rstrip() for line in lines]
    rooms = [(WIDTH - x - 20) / 20 - palette.estimate_width(figure) for figure in figures]
    shown = palette.fit_names([names[line.seat] for line in lines], rooms)
    yield '<g class="ends" font-size="20">'
    for line, y, name, figure in zip(lines, places, shown, figures, strict=True):
        seat, colour = line.seat, palette.SEAT_COLOURS[line.seat]
        letter = escape(palette.initial_of(names[seat], seat))
        yield (
            f'<path d="M{RIGHT} {line.end:.1f}L{x - 12} {y:.1f}" stroke="{colour}" stroke-width="1.5"/>'
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


def draw_chance_chart(review: Review, names: Sequence[str], turns: str, chances: str) -> str:
    """Draw the chance of each seat after each turn as SVG; `turns` and `chances` label the axes."""
    course, seats = [review.chances, *(one.chances for one in review.turns)], len(names)
    lines, last = list[_Line](), len(review.turns)
    for seat, end in enumerate(course[-1]):
        aside = LINE_GAP * (seat - (seats - 1) / 2)
        heights = [_y_of_chance(now[seat]) + aside for now in course]
        spots = [(_x_of_turn(turn, last), y) for turn, y in enumerate(heights)]
        if not last:  # no turn was played
            spots.append((RIGHT, heights[0]))
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        marked = spots[(len(spots) - 1) * (seat + 1) // (seats + 1)]
        lines.append(_Line(seat, end, heights[-1], path, [marked]))
    return _draw_chart("scores chances", _draw_chances_axis(escape(chances)), last, turns, lines, names)


def _y_of_chance(chance: float) -> float:
    return FOOT - (FOOT - TOP) * chance


def _draw_chances_axis(word: str) -> Iterator[str]:
    yield f'<g font-size="17" text-anchor="end" fill="{palette.FAINT_INK}">'
    for guide in GUIDES:
        y = _y_of_chance(guide / 100)
        yield f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="{palette.GRID}"/>'
        yield f'<text x="{LEFT - 9}" y="{y + 5.5:.1f}">{guide}%</text>'
    yield f'<text x="8" y="17" text-anchor="start">{word}</text></g>'


def draw_score_chart(
    record: GameStatistics, names: Sequence[str], winning: int, turns: str, points: str
) -> str:
    """Draw the points of each seat after each turn as SVG; `turns` and `points` label the axes."""
    scale, last = _fit_scale(record, winning), len(record.scores)
    lines = list[_Line]()
    for seat in range(len(names)):
        scores, aside = [0, *(now[seat] for now in record.scores)], seat - (len(names) - 1) / 2
        heights = [scale.y_beside_points(score, LINE_GAP * aside) for score in scores]
        rises = [turn for turn, (was, now) in enumerate(pairwise(scores), 1) if now != was]
        spots = [(_x_of_turn(turn, last), heights[turn]) for turn in rises]
        path = f"M{LEFT} {heights[0]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in spots) + f"H{RIGHT}"
        marked = list(_thin_out(spots)) or [((LEFT + RIGHT) / 2 + 40 * aside, heights[-1])]
        lines.append(_Line(seat, scores[-1], heights[-1], path, marked, str(scores[-1])))
    return _draw_chart("scores", _draw_points_axis(scale, escape(points)), last, turns, lines, names)


@dataclass(frozen=True, slots=True)
class _Scale:
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
        return _Scale(winning, most, TOP, FOOT - (FOOT - TOP) * winning / most)
    return _Scale(winning, max(best, 10), TOP + BREAK_HEIGHT, TOP)


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


# --- scores in words ------------------------------------------------------------------------------------

MAX_LINES = 12
MAX_NAME_LENGTH = 30


def describe_scores(record: GameStatistics, names: Sequence[str], line: str) -> str:
    """List the points after every few turns, wrapped at 78 characters. `line`: template of a turn's text."""
    last = len(record.scores)
    step = next(step for step in _round_steps() if last <= step * (MAX_LINES - 1))
    shown = [*range(step, last, step), last] if last else []
    if len(shown) > 1 and shown[-1] - shown[-2] < step / 2:
        del shown[-2]
    short = [palette.clean_name(name, MAX_NAME_LENGTH) for name in names]
    found: list[str] = []
    for turn in shown:
        points = [f"{name} {score}" for name, score in zip(short, record.scores[turn - 1], strict=True)]
        head, *items = (line % {"turn": turn, "points": "\n" + ",\n".join(points)}).split("\n")
        found += phrases.wrap_items(head.rstrip(), items)
    return "\n".join(found)


def describe_chart(record: GameStatistics, view: View) -> str:
    """Describe the chart of a game: the last points, and since which turn the present leaders have led."""
    if not record.scores:
        return say("scores.chart")
    best = [tuple(seat for seat, one in enumerate(now) if one == max(now)) for now in record.scores]
    since = len(best)
    while since > 1 and best[since - 2] == best[-1]:
        since -= 1
    names = [phrases.name_or_you(view, seat) for seat in range(len(view.table.names))]
    ranked = sorted(enumerate(record.scores[-1]), key=lambda one: -one[1])
    standing = [f"{names[seat]} {points}" for seat, points in ranked]
    leaders = [names[seat] for seat in best[-1]]
    return say("scores.chart", turns=len(best), standing=standing, since=since, leaders=leaders)
