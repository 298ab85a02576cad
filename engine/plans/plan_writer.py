"""A plan as text, in the words of a language; what is written is read as the same plan (plan_reader.py)."""

from __future__ import annotations

from typing import assert_never

from engine.board import Board
from engine.notation.canonical_text import write
from engine.notation.orders import Order
from engine.notation.parser import spell_out
from engine.notation.vocabulary import translate_orders
from engine.plans.plan_choice import PlannedTurn
from engine.plans.plan_words import PlanWords
from engine.plans.turn_plans import (
    UNCHANGED,
    AlexanderAt,
    Alternative,
    CardMissing,
    CardOpen,
    Guard,
    NobodyAbove,
    PlayerNotAbove,
    ProvinceFree,
    TurnPlan,
    Unchanged,
)


def write_plan(plan: TurnPlan, board: Board, words: PlanWords) -> str:
    """A plan in one line, without its heading."""
    alternatives = [_write_alternative(one, board, words) for one in plan.alternatives]
    first, *others = alternatives
    return ". ".join([first, *(f"{words.otherwise[0]}{_colon(one)}{one}" for one in others)])


def _colon(alternative: str) -> str:
    """What stands between "otherwise" and what follows it."""
    return " " if ": " in alternative else ": "


def _write_alternative(one: Alternative, board: Board, words: PlanWords) -> str:
    orders = write_orders(one, board, words)
    if one.guards == (UNCHANGED,):
        return orders
    if not one.guards:
        return f"{words.always[0]}: {orders}"
    guards = f" {words.also[0]} ".join(write_guard(guard, board, words) for guard in one.guards)
    return f"{words.condition[0]} {guards}: {orders}"


def write_guard(guard: Guard, board: Board, words: PlanWords) -> str:
    """What a guard asks for."""
    match guard:
        case CardOpen(card):
            return words.open_cards[card]
        case CardMissing(card):
            return words.missing[0].replace("*", words.orders.name_card(card))
        case ProvinceFree(place):
            return words.free[0].replace("*", board.names[place])
        case AlexanderAt(point):
            return words.corner[0].replace("*", str(point))
        case NobodyAbove(points):
            return words.points[0].replace("*", str(points))
        case PlayerNotAbove(name, points):
            return words.player[0].replace("*", name.title(), 1).replace("*", str(points))
        case Unchanged():
            return words.unchanged[0]
        case _:
            assert_never(guard)


def write_orders(one: Alternative, board: Board, words: PlanWords) -> str:
    """The orders of an alternative."""
    before = [write_order(order, board, words) for order in one.until_reveal]
    after = [f"{words.then[0]} {write_order(order, board, words)}" for order in one.beyond]
    return "; ".join([*before, *after])


def write_turn(turn: PlannedTurn, board: Board, words: PlanWords) -> str:
    """What is played of a plan: its actions in full, and the orders beyond the first card drawn."""
    actions = [translate_orders(write(action, board), words.orders) for action in turn.actions]
    after = [f"{words.then[0]} {write_order(order, board, words)}" for order in turn.beyond]
    return "; ".join([*actions, *after])


def write_order(order: Order, board: Board, words: PlanWords) -> str:
    """One order, in full words."""
    if order.verb is None:
        return words.orders.name_card(order.symbols[0])
    return translate_orders(spell_out(order, board), words.orders)
