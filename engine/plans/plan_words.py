"""The words of plans, and a plan written in them; what is written is read as the same plan.

No language stands here. A phrase of a condition has `*` where its card or place stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from engine.board import Board
from engine.cards import Symbol
from engine.notation.lexer import OrderWords, translate_orders
from engine.notation.orders import Order, write
from engine.notation.parser import spell_out
from engine.plans.rehearsal import PlannedTurn
from engine.plans.turn_plans import Alternative, CardOpen, Condition, ProvinceFree, TurnPlan

PlanPhrases = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PlanWords:
    """The words of one language, by the keys of its plans.toml: the first of several is written."""

    orders: OrderWords
    heading: PlanPhrases
    condition: PlanPhrases
    otherwise: PlanPhrases
    also: PlanPhrases
    then: PlanPhrases
    card: PlanPhrases
    free: PlanPhrases
    small: frozenset[str]
    open_cards: Mapping[Symbol, str]


@dataclass(frozen=True)
class PlanVocabulary:
    """The words of some languages together."""

    languages: tuple[PlanWords, ...]

    def all_of(self, name: str) -> PlanPhrases:
        """The phrases of a kind in all of them, each once, the longest first."""
        found = dict.fromkeys(one for own in self.languages for one in getattr(own, name))
        return tuple(sorted(found, key=lambda one: -len(one)))

    @cached_property
    def small(self) -> frozenset[str]:
        """The words that say nothing in a condition."""
        articles = (own.orders.articles for own in self.languages)
        return frozenset[str]().union(*articles, *(own.small for own in self.languages))


def write_plan(plan: TurnPlan, board: Board, words: PlanWords) -> str:
    """A plan in one line, without its heading."""
    text = ""
    for one in plan.alternatives:
        if text:
            text += f". {words.otherwise[0]}{' ' if one.conditions else ': '}"
        text += _write_alternative(one, board, words)
    return text


def _write_alternative(one: Alternative, board: Board, words: PlanWords) -> str:
    orders = write_orders(one, board, words)
    if not one.conditions:
        return orders
    also = f" {words.also[0]} "
    conditions = also.join(_write_condition(each, board, words) for each in one.conditions)
    return f"{words.condition[0]} {conditions}: {orders}"


def _write_condition(condition: Condition, board: Board, words: PlanWords) -> str:
    """What a condition asks for."""
    match condition:
        case CardOpen(card):
            return words.open_cards[card]
        case ProvinceFree(place):
            return words.free[0].replace("*", board.names[place])
        case _:
            assert_never(condition)


def write_orders(one: Alternative, board: Board, words: PlanWords) -> str:
    """The orders of an alternative."""
    return "; ".join(write_order(order, board, words) for order in one.orders)


def write_turn(turn: PlannedTurn, board: Board, words: PlanWords) -> str:
    """What is played of a plan: its actions in full, and the orders beyond the first card drawn."""
    actions = [translate_orders(write(action, board), words.orders) for action in turn.actions]
    return "; ".join([*actions, *(write_order(order, board, words) for order in turn.beyond)])


def write_order(order: Order, board: Board, words: PlanWords) -> str:
    """One order, in full words."""
    if order.verb is None:
        return words.orders.name_card(order.symbols[0])
    return translate_orders(spell_out(order, board), words.orders)
