"""Review of a finished game: costs of turns, probabilities of winning, and points of provinces in levies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from statistics import fmean, stdev

from engine.actions import Action, Choose, Draw, End, Take
from engine.board import Space
from engine.bots.judge import Judge
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
"""Number of turns tried in each sample, in addition to the turn played."""
COMPARED_SAMPLES = 8
"""Number of fresh samples in which the best turn is compared with the turn played."""
POINTS_PER_LOG_ODD = 30.0

Steps = Iterable[tuple[Position, Event]]
"""Events of a game after the deal, each with the position before it."""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    known: View
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    turn: int
    seat: int
    played: tuple[Action, ...]
    best: tuple[Action, ...]
    cost: float
    """Points by which the judge rated the best turn higher, given the player's view; 0 if none was better."""


@dataclass(frozen=True, slots=True)
class ReviewedTurn:
    """The verdict on a turn, and each seat's probability of winning after the turn."""

    verdict: Verdict
    chances: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Review:
    chances: tuple[float, ...]
    turns: tuple[ReviewedTurn, ...]


@dataclass(frozen=True, slots=True)
class Swing:
    """The turn that raised a seat's probability of winning more than any other turn."""

    turn: int
    seat: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Harvest:
    """The points of one province in one levy."""

    turn: int
    seat: int
    place: Space
    value: int


def played_turns(steps: Steps) -> Iterator[PlayedTurn]:
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


def review_turn(one: PlayedTurn, breadths: Sequence[int] = REVIEW_BREADTHS) -> Verdict:
    """Return the cost of a turn compared with the best turn found.

    A search overrates the turn that it finds best. So new samples of the hidden cards compare that turn with
    the played turn. The cost is 0 if the mean difference is below its standard error.
    """
    known, judge = one.known, Judge(one.known)
    played = Turn(0.0, one.actions, judge.features_now(known))
    top = rank_turns(known, breadths, extra=(played,))[0]
    cost = 0.0
    if _without_end(top.actions) != _without_end(one.actions):
        gains = compare_turns(known, top, played, COMPARED_SAMPLES)
        if fmean(gains) > stdev(gains) / sqrt(len(gains)):
            cost = fmean(gains)
    best = top.actions if cost else one.actions
    return Verdict(known.table.turn, known.my_seat, one.actions, best, cost)


def foreseeable(known: View, actions: Sequence[Action]) -> tuple[Action, ...]:
    """Return the first actions of a turn, which the player could plan at its beginning.

    Stops before the first take of a card that came to the display during the turn. After a draw, stops before
    the first action that is neither a draw nor the end of the turn.
    """
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
    return tuple(sorted((one for one in verdicts if one.cost), key=lambda one: -one.cost)[:number])


def largest_swing(review: Review) -> Swing | None:
    """Return the first of the largest rises of a seat's probability of winning; None if there was no rise.

    In the last turn, a rise counts only for seats that did not have the highest probability before.
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
    for now, event in steps:
        if isinstance(event, TaxesLevied):
            for province in provinces(now.table):
                if province.holder is not None and province.scores:
                    yield Harvest(now.table.turn, province.holder, province.guards[0], province.scores)


def chances(position: Position) -> tuple[float, ...]:
    table, seats = position.table, range(len(position.hands))
    if table.winners is not None:
        return tuple((seat in table.winners) / len(table.winners) for seat in seats)
    worths = []
    for seat in seats:
        known = view(position, seat)
        judge = Judge(known)
        worths.append(judge.worth(judge.features_now(known)))
    weights = [exp((worth - max(worths)) / POINTS_PER_LOG_ODD) for worth in worths]
    return tuple(weight / sum(weights) for weight in weights)
