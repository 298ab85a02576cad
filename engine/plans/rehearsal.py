"""What of a plan can be played: its orders run on a scratch position made of a view, up to a card drawn.

The cards that others hold and the order of the supply have no say in it, so none need be known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice

from engine import march_rules
from engine.actions import Action, ActionRefused, Ambiguous, Illegal, March, Unreadable
from engine.board import Point, Space, corners
from engine.cards import EMPTY, SYMBOLS, Bag, any_card
from engine.events import CardDrawn, GameEnded, SupplyRenewed, TurnEnded
from engine.evolve import evolve
from engine.notation import grammar
from engine.notation.orders import Order, Verb
from engine.notation.parser import cheapest_paths
from engine.plans.turn_plans import Alternative, CardOpen, Condition, TurnPlan, holds
from engine.position import Phase, Position, Table, View, view
from engine.provinces import levy_gain
from engine.rules import due, perform

MOST_MARCHES = 500
"""Of a march that is left open so many are compared: those with the fewest new walls."""


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
    """Why an alternative is not played: a condition that does not hold, or an order that cannot be done."""

    number: int
    reason: Condition | OrderRefused


class OrderRefused(Exception):
    """An order of a turn cannot be done."""

    def __init__(self, order: Order, refusal: ActionRefused) -> None:
        super().__init__(str(refusal))
        self.order = order
        self.refusal = refusal


def choose_alternative(plan: TurnPlan, known: View) -> PlannedTurn | tuple[RejectedAlternative, ...]:
    """What of a plan is played in its player's turn, which has not begun; else why nothing is."""
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
    """Refuse a plan in which an order can mean several things, as the game stands now.

    Raises `OrderRefused`.
    """
    for one in plan.alternatives:
        try:
            rehearse(foresee_turn(known), one.until_reveal)
        except OrderRefused as refused:
            if isinstance(refused.refusal, Ambiguous | Unreadable):
                raise


def rehearse(known: View, orders: Sequence[Order]) -> tuple[Action, ...]:
    """The actions that orders mean, up to the first card drawn. Raises `OrderRefused`.

    A march that is left out is filled in. Where several can be meant it is the first of `rank_marches` after
    which the other orders can be done.
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
            first, *more = grammar.expand_order(order, view(position, seat))
            waiting.extendleft(reversed(more))
            action = grammar.resolve(first, view(position, seat))
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


# --- marches that are left open -------------------------------------------------------------------------


def _settle_march(position: Position, seat: int, said: Order, others: Sequence[Order]) -> tuple[Action, ...]:
    """A march that is left open, and what follows it. Raises `OrderRefused` as the first does."""
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
    """The marches that an order can mean: that which encloses most for the player to move first.

    Of equal ones that with the fewest new walls, then by place, corner and path in reading order.
    """
    spaces = march_rules.targets_of_chosen(table)
    ways = [
        _ways_to(table, said, space, corner)
        for space in spaces
        if not said.places or space in said.places
        for corner in corners(space)
        if said.can_end_on(corner)
    ]
    cheapest = islice(merge(*ways), MOST_MARCHES)
    found = [March(space, path) for _, space, _, path in cheapest]
    return sorted(found, key=lambda one: _enclose(table, one.path), reverse=True)


def _ways_to(
    table: Table, said: Order, space: Space, corner: Point
) -> Iterator[tuple[int, Space, Point, march_rules.Path]]:
    for walls, path in cheapest_paths(table, corner, said.points_towards(corner)):
        yield walls, space, corner, path


def _enclose(table: Table, path: march_rules.Path) -> tuple[int, int]:
    """What a levy would bring the player to move after a path, and how many free spaces it cuts off."""
    outcome = march_rules.outcome_of(table, path)
    walled = table.walled | table.board.grid.mask_sides(outcome.laid)
    parts = (part for split in outcome.splits for part in split.cut_off if part.holder is None)
    gain = levy_gain(table.board, walled, table.standing[table.seat])
    return gain, sum(part.value for part in parts)


# --- before the turn has come ---------------------------------------------------------------------------


def foresee_turn(known: View) -> View:
    """The view as it is now, but with its reader's turn begun."""
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


def has_next_turn(table: Table, seat: int) -> bool:
    """Whether a seat will begin a turn before the game is over, as far as is known now."""
    is_begun = table.seat == seat and table.phase is Phase.CARD
    return not table.over and (is_begun or not table.last_turn)


def next_turn_of(table: Table, seat: int) -> int:
    """The number of the next turn that a seat can plan: that of now, where it has not begun it."""
    seats = len(table.names)
    if table.seat == seat and table.phase is not Phase.CARD:
        return table.turn + seats
    return table.turn + (seat - table.seat) % seats


def settle_cards(plan: TurnPlan, known: View) -> TurnPlan:
    """A plan whose cards say where they come from: what is said by a symbol alone may mean another one later.

    A card is chosen from the display, unless none lies there and the hand has one.
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
