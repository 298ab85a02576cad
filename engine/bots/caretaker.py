"""The caretaker plays a good turn for an absent player that harms nobody's plans, that player's first."""

from __future__ import annotations

from engine.actions import Action, End, TakeOver
from engine.bots.judge import Judge, PositionFeatures
from engine.bots.quiet import stand_in
from engine.bots.turns import Turn, best_turns, until_reveal
from engine.bots.weights import STEADY
from engine.position import View

PLANNED = 36
"""Marches of which the actions are worked out: more than others do, as many harm somebody."""


def plan_gently(known: View) -> tuple[Action, ...]:
    """What the caretaker does next, up to the first card that is revealed."""
    if known.table.over:
        return (End(),)
    before = Judge(known, STEADY).features_now(known)
    for turn in best_turns(known, STEADY, PLANNED):
        if is_harmless(known, before, turn):
            return until_reveal(known, turn)
    return (stand_in(known),)


def is_harmless(known: View, before: PositionFeatures, turn: Turn) -> bool:
    """Whether a turn takes nothing from anybody, ends no game, and levies only for who gains most by it."""
    after: PositionFeatures = turn.after
    if after.over or after.last_turn > before.last_turn:
        return False
    if any(isinstance(action, TakeOver) for action in turn.actions):
        return False
    if after.levied and not before.levied and before.incomes[known.my_seat] < max(before.incomes):
        return False
    return all(now >= was for now, was in zip(after.incomes, before.incomes, strict=True))
