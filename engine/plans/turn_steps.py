"""The steps of a turn in their order: a card, a march, actions. A plan that says another is never legal."""

from __future__ import annotations

from dataclasses import replace

from engine.actions import Unreadable
from engine.notation.canonical_text import Verb
from engine.notation.orders import Order
from engine.plans.turn_plans import Alternative, TurnPlan

STEPS = {None: 0, Verb.CHOOSE: 0, Verb.PLAY: 0, Verb.MARCH: 1, Verb.STAY: 1}
"""Those that are done once in a turn, by the verbs of their orders; a card alone has none."""
LAST_STEP = 2


def check_steps(plan: TurnPlan) -> None:
    """Refuse a plan in which a turn has its steps in another order. Raises `Unreadable`."""
    if put_in_order(plan) != plan:
        raise _refuse()


def put_in_order(plan: TurnPlan) -> TurnPlan:
    """A plan with the steps of each turn in their order. Raises `Unreadable`: one is there twice, or no card.

    "horse; march Memphis; occupy, else draw" tells another last step rather than another turn.
    """
    arranged = tuple(map(_arrange, plan.alternatives))
    firsts = [one.orders[0] for one in arranged]
    if any(_step_of(one) == 0 for one in firsts) and any(_step_of(one) == LAST_STEP for one in firsts):
        raise _refuse()
    return TurnPlan(arranged)


def _arrange(one: Alternative) -> Alternative:
    first, *others = one.orders
    marches = any(order.verb == Verb.MARCH for order in others)
    if first.verb == Verb.TAKE and marches:  # "take the horse, march Memphis" says the card of the turn
        one = replace(one, orders=(replace(first, verb=None), *others))
    steps = [_step_of(order) for order in one.orders]
    if any(steps.count(step) > 1 for step in STEPS.values()):
        raise _refuse()
    return replace(one, orders=tuple(sorted(one.orders, key=_step_of)))


def _step_of(order: Order) -> int:
    return STEPS.get(order.verb, LAST_STEP)


def _refuse() -> Unreadable:
    return Unreadable("a turn is one card, one march and then actions: write them in this order")
