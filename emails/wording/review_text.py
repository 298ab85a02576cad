"""The review of a finished game: statistics, the origin of points, turning points, the cost of turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from emails.i18n import gettext, gettext_noop, ngettext
from emails.names import SeatNames, name_seats_in_turn
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
    """The march of the most sides; the first of several."""

    seat: int
    turn: int
    path: tuple[Point, ...]
    sides: int
    walls: int
    """Walls laid, black and red."""


@dataclass(frozen=True, slots=True)
class BestLevy:
    """The levy that brought its player the most points; the first of several."""

    seat: int
    turn: int
    card: Symbol
    gain: int


@dataclass(frozen=True, slots=True)
class GameStatistics:
    """The course of a game; turns are counted from 1."""

    scores: tuple[tuple[int, ...], ...]
    """The points of each seat after each turn, including the last."""
    longest: LongestMarch | None = None
    best: BestLevy | None = None


def compile_statistics(told: Sequence[VisibleEvent]) -> GameStatistics:
    """Compile statistics from all events of a game; raise `ValueError` if the first deals no cards."""
    first = told[0] if told else None
    if not isinstance(first, GameStarted | GameStartedVeiled):
        raise ValueError("a record is made from the whole game, from its start on")
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
MOST_POINTS = 25
"""The largest cost that is stated; larger values stand for a game won or lost."""
LEAST_COST = 0.5
"""The least cost that is stated, in points; it is rounded to one."""


def summarize_review(
    review: Review, found: Sequence[Harvest], view: View, turn_names: Sequence[SeatNames] = ()
) -> list[str]:
    """Return sentences: the winners' points, the turning point, the reader's costliest turn."""
    table = view.table
    lines = [describe_origins(found, seat, view) for seat in table.winners or ()]
    if (swing := largest_swing(review)) is not None:
        lines.append(describe_swing(swing, name_seats_in_turn(view, turn_names, swing.turn)))
    verdicts = (one.verdict for one in review.turns)
    played = (one for one in verdicts if one.seat == name_seats_in_turn(view, turn_names, one.turn).me)
    own = largest_swings(played, 1)
    lines += [describe_costliest(one, view) for one in own if one.cost >= LEAST_COST]
    return [line for line in lines if line]


# --- the points -----------------------------------------------------------------------------------------


def describe_origins(found: Iterable[Harvest], seat: int, view: View) -> str:
    """Describe where the points of a seat came from; empty if it has none."""
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


# --- the chances ----------------------------------------------------------------------------------------


def describe_swing(swing: Swing, view: View) -> str:
    """Describe the turn in which a seat's chance rose most."""
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
    """Format a chance in hundredths; only certainty is 0 or 100."""
    shown = round(100 * chance)
    if 0 < chance < 1:
        shown = min(99, max(1, shown))
    return gettext("%(percent)s%%", percent=shown)


# --- what turns cost ------------------------------------------------------------------------------------


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
