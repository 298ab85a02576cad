"""The syntax of plans: reads a plan with its conditions and orders, and writes one in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import assert_never

from engine.actions import Unreadable
from engine.board import Board
from engine.cards import Symbol
from engine.notation.lexer import OrderWords, Vocabulary, names_of, translate_orders
from engine.notation.orders import Order, Verb, write
from engine.notation.parser import parse, spell_out
from engine.plans.rehearsal import PlannedTurn
from engine.plans.turn_plans import (
    MOST_ALTERNATIVES,
    MOST_ORDERS,
    Alternative,
    CardOpen,
    Condition,
    ProvinceFree,
    TurnPlan,
)

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


LONGEST_PLAN = 1000
"""Characters."""
LONGEST_NAMED = 60
"""Of what a sentence repeats."""
MOST_ENDINGS = 12
"""Places at which a condition without a colon is tried to end."""
CARD, MARCH, LAST_STEP = range(3)
STEPS = {None: CARD, Verb.CHOOSE: CARD, Verb.PLAY: CARD, Verb.MARCH: MARCH, Verb.STAY: MARCH}
"""The steps that are done once in a turn, by the verbs of their orders; a card alone has none."""


@dataclass(frozen=True, slots=True, eq=False)
class _Patterns:
    """How a plan is taken apart, in some languages."""

    heading: re.Pattern[str]
    """With its colon; or before a condition, which has one."""
    otherwise: re.Pattern[str]
    """Where an alternative begins: behind its word, or at the condition of one that follows a full stop."""
    condition: re.Pattern[str]
    begun: re.Pattern[str]
    """A condition, with its colon or without."""
    also: re.Pattern[str]
    ending: re.Pattern[str]
    """Where a condition may end that has no colon, and an order that has no semicolon."""


@lru_cache(maxsize=64)
def _patterns_of(words: PlanVocabulary) -> _Patterns:
    def any_of(name: str) -> str:
        return "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in words.all_of(name)) or "(?!)"

    starts = rf"(?:{any_of('condition')})"
    patterns = (
        rf"\s*(?:{any_of('heading')})(?:\s*:\s*|\s*,?\s(?={starts}\b[^:]*:))",
        rf"(?:^|[.,;]\s*)(?:{any_of('otherwise')})\b\s*[:,]?\s*|\s(?:{any_of('otherwise')})\s*:\s*"
        rf"|[.;]\s*(?={starts}\b[^:]*:)",
        rf"{starts}\b\s*(?P<conditions>[^:]*):\s*",
        rf"{starts}\b",
        rf"\s*(?:,|\b(?:{any_of('also')})\b)+\s*",
        rf",\s*(?:(?:{any_of('also')})\s+)?(?:\b(?:{any_of('then')})\b[,:]?\s+)?"
        rf"|(?:^|\s)(?:(?:{any_of('also')})\s+)?(?:{any_of('then')})\b[,:]?\s*",
    )
    return _Patterns(*(re.compile(pattern, re.IGNORECASE) for pattern in patterns))


@dataclass(frozen=True, slots=True)
class PlanReader:
    """Reads plans on a board, in the words of some languages."""

    board: Board
    orders: Vocabulary
    words: PlanVocabulary

    @property
    def _patterns(self) -> _Patterns:
        return _patterns_of(self.words)

    def read(self, text: str) -> TurnPlan:
        """The plan that a text says, with its heading or without. Raises `Unreadable`."""
        text = " ".join(text.split())
        if heading := self._patterns.heading.match(text):
            text = text[heading.end() :]
        if len(text) > LONGEST_PLAN:
            raise Unreadable("the plan is too long: it may have %(most)s characters", most=LONGEST_PLAN)
        parts = [part for part in self._patterns.otherwise.split(text) if part.strip(" .;,")]
        if not parts:
            raise Unreadable("the plan says no turn: write it behind the colon")
        if len(parts) > MOST_ALTERNATIVES:
            raise Unreadable("a plan may have %(most)s turns to choose from", most=MOST_ALTERNATIVES)
        return TurnPlan(tuple(map(self._read_alternative, parts)))

    def _read_alternative(self, text: str) -> Alternative:
        text, patterns = text.strip(" .;,"), self._patterns
        if found := patterns.condition.match(text):
            conditions = self._read_conditions(found["conditions"])
            return Alternative(conditions, self._read_orders(text[found.end() :]))
        if found := patterns.begun.match(text):
            return self._read_unparted(text[found.end() :])
        return Alternative((), self._read_orders(text))

    def _read_unparted(self, text: str) -> Alternative:
        """A condition and its turn without a colon, where they can be parted in one way only."""
        found = list[Alternative]()
        for end in [*self._patterns.ending.finditer(text)][:MOST_ENDINGS]:
            try:
                conditions = self._read_conditions(text[: end.start()])
                found.append(Alternative(conditions, self._read_orders(text[end.end() :])))
            except Unreadable:
                continue
        if len(found) != 1:
            raise Unreadable("write a colon between the condition and its turn")
        return found[0]

    # --- conditions -------------------------------------------------------------------------------------

    def _read_conditions(self, text: str) -> tuple[Condition, ...]:
        said = [one for one in self._patterns.also.split(text) if one.strip()]
        conditions = tuple(dict.fromkeys(map(self._read_condition, said)))
        if not conditions:
            raise Unreadable("say what must be so, before the colon")
        return conditions

    def _read_condition(self, text: str) -> Condition:
        card = self._find_named(text, self.words.all_of("card"))
        if card in self.orders.symbols:
            return CardOpen(self.orders.symbols[card])
        places = names_of(self.board, self.orders).places
        place = self._find_named(text, self.words.all_of("free"))
        if place in places:
            return ProvinceFree(places[place])
        raise Unreadable(
            "“%(words)s” is no condition that a plan knows. "
            "It knows a card in the display and a free province",
            words=text.strip()[:LONGEST_NAMED],
        )

    def _find_named(self, text: str, phrases: PlanPhrases) -> str:
        """What stands in a text where one of some phrases has its `*`; empty where it is none of them."""
        said = self._bare_words(text)
        for phrase in phrases:
            wanted = self._bare_words(phrase)
            at = wanted.index("*")
            if len(said) == len(wanted) and said[:at] == wanted[:at] and said[at + 1 :] == wanted[at + 1 :]:
                return said[at]
        return ""

    def _bare_words(self, text: str) -> list[str]:
        found = re.findall(r"[\w*]+", text.casefold())
        return [word for word in found if word not in self.words.small]

    # --- orders -----------------------------------------------------------------------------------------

    def _read_orders(self, text: str) -> tuple[Order, ...]:
        orders: tuple[Order, ...] = ()
        for piece in text.split(";"):
            if words := piece.strip(" .,"):
                orders += self._parse(words, orders)
        if not orders:
            raise Unreadable("the plan says no turn: write it behind the colon")
        if len(orders) > MOST_ORDERS:
            raise Unreadable("a turn has not so many actions")
        first, *others = orders
        if first.verb == Verb.TAKE:  # "take the horse; march Memphis" says the card of the turn
            orders = (replace(first, verb=None), *others)
        steps = [STEPS.get(order.verb, LAST_STEP) for order in orders]
        is_twice = steps.count(CARD) > 1 or steps.count(MARCH) > 1
        if is_twice or steps[0] == LAST_STEP or steps != sorted(steps):
            raise Unreadable("a turn is one card, one march and then actions: write them in this order")
        return orders

    def _parse(self, words: str, before: Sequence[Order]) -> tuple[Order, ...]:
        """The orders of a piece, which commas or "then" may part."""
        if (occupation := self._parse_bare_occupation(words, before)) is not None:
            return (occupation,)
        try:
            return tuple(map(_settle_order, parse(words, self.board, {}, self.orders)))
        except Unreadable:
            pieces = [one.strip(" .,") for one in self._patterns.ending.split(words)]
            if pieces == [words]:
                raise
            found: tuple[Order, ...] = ()
            for piece in filter(None, pieces):
                found += self._parse(piece, (*before, *found))
            return found

    def _parse_bare_occupation(self, words: str, before: Sequence[Order]) -> Order | None:
        """An occupation that names no place: that of the march's place. None for another order.

        Its other forms ("bezetten") are known by how they are read before a place.
        """
        places = next((one.places for one in reversed(before) if one.verb == Verb.MARCH), ())
        if not places or len(words.split()) > 1:
            return None
        try:
            said = parse(f"{words} {self.board.names[places[0]]}", self.board, {}, self.orders)
        except Unreadable:
            return None
        is_meant = [one.verb for one in said] == [Verb.OCCUPY] and said[0].places == places
        return Order(Verb.OCCUPY, places=places) if is_meant else None


def _settle_order(order: Order) -> Order:
    """An order as it means the same in whatever position. Raises `Unreadable`."""
    if order.corner is not None:
        raise Unreadable("name the corner in a plan, such as C5: its number may mean another one by then")
    if order.holder:
        raise Unreadable("leave out in a plan from whom you take over")
    return replace(order, short=False)
