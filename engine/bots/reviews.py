"""After the end: what each turn cost against the best that its player could know, and whence points came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from statistics import fmean, stdev

from engine.actions import Action, Choose, Draw, End, Take
from engine.board import Space
from engine.bots.judge import STEADY, Judge
from engine.bots.strengths import compare_turns, rank_turns
from engine.bots.turns import Turn
from engine.cards import ONE
from engine.event_log import action_of
from engine.events import (
    CardOpened,
    Event,
    GameClosed,
    GameEnded,
    GameStarted,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
    TurnSkipped,
)
from engine.position import Phase, Position, View, view
from engine.provinces import provinces

REVIEW_BREADTHS = (8, 4)
"""How many turns are tried in each world for a review, beside the one that was played."""
COMPARED_WORLDS = 8
"""Worlds in which the best turn is then held against the one that was played."""
BREADTH = 30.0
"""Points of lead with which winning is e times as likely as losing."""

Steps = Iterable[tuple[Position, Event]]
"""The facts of a game after its deal, each with the position before it."""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn as it was played."""

    known: View
    """What its player knew when it began."""
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge thinks of a turn."""

    turn: int
    seat: int
    played: tuple[Action, ...]
    best: tuple[Action, ...]
    cost: float
    """The points by which the best turn was better, by what its player could know; 0 for the best."""


@dataclass(frozen=True, slots=True)
class ReviewedTurn:
    """A turn, what the judge thinks of it, and how likely each seat was to win after it."""

    verdict: Verdict
    """One that knows of no best turn where the judge has not thought of it."""
    chances: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """What the judge thinks of a game that is over, turn by turn."""

    chances: tuple[float, ...]
    """How likely each seat was to win before the first turn."""
    turns: tuple[ReviewedTurn, ...]


@dataclass(frozen=True, slots=True)
class Swing:
    """The turn in which the chances of a seat rose most."""

    turn: int
    seat: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Harvest:
    """What one province scored in one levy."""

    turn: int
    seat: int
    place: Space
    """Where its guard stood."""
    value: int


def played_turns(steps: Steps) -> Iterator[PlayedTurn]:
    """The turns of a game that are done."""
    begun: View | None = None
    actions: list[Action] = []
    for now, event in steps:
        if isinstance(event, GameStarted | CardOpened | SupplyRenewed | GameClosed | TurnSkipped):
            continue
        if begun is None and now.table.phase is Phase.CARD:
            begun = view(now, now.table.seat)
        if not isinstance(event, TurnEnded | GameEnded):
            actions.append(action_of(event))
        elif begun is not None and actions:
            yield PlayedTurn(begun, tuple(actions))
        if isinstance(event, TurnEnded | GameEnded):
            begun, actions = None, []


def review(steps: Steps, breadths: Sequence[int] = REVIEW_BREADTHS) -> Iterator[Verdict]:
    """What each turn of a game cost against the best, lazily."""
    return (review_turn(one, breadths) for one in played_turns(steps))


def review_turn(one: PlayedTurn, breadths: Sequence[int] = REVIEW_BREADTHS) -> Verdict:
    """What a turn cost against the best: both are played on in worlds in which neither was chosen.

    In those in which it was chosen the best has had luck too. A difference that the worlds do not agree
    about, smaller than its standard error, counts as none.
    """
    known, judge = one.known, Judge(one.known, STEADY)
    played = Turn(0.0, one.actions, judge.features_now(known))
    top = rank_turns(known, breadths, extra=(played,))[0]
    cost = 0.0
    if _without_end(top.actions) != _without_end(one.actions):
        gains = compare_turns(known, top, played, COMPARED_WORLDS)
        if fmean(gains) > stdev(gains) / sqrt(len(gains)):
            cost = fmean(gains)
    best = top.actions if cost else one.actions
    return Verdict(known.table.turn, known.my_seat, one.actions, best, cost)


def foreseen(known: View, actions: Sequence[Action]) -> tuple[Action, ...]:
    """What of a turn one could think of when it began: nothing behind a card drawn, or with one turned up."""
    display, is_drawn = known.table.display, False
    for number, action in enumerate(actions):
        is_new = isinstance(action, Take) and not display[action.card]
        if is_new or (is_drawn and not isinstance(action, Draw | End)):
            return tuple(actions[:number])
        if isinstance(action, Choose | Take):
            display -= ONE[action.card]
        is_drawn = is_drawn or isinstance(action, Draw)
    return tuple(actions)


def _without_end(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    return tuple(action for action in actions if not isinstance(action, End))


def largest_swings(verdicts: Iterable[Verdict], number: int) -> tuple[Verdict, ...]:
    """The turns that cost most, the dearest first."""
    return tuple(sorted((one for one in verdicts if one.cost), key=lambda one: -one.cost)[:number])


def largest_swing(review: Review) -> Swing | None:
    """The turn that has raised somebody's chances most, of several as good the first; None where none has.

    The last turn counts only for who was not in front before it: it makes anybody's chances certain.
    """
    before, found = review.chances, None
    for one in review.turns:
        for seat, (was, now) in enumerate(zip(before, one.chances, strict=True)):
            if one is review.turns[-1] and was == max(before):
                continue
            if now - was > (found.after - found.before if found else 0):
                found = Swing(one.verdict.turn, seat, was, now)
        before = one.chances
    return found


def harvests(steps: Steps) -> Iterator[Harvest]:
    """Where points came from: each province that scored, levy by levy."""
    for now, event in steps:
        if isinstance(event, TaxesLevied):
            for province in provinces(now.table):
                if province.holder is not None and province.scores:
                    yield Harvest(now.table.turn, province.holder, province.guards[0], province.scores)


def chances(position: Position) -> tuple[float, ...]:
    """How likely each seat is to win, by all that is true; for pages that show a game that is over."""
    table, seats = position.table, range(len(position.hands))
    if table.winners is not None:
        return tuple((seat in table.winners) / len(table.winners) for seat in seats)
    worths = []
    for seat in seats:
        known = view(position, seat)
        judge = Judge(known, STEADY)
        worths.append(judge.worth(judge.features_now(known)))
    weights = [exp((worth - max(worths)) / BREADTH) for worth in worths]
    return tuple(weight / sum(weights) for weight in weights)
