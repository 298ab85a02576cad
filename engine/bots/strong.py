"""*Strong* plays Steady's best turns on, in worlds dealt at random, and does the one that turns out best.

Many turns are tried in one world, the best of them in more.
Its budget counts worlds and not seconds, and its dice fall by the view alone: the same view gives the same
turn anywhere, and asking twice gains nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from engine.actions import End, Illegal, March
from engine.bots.judge import Judge
from engine.bots.turns import Turn, best_turns
from engine.bots.weights import STEADY, Weights
from engine.bots.worlds import Dice, deal_world, dice_of, fall_in
from engine.cards import Chance
from engine.position import Phase, Position, View
from engine.rules import play_out
from engine.views import view

BREADTHS: Mapping[int, Sequence[int]] = {2: (20, 8, 4, 4), 3: (16, 6, 3, 3), 4: (12, 5, 3, 3)}
"""How many turns are tried in each world: at first many, then those that did best so far.

The more players there are, the longer it takes to play a turn on, and the fewer are tried.
"""
WITHIN = 25.0
"""Points that a turn may be behind the best by the judge, to be tried."""
PLANNED = 4
"""Marches of which the actions are worked out in the turns that are played on."""
VARIANTS = 2
"""Turns with the same march that are tried."""


def rank_turns(
    known: View, breadths: Sequence[int], weights: Weights = STEADY, extra: Sequence[Turn] = ()
) -> list[Turn]:
    """The best of all turns from here by trial, and `extra` ones: see `try_turns`."""
    chosen = choose_candidates(best_turns(known, weights), breadths[0])
    return try_turns(known, chosen, breadths, weights, extra)


def try_turns(
    known: View,
    chosen: Sequence[Turn],
    breadths: Sequence[int],
    weights: Weights = STEADY,
    extra: Sequence[Turn] = (),
    planned: int = PLANNED,
) -> list[Turn]:
    """The turns that were tried in every world, with what they are worth once played on, the best first.

    `extra` ones are tried in every world whatever they do. `planned`: see `PLANNED`.
    """
    turns = [*chosen, *extra]
    if len(turns) == 1:
        return turns
    dice, own, totals = dice_of(known), len(turns) - len(extra), [0.0] * len(turns)
    going = list(range(len(turns)))
    for breadth in breadths:
        ahead = sorted(going[: len(going) - len(extra)], key=lambda number: -totals[number])
        going = [*ahead[:breadth], *range(own, len(turns))]
        position, order = deal_world(known, dice)
        seed = dice.throw(1 << 60)
        for number in going:
            chance = fall_in(order, Dice(seed))
            totals[number] += _play_on(position, turns[number], chance, weights, planned)
    ranked = [replace(turns[number], worth=totals[number] / len(breadths)) for number in going]
    return sorted(ranked, key=lambda turn: -turn.worth)


def compare_turns(
    known: View, one: Turn, other: Turn, worlds: int, weights: Weights = STEADY
) -> tuple[float, ...]:
    """By how much one turn did better than another, in each of so many worlds in which neither was chosen."""
    dice, found = dice_of(known, "compared"), list[float]()
    for _ in range(worlds):
        position, order = deal_world(known, dice)
        seed = dice.throw(1 << 60)
        mine, others = (
            _play_on(position, turn, fall_in(order, Dice(seed)), weights) for turn in (one, other)
        )
        found.append(mine - others)
    return tuple(found)


def plan_strongly(known: View, breadths: Sequence[int] = (), weights: Weights = STEADY) -> Turn:
    """The best turn from here; it holds until a card is revealed."""
    return rank_turns(known, breadths or BREADTHS[len(known.hand_sizes)], weights)[0]


def choose_candidates(turns: list[Turn], most: int) -> list[Turn]:
    """The best turns, of those with one march only a few."""
    found: list[Turn] = []
    marches: dict[March | None, int] = {}
    for turn in turns:
        march = next((action for action in turn.actions if isinstance(action, March)), None)
        marches[march] = marches.get(march, 0) + 1
        if turn.worth < turns[0].worth - WITHIN or len(found) == most:
            break
        if march is None or marches[march] <= VARIANTS:
            found.append(turn)
    return found


def _play_on(now: Position, turn: Turn, chance: Chance, weights: Weights, planned: int = PLANNED) -> float:
    """What a turn is worth in one world once everybody has had a turn after it."""
    me = now.table.seat
    now = _play_turn(now, turn, chance)
    for _ in now.hands:
        if now.table.over:
            break
        known = view(now, now.table.seat)
        now = _play_turn(now, best_turns(known, weights, planned)[0], chance)
    known = view(now, me)
    judge = Judge(known, weights)
    return judge.worth(judge.features_now(known))


def _play_turn(now: Position, turn: Turn, chance: Chance) -> Position:
    seat, number = now.table.seat, now.table.turn
    for action in turn.actions:
        if now.table.over or now.table.turn != number:
            break
        with suppress(Illegal):  # a turn that was played may have rested on a card that another world lacks
            _, now = play_out(now, seat, action, chance)
    while not now.table.over and now.table.turn == number and now.table.phase is Phase.ACTIONS:
        _, now = play_out(now, seat, End(), chance)
    return now
