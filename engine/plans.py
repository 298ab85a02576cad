"""Plans: whole turns written in advance, with conditions; their parsing, formatting and trial.

Conditions use public facts only, so a plan can neither use nor reveal hidden cards. A trial plays the orders
of a plan up to the first card drawn. It plays them in a position that contains only what the player sees.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import merge
from itertools import islice, takewhile

from engine import march_rules
from engine.actions import Action, ActionRefused, Ambiguous, Illegal, March, Unreadable
from engine.board import Board, Point, Space
from engine.cards import EMPTY, SYMBOLS, Bag, Symbol, any_card
from engine.events import CardDrawn, GameEnded, SupplyRenewed, TurnEnded
from engine.evolve import evolve
from engine.notation import grammar
from engine.notation.orders import Order, Verb, spell_out, write
from engine.notation.parser import parse
from engine.notation.vocabulary import Vocabulary, names_of, translate_orders
from engine.position import Phase, Position, Table, View, view
from engine.provinces import levy_gain, province_at
from engine.rules import due, perform

MOST_ALTERNATIVES = 6
MOST_ORDERS = 10


@dataclass(frozen=True, slots=True)
class CardOpen:
    """The display contains this card."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class ProvinceFree:
    """The province of this place is free."""

    place: Space


Condition = CardOpen | ProvinceFree


def holds(condition: Condition, table: Table) -> bool:
    if isinstance(condition, CardOpen):
        return condition.card in table.display
    return province_at(table, condition.place).holder is None


@dataclass(frozen=True, slots=True)
class Alternative:
    """One whole turn and its conditions."""

    conditions: tuple[Condition, ...]
    """All must hold before the turn is played. An empty tuple allows the turn whenever it is legal."""
    orders: tuple[Order, ...]

    @property
    def until_reveal(self) -> tuple[Order, ...]:
        """The orders up to and including the first draw, whose card is unknown in advance."""
        ahead = tuple(takewhile(lambda one: one.verb != Verb.DRAW, self.orders))
        return self.orders[: len(ahead) + 1]

    @property
    def beyond(self) -> tuple[Order, ...]:
        return self.orders[len(self.until_reveal) :]


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """A player's plan: the first possible alternative is played."""

    alternatives: tuple[Alternative, ...]


MOST_MARCHES = 500


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """The playable alternative of a plan."""

    number: int
    actions: tuple[Action, ...]
    """Actions up to and including the first draw."""
    beyond: tuple[Order, ...]


@dataclass(frozen=True, slots=True)
class RejectedAlternative:
    number: int
    reason: Condition | OrderRefused


class OrderRefused(Exception):
    def __init__(self, order: Order, refusal: ActionRefused) -> None:
        super().__init__(str(refusal))
        self.order = order
        self.refusal = refusal


def choose_alternative(plan: TurnPlan, known: View) -> PlannedTurn | tuple[RejectedAlternative, ...]:
    """Return the first alternative playable in this position, or the reason against each alternative."""
    rejected = []
    for number, one in enumerate(plan.alternatives, 1):
        broken = next((each for each in one.conditions if not holds(each, known.table)), None)
        if broken is not None:
            rejected.append(RejectedAlternative(number, broken))
            continue
        try:
            return PlannedTurn(number, rehearse(known, one.until_reveal), one.beyond)
        except OrderRefused as refused:
            rejected.append(RejectedAlternative(number, refused))
    return tuple(rejected)


def check_plan(plan: TurnPlan, known: View) -> None:
    """Raise `OrderRefused` if an order of a plan is ambiguous or unreadable in the present position."""
    for one in plan.alternatives:
        try:
            rehearse(foresee_turn(known), one.until_reveal)
        except OrderRefused as refused:
            if isinstance(refused.refusal, Ambiguous | Unreadable):
                raise


def rehearse(known: View, orders: Sequence[Order]) -> tuple[Action, ...]:
    """Return the actions that orders mean, up to and including the first draw; raises `OrderRefused`.

    Adds the march if the orders omit it. Of several possible marches, takes the first, in the order of
    `rank_marches`, after which the other orders are possible.
    """
    hands = tuple(known.hand if seat == known.me else EMPTY for seat in range(len(known.hand_sizes)))
    scratch = Position(known.table, hands, Bag.of(SYMBOLS[:1] * known.supply_size))
    return _rehearse_on(scratch, known.my_seat, orders)


def _rehearse_on(position: Position, seat: int, orders: Sequence[Order]) -> tuple[Action, ...]:
    waiting, done = deque(orders), list[Action]()
    over = False
    while waiting:
        order = waiting.popleft()
        try:
            if over:
                if order.verb == Verb.END:
                    break
                raise Illegal("3.1", "your turn is over")
            if position.table.phase is Phase.MARCH and order.verb != Verb.MARCH:
                waiting.appendleft(order)
                order = Order(Verb.MARCH)
            action, more = grammar.resolve(order, view(position, seat))
            waiting.extendleft(more)
            event = perform(position, action, any_card)
        except ActionRefused as refusal:
            is_march = order.verb == Verb.MARCH and position.table.phase is Phase.MARCH
            if is_march and isinstance(refusal, Ambiguous):
                return (*done, *_settle_march(position, seat, order, tuple(waiting)))
            raise OrderRefused(order, refusal) from None
        done.append(action)
        if isinstance(event, CardDrawn):
            break
        over = isinstance(event, TurnEnded | GameEnded)
        if not over:
            position = evolve(position, event)
            if due(position) is SupplyRenewed:
                position = evolve(position, SupplyRenewed())
            over = due(position) in (TurnEnded, GameEnded)
    return tuple(done)


# --- incomplete marches ----------------------------------------------------------------------------------


def _settle_march(position: Position, seat: int, said: Order, others: Sequence[Order]) -> tuple[Action, ...]:
    refused: OrderRefused | None = None
    for march in rank_marches(position.table, said):
        whole = Order(Verb.MARCH, (), (march.target,), march.path)
        try:
            return _rehearse_on(position, seat, (whole, *others))
        except OrderRefused as other:
            refused = refused or other
    assert refused is not None, "where several are possible one is tried"
    raise refused


def rank_marches(table: Table, said: Order) -> list[March]:
    """Return the marches that an order can mean, by the marching seat's points in a levy, highest first.

    Ties are sorted by the value cut off from free provinces, highest first, then by new walls, fewest first.
    """
    goals = grammar.paths_to(table, march_rules.targets_of_chosen(table), said)
    cheapest = islice(merge(*(_ways_to(space, paths, said) for space, paths in goals)), MOST_MARCHES)
    found = [March(space, path) for _, space, _, path in cheapest]
    return sorted(found, key=lambda one: _enclose(table, one.path), reverse=True)


def _ways_to(
    space: Space, paths: march_rules.ShortestPaths, said: Order
) -> Iterator[tuple[int, Space, Point, march_rules.Path]]:
    for walls, path in paths.cheapest(said.points):
        yield walls, space, paths.corner, path


def _enclose(table: Table, path: march_rules.Path) -> tuple[int, int]:
    """Return the seat's points in a levy after the march, and the value cut off from free provinces."""
    outcome = march_rules.outcome_of(table, path)
    walled = table.walled | table.board.grid.mask_sides(outcome.laid)
    parts = (part for split in outcome.splits for part in split.cut_off if part.holder is None)
    gain = levy_gain(table.board, walled, table.standing[table.seat])
    return gain, sum(part.value for part in parts)


# --- before the turn begins ------------------------------------------------------------------------------


def foresee_turn(known: View) -> View:
    """Return the view as if the reader's turn had just begun."""
    table = known.table
    if known.my_turn and table.phase is Phase.CARD:
        return known
    begun = table.but(
        seat=known.my_seat,
        turn=next_turn_of(table, known.my_seat),
        phase=Phase.CARD,
        actions_left=0,
        levied=False,
        stirred=False,
        chosen=None,
    )
    return replace(known, table=begun)


def next_turn_of(table: Table, seat: int) -> int:
    """Return the number of the seat's next turn; the present turn if the seat has not yet acted in it."""
    seats = len(table.names)
    if table.seat == seat and table.phase is not Phase.CARD:
        return table.turn + seats
    return table.turn + (seat - table.seat) % seats


def settle_cards(plan: TurnPlan, known: View) -> TurnPlan:
    """Return a plan in which each card without a verb gets the verb `choose` or `play`.

    The meaning of a card without a verb could change with the display. A card gets `play` only if it is in
    the hand and not on the display.
    """
    settled = list[Alternative]()
    for one in plan.alternatives:
        first, *others = one.orders
        if first.verb is None:
            card = first.symbols[0]
            is_open = card in known.table.display or CardOpen(card) in one.conditions
            first = replace(first, verb=Verb.PLAY if card in known.hand and not is_open else Verb.CHOOSE)
        settled.append(replace(one, orders=(first, *others)))
    return TurnPlan(tuple(settled))


PlanPhrases = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PlanWords:
    """The words for plans in one or several languages, by the keys of plans.toml; the first are written."""

    orders: Vocabulary
    heading: PlanPhrases
    condition: PlanPhrases
    otherwise: PlanPhrases
    also: PlanPhrases
    then: PlanPhrases
    card: PlanPhrases
    free: PlanPhrases
    small: frozenset[str]
    """The words that are ignored in a condition."""
    open_cards: Mapping[Symbol, str]

    @cached_property
    def patterns(self) -> _Patterns:
        def any_of(phrases: PlanPhrases) -> str:
            longest = sorted(phrases, key=lambda one: -len(one))
            return "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in longest) or "(?!)"

        starts, otherwise = rf"(?:{any_of(self.condition)})", any_of(self.otherwise)
        also, then = any_of(self.also), any_of(self.then)
        patterns = (
            rf"\s*(?:{any_of(self.heading)})(?:\s*:\s*|\s*,?\s(?={starts}\b[^:]*:))",
            rf"(?:^|[.,;]\s*)(?:{otherwise})\b\s*[:,]?\s*|\s(?:{otherwise})\s*:\s*"
            rf"|[.;]\s*(?={starts}\b[^:]*:)",
            rf"{starts}\b\s*(?P<conditions>[^:]*):\s*",
            rf"{starts}\b",
            rf"\s*(?:,|\b(?:{also})\b)+\s*",
            rf",\s*(?:(?:{also})\s+)?(?:\b(?:{then})\b[,:]?\s+)?"
            rf"|(?:^|\s)(?:(?:{also})\s+)?(?:{then})\b[,:]?\s*",
        )
        return _Patterns(*(re.compile(pattern, re.IGNORECASE) for pattern in patterns))


def write_plan(plan: TurnPlan, board: Board, words: PlanWords) -> str:
    """Format a plan on one line without its heading."""
    text = ""
    for one in plan.alternatives:
        if text:
            text += f". {words.otherwise[0]}{' ' if one.conditions else ': '}"
        conditions = [
            words.open_cards[each.card]
            if isinstance(each, CardOpen)
            else words.free[0].replace("*", board.names[each.place])
            for each in one.conditions
        ]
        if conditions:
            text += f"{words.condition[0]} {f' {words.also[0]} '.join(conditions)}: "
        text += write_orders(one.orders, board, words)
    return text


def write_orders(orders: Sequence[Order], board: Board, words: PlanWords) -> str:
    return "; ".join(write_order(order, board, words) for order in orders)


def write_turn(turn: PlannedTurn, board: Board, words: PlanWords) -> str:
    """Format the playable alternative: complete actions, then the orders after the first draw."""
    actions = [translate_orders(write(action, board), words.orders) for action in turn.actions]
    return "; ".join([*actions, *(write_order(order, board, words) for order in turn.beyond)])


def write_order(order: Order, board: Board, words: PlanWords) -> str:
    if order.verb is None:
        return words.orders.translate(order.symbols[0])
    return translate_orders(spell_out(order, board), words.orders)


LONGEST_PLAN = 1000
LONGEST_NAMED = 60
MOST_ENDINGS = 12
CARD, MARCH, LAST_STEP = range(3)
STEPS = {None: CARD, Verb.CHOOSE: CARD, Verb.PLAY: CARD, Verb.MARCH: MARCH, Verb.STAY: MARCH}


@dataclass(frozen=True, slots=True, eq=False)
class _Patterns:
    """Regular expressions that split a plan, for one set of languages."""

    heading: re.Pattern[str]
    otherwise: re.Pattern[str]
    """The start of a further alternative: the word "otherwise", or a condition after a full stop."""
    condition: re.Pattern[str]
    begun: re.Pattern[str]
    """The start of a condition."""
    also: re.Pattern[str]
    ending: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class PlanReader:
    """Parses plans for one board, written in any of several languages."""

    board: Board
    words: PlanWords

    def read(self, text: str) -> TurnPlan:
        text = " ".join(text.split())
        if heading := self.words.patterns.heading.match(text):
            text = text[heading.end() :]
        if len(text) > LONGEST_PLAN:
            raise Unreadable("the plan is too long: it may have %(most)s characters", most=LONGEST_PLAN)
        parts = [part for part in self.words.patterns.otherwise.split(text) if part.strip(" .;,")]
        if not parts:
            raise Unreadable("the plan says no turn: write it behind the colon")
        if len(parts) > MOST_ALTERNATIVES:
            raise Unreadable("a plan may have %(most)s turns to choose from", most=MOST_ALTERNATIVES)
        return TurnPlan(tuple(map(self._read_alternative, parts)))

    def _read_alternative(self, text: str) -> Alternative:
        text, patterns = text.strip(" .;,"), self.words.patterns
        if found := patterns.condition.match(text):
            conditions = self._read_conditions(found["conditions"])
            return Alternative(conditions, self._read_orders(text[found.end() :]))
        if found := patterns.begun.match(text):
            return self._read_unparted(text[found.end() :])
        return Alternative((), self._read_orders(text))

    def _read_unparted(self, text: str) -> Alternative:
        found = list[Alternative]()
        for end in [*self.words.patterns.ending.finditer(text)][:MOST_ENDINGS]:
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
        said = [one for one in self.words.patterns.also.split(text) if one.strip()]
        conditions = tuple(dict.fromkeys(map(self._read_condition, said)))
        if not conditions:
            raise Unreadable("say what must be so, before the colon")
        return conditions

    def _read_condition(self, text: str) -> Condition:
        card = self._find_named(text, self.words.card)
        if card in self.words.orders.symbols:
            return CardOpen(self.words.orders.symbols[card])
        places = names_of(self.board, self.words.orders).places
        place = self._find_named(text, self.words.free)
        if place in places:
            return ProvinceFree(places[place])
        raise Unreadable(
            "“%(words)s” is no condition that a plan knows. "
            "It knows a card in the display and a free province",
            words=text.strip()[:LONGEST_NAMED],
        )

    def _find_named(self, text: str, phrases: PlanPhrases) -> str:
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
        if first.verb == Verb.TAKE:  # "take the horse; march Memphis" names the card of the turn
            orders = (replace(first, verb=None), *others)
        steps = [STEPS.get(order.verb, LAST_STEP) for order in orders]
        is_twice = steps.count(CARD) > 1 or steps.count(MARCH) > 1
        if is_twice or steps[0] == LAST_STEP or steps != sorted(steps):
            raise Unreadable("a turn is one card, one march and then actions: write them in this order")
        return orders

    def _parse(self, words: str, before: Sequence[Order]) -> tuple[Order, ...]:
        """Parse orders parted by commas or "then"; "occupy" alone means the target of a march in `before`."""
        if (occupation := self._parse_bare_occupation(words, before)) is not None:
            return (occupation,)
        try:
            return tuple(map(_settle_order, parse(words, self.board, {}, self.words.orders)))
        except Unreadable:
            pieces = [one.strip(" .,") for one in self.words.patterns.ending.split(words)]
            if pieces == [words]:
                raise
            found: tuple[Order, ...] = ()
            for piece in filter(None, pieces):
                found += self._parse(piece, (*before, *found))
            return found

    def _parse_bare_occupation(self, words: str, before: Sequence[Order]) -> Order | None:
        places = next((one.places for one in reversed(before) if one.verb == Verb.MARCH), ())
        if not places or len(words.split()) > 1:
            return None
        try:  # some forms of the verb are read only with a place
            said = parse(f"{words} {self.board.names[places[0]]}", self.board, {}, self.words.orders)
        except Unreadable:
            return None
        is_meant = [one.verb for one in said] == [Verb.OCCUPY] and said[0].places == places
        return Order(Verb.OCCUPY, places=places) if is_meant else None


def _settle_order(order: Order) -> Order:
    """Return the order if it means one thing in every position; raises `Unreadable` otherwise."""
    if order.corner is not None:
        raise Unreadable("name the corner in a plan, such as C5: its number may mean another one by then")
    return order
