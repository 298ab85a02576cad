"""A turn rehearsed: its orders run on a scratch position that is made of a view, up to the first card drawn.

The cards that others hold and the order of the supply have no say in it, so none need be known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from engine.actions import Action, ActionRefused, Ambiguous, Illegal
from engine.cards import EMPTY, SYMBOLS, Bag, any_card
from engine.effects import perform
from engine.events import CardDrawn, GameEnded, SupplyRenewed, TurnEnded
from engine.evolve import evolve
from engine.notation import grammar
from engine.notation.canonical_text import Verb
from engine.notation.orders import Order
from engine.plans.open_marches import rank_marches
from engine.plans.turn_plans import AlexanderAt, Alternative, CardMissing, CardOpen, TurnPlan
from engine.position import DISPLAY_SIZE, Phase, Position, Table, View
from engine.rules import due
from engine.views import view

MOST_MARCHES = 100
"""Of a march that is left open so many are tried with what follows it."""


class OrderRefused(Exception):
    """An order of a turn cannot be done."""

    def __init__(self, order: Order, refusal: ActionRefused) -> None:
        super().__init__(str(refusal))
        self.order = order
        self.refusal = refusal


def rehearse(known: View, orders: Sequence[Order]) -> tuple[Action, ...]:
    """The actions that orders mean, up to the first card drawn. Raises `OrderRefused`.

    A march that is left out is filled in. Where several can be meant it is the first of `rank_marches` after
    which the other orders can be done.
    """
    return _rehearse_on(_scratch(known), known.my_seat, orders)


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
            if (
                isinstance(refusal, Ambiguous)
                and order.verb == Verb.MARCH
                and position.table.phase is Phase.MARCH
            ):
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


def _settle_march(position: Position, seat: int, said: Order, others: Sequence[Order]) -> tuple[Action, ...]:
    """A march that is left open, and what follows it. Raises `OrderRefused` as the first does."""
    refused: OrderRefused | None = None
    for march in islice(rank_marches(position.table, said), MOST_MARCHES):
        whole = Order(Verb.MARCH, (), (march.target,), march.path)
        try:
            return _rehearse_on(position, seat, (whole, *others))
        except OrderRefused as other:
            refused = refused or other
    assert refused is not None, "where several are possible one is tried"
    raise refused


def _scratch(known: View) -> Position:
    """A position in which a reader sees what they see, and the others hold nothing."""
    hands = tuple(known.hand if seat == known.me else EMPTY for seat in range(len(known.hand_sizes)))
    return Position(known.table, hands, Bag.of(SYMBOLS[:1] * known.supply_size))


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


def suppose_guards(one: Alternative, known: View) -> View:
    """A view as an alternative supposes it: its cards are open, and Alexander stands where it says."""
    table, first = known.table, one.orders[0]
    cards = [guard.card for guard in one.guards if isinstance(guard, CardOpen)]
    cards += first.symbols if first.verb == Verb.CHOOSE else ()
    for guard in one.guards:
        if isinstance(guard, AlexanderAt):
            table = table.but(alexander=guard.point)
    wanted = Bag.of(dict.fromkeys(cards))
    others = [card for card in table.display if card not in wanted]
    if not table.display.covers(wanted):
        table = table.but(display=wanted + Bag.of(others[: max(0, DISPLAY_SIZE - len(wanted))]))
    return replace(known, table=table)


def settle_cards(plan: TurnPlan, known: View) -> TurnPlan:
    """A plan whose cards say where they come from: what is said by a symbol alone may mean another one later.

    A card that lies in the display is chosen there, even if the hand has one too: so nothing is given up.
    """
    return TurnPlan(tuple(_settle_alternative(one, suppose_guards(one, known)) for one in plan.alternatives))


def _settle_alternative(one: Alternative, known: View) -> Alternative:
    first, *others = one.orders
    if first.verb is None:
        card = first.symbols[0]
        is_open = card in known.table.display and CardMissing(card) not in one.guards
        is_played = card in known.hand and not is_open
        first = replace(first, verb=Verb.PLAY if is_played else Verb.CHOOSE)
    taken = (replace(each, verb=Verb.TAKE) if each.verb is None else each for each in others)
    return replace(one, orders=(first, *taken))
