"""Whether rivals could take a province before its holder is to move: tried by playing in the worst world."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from engine import march_rules
from engine.actions import Action, Choose, Draw, Play, Recall, Take
from engine.board import Space
from engine.bots import stand_in
from engine.cards import SYMBOLS, Bag, Symbol
from engine.evolve import evolve
from engine.position import Phase, Position, view
from engine.provinces import conquests, find_siege, province_at, removal_cost, symbols_on
from engine.rules import card_choices, decide, perform_due
from tests.bots.alike import hidden_cards

MOST_MARCHES = 400
"""Marches that are tried with each card."""


def first_card(bag: Bag) -> Symbol:
    """The card that comes up where it does not matter which."""
    return next(iter(bag))


def worst_world(now: Position, me: int, rival: int, place: Space) -> Position:
    """A world in which a rival holds what taking the province of a place costs, as far as that can be."""
    province = province_at(now.table, place)
    wanted = [
        *removal_cost(now.table, province),
        *symbols_on(now.table, province.places),
    ]
    rest, hand = list(hidden_cards(now, me)), list[Symbol]()
    for card in [*wanted, *rest]:
        if len(hand) < len(now.hands[rival]) and card in rest:
            rest.remove(card)
            hand.append(card)
    hands = []
    for seat, old in enumerate(now.hands):
        others = Bag.of(rest.pop() for _ in old) if seat not in (me, rival) else old
        hands.append(Bag.of(hand) if seat == rival else others)
    return Position(now.table, tuple(hands), Bag.of(rest))


def outcomes(now: Position, action: Action) -> Iterator[Position]:
    """The positions after an action, one for each card that may come up first."""
    drawn: list[Symbol] = []

    def pick(wanted: Symbol, bag: Bag) -> Symbol:
        drawn.append(wanted)
        return wanted if wanted in bag else first_card(bag)

    for card in SYMBOLS:
        after = now
        for event in decide(now, now.table.seat, action, partial(pick, card)):
            after = evolve(after, event)
        yield after
        if not drawn:
            return


def after_marches(now: Position) -> Iterator[Position]:
    """The positions after the card and the march of whoever is to move."""
    for choice in card_choices(view(now, now.table.seat)):
        if not isinstance(choice, Choose | Play):
            continue
        for chosen in outcomes(now, choice):
            spaces = march_rules.targets_of_chosen(chosen.table)
            for march in islice(march_rules.marches(chosen.table, spaces), MOST_MARCHES):
                yield from outcomes(chosen, march)


def first_actions(now: Position) -> Iterator[Action]:
    """What makes a take-over possible that was not: another card, or a guard in supply."""
    if len(now.supply):
        yield Draw()
    yield from (Take(card) for card in now.table.display.kinds())
    yield from (Recall(place) for place in now.table.guards[now.table.seat])


def takes_now(now: Position, rival: int, place: Space) -> bool:
    """Whether a rival whose turn it is can take the province with the next action."""
    table = now.table
    if table.phase is not Phase.ACTIONS or table.seat != rival:
        return False
    siege = find_siege(table, rival, now.hands[rival], province_at(table, place))
    if siege is None or siege.province.holder in (None, rival):
        return False
    return bool(decide(now, rival, next(conquests(table, siege)), first_card))


def takes(now: Position, rival: int, place: Space) -> bool:
    """Whether a rival who has marched can take the province with one of two actions."""
    if takes_now(now, rival, place):
        return True
    if now.table.phase is not Phase.ACTIONS or now.table.actions_left < 2:
        return False
    return any(takes_now(later, rival, place) for one in first_actions(now) for later in outcomes(now, one))


def can_be_taken(now: Position, me: int, place: Space) -> bool:
    """Whether some rival can take the province of a place before its holder is to move again.

    A yes was played through in a world that the holder cannot tell from this one. `now`: their turn is over.
    """
    while not now.table.over and now.table.seat != me:
        rival = now.table.seat
        world = worst_world(now, me, rival, place)
        if any(takes(marched, rival, place) for marched in after_marches(world)):
            return True
        now = after_quiet_turn(now)
    return False


def after_quiet_turn(now: Position) -> Position:
    """The position once whoever is to move has done as little as can be."""
    seat, turn = now.table.seat, now.table.turn
    while not now.table.over and now.table.turn == turn:
        for event in decide(now, seat, stand_in(view(now, seat)), first_card):
            now = evolve(now, event)
        while (event := perform_due(now, first_card)) is not None:
            now = evolve(now, event)
    return now
