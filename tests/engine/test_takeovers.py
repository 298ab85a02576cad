"""The chance that a rival comes to hold what a take-over costs: by all orders of the cards, and by play."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from engine.actions import Draw, Occupy
from engine.bots import advice, play_to_win
from engine.bots.advice import PRICE, TakeoverCost, explain
from engine.bots.turns import Turn, best_turns
from engine.cards import Symbol
from engine.position import Phase, Position, view
from engine.rules import play_out
from tests.engine.build import places
from tests.engine.players import draw_from
from tests.engine.test_bots import known_to_mover, parted, played, plays_house, taste
from tests.next_actions import play_steadily


def finds(lying: int, order: tuple[bool, ...], lack: int, picks: int) -> bool:
    """Whether a rival finds the cards of a symbol that they lack, as the cards of the supply lie."""
    supply = list(order)
    for step in range(picks + 1):
        if lying:
            lying, lack = lying - 1, lack - 1
            lying += supply.pop(0)
        elif step:
            lack -= supply.pop(0)
        else:
            lying += supply.pop(0)
    return lack <= 0


@pytest.mark.parametrize("picks", [0, 1, 2])
@pytest.mark.parametrize("lying", [0, 1, 2])
def test_the_chance_to_find_cards_is_their_share_of_all_orders(lying: int, picks: int) -> None:
    cards, turned, copies, unseen = 2, min(1, 2 - lying), 3, 8
    orders = [tuple(at in chosen for at in range(unseen)) for chosen in combinations(range(unseen), copies)]
    found = 0
    for order in orders:
        held, shown = sum(order[:cards]), lying + sum(order[cards : cards + turned])
        found += finds(shown, order[cards + turned :], 2 - held, picks)
    chance = advice._chance_at_turn(2, lying, turned, copies, unseen, cards, picks)
    assert chance == pytest.approx(found / len(orders))


def test_who_holds_no_card_and_sees_none_finds_two_of_a_symbol_by_no_luck() -> None:
    assert advice._chance_at_turn(2, 0, 0, 5, 20, 0, 1) == 0
    assert advice._chance_at_turn(2, 0, 2, 1, 20, 3, 1) == 0
    assert advice._chance_at_turn(2, 1, 1, 0, 20, 9, 1) == 0
    assert advice._chance_at_turn(2, 2, 0, 0, 20, 0, 1) == 1


def occupied(**changes: object) -> list[TakeoverCost]:
    """What is told of the province that is had by a guard on Ha, before a rival who holds two cards."""
    now = parted(**({"hands": ("lyre", "lyre soldier"), "guards": ("", "Sa")} | changes))
    turn = Occupy(places(now.table.board, "Ha")), Draw()
    return [one for one in explain(known_to_mover(now), turn) if isinstance(one, TakeoverCost)]


def test_it_is_told_what_a_conquest_costs_a_rival_and_how_likely_they_come_to_pay() -> None:
    (told,) = occupied()
    assert told.card is Symbol.HORSE
    assert 0.58 < told.chance < 0.59
    (rarer,) = occupied(discard="horse horse horse horse horse horse")
    assert 0 < rarer.chance < told.chance
    (gone,) = occupied(display="lyre lyre", discard="horse " * 10)
    assert gone.chance == 0
    assert not occupied(supply="lyre lyre")  # it runs out, and nobody knows what comes then


# --- in play --------------------------------------------------------------------------------------------


def comes_to_hold(now: Position, seat: int, reason: TakeoverCost, dice: Random) -> bool:
    """Whether a rival whose turn begins comes to hold the cards, if they go for nothing else."""
    table, order = now.table, list(now.supply)
    dice.shuffle(order)
    picks = table.edition.actions_per_turn - 1
    if len(now.hands) == 2 and not table.guards_in_supply(seat):
        picks -= 1
    lack = PRICE - now.hands[seat][reason.card]
    copies = tuple(card is reason.card for card in order)
    return lack <= 0 or finds(table.display[reason.card], copies, lack, picks)


def somebody_comes_to_hold(now: Position, turn: Turn, reason: TakeoverCost, dice: Random) -> bool:
    """Whether that is so for any rival after a turn, if the others play on as the house does."""
    me, chance, found = now.table.seat, draw_from(dice), False
    for action in turn.actions:
        _, now = play_out(now, me, action, chance)
    while not now.table.over and now.table.seat != me:
        if now.table.phase is Phase.CARD:
            found |= comes_to_hold(now, now.table.seat, reason, dice)
        _, now = play_out(now, now.table.seat, play_to_win(view(now, now.table.seat)), chance)
    return found


def foretold(seed: int, turns: int) -> Iterator[tuple[float, bool]]:
    """The chances told for the best turns in a game, each with whether it came so with other dice."""
    dice, tastes = Random(seed), (plays_house, taste(play_steadily))[:: 1 - 2 * (seed % 2)]
    for act in played(seed, *(tastes * 2)[: 2 + seed % 3]).acts:
        known = known_to_mover(act.before)
        if known.table.phase is Phase.CARD:
            for turn in best_turns(known)[:turns]:
                for reason in explain(known, turn.actions):
                    if isinstance(reason, TakeoverCost):
                        yield reason.chance, somebody_comes_to_hold(act.before, turn, reason, dice)


@pytest.mark.long
def test_the_chances_in_five_thousand_suggestions_are_right_within_five_points() -> None:
    told: list[tuple[float, bool]] = []
    seed = 100
    while len(told) < 5000:
        told += foretold(seed, 3)
        seed += 1
    assert not any(came for chance, came in told if not chance)
    groups = defaultdict(list)
    for chance, came in told:
        groups[min(3, int(4 * chance))].append((chance, came))
    for group in groups.values():
        expected, happened = (sum(column) / len(group) for column in zip(*group, strict=True))
        assert happened == pytest.approx(expected, abs=0.05), (len(group), expected, happened)
