"""Which alternative of a plan is played: the first whose guards hold and which is legal; or why none is."""

from __future__ import annotations

from dataclasses import dataclass

from engine.actions import Action, ActionRefused, Ambiguous, Unreadable
from engine.notation.orders import Order
from engine.plans.guard_failures import GuardFailure, find_failures
from engine.plans.rehearsal import OrderRefused, foresee_turn, rehearse, suppose_guards
from engine.plans.turn_plans import TurnPlan
from engine.position import Table, View


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """What is played of a plan."""

    number: int
    """Of the alternative, from 1."""
    actions: tuple[Action, ...]
    """Up to the first card drawn."""
    beyond: tuple[Order, ...]
    """What follows it, as far as it can be done then."""


@dataclass(frozen=True, slots=True)
class RejectedAlternative:
    """Why an alternative is not played: guards that do not hold, or an order that cannot be done."""

    number: int
    failures: tuple[GuardFailure, ...] = ()
    order: Order | None = None
    refusal: ActionRefused | None = None


def choose_alternative(
    plan: TurnPlan, known: View, before: Table
) -> PlannedTurn | tuple[RejectedAlternative, ...]:
    """What of a plan is played in its player's turn, which has not begun; else why nothing is.

    `before` is the table as the plan was made on it.
    """
    misfits = []
    for number, one in enumerate(plan.alternatives, 1):
        failures = find_failures(one, known.table, before)
        if failures:
            misfits.append(RejectedAlternative(number, failures))
            continue
        try:
            return PlannedTurn(number, rehearse(known, one.until_reveal), one.beyond)
        except OrderRefused as refused:
            misfits.append(RejectedAlternative(number, order=refused.order, refusal=refused.refusal))
    return tuple(misfits)


def find_open_question(plan: TurnPlan, known: View) -> RejectedAlternative | None:
    """The first order that leaves open what is meant, as the game stands now; None where none does."""
    for number, one in enumerate(plan.alternatives, 1):
        try:
            rehearse(suppose_guards(one, foresee_turn(known)), one.until_reveal)
        except OrderRefused as refused:
            if isinstance(refused.refusal, Ambiguous | Unreadable):
                return RejectedAlternative(number, order=refused.order, refusal=refused.refusal)
    return None
