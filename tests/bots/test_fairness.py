"""Players of the house, caretakers and givers of advice decide by what their seat knows, and by no more."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from random import Random

import pytest

from engine.actions import Action
from engine.bots import play_to_win
from engine.position import Phase, Position, view
from tests.bots import adapter
from tests.bots.alike import (
    alike,
    asked_positions,
    every_deal,
    few_positions,
    holds_something_hidden,
)
from tests.breadth import first

PAIRS = 2000
"""Of positions that a seat cannot tell apart, for all who are asked together."""
QUICK = [name for name in adapter.players() if not adapter.is_slow(name)]
SLOW = [name for name in adapter.players() if adapter.is_slow(name)]


def differences(player: adapter.Player, now: Position, others: list[Position]) -> list[tuple[object, object]]:
    """What a player would do otherwise in positions that its seat cannot tell from this one."""
    said = adapter.asked(player, now)
    return [(said, other) for one in others if (other := adapter.asked(player, one)) != said]


def look_at(player: adapter.Player, found: Iterable[Position], *, seed: int = 0, each: int = 4) -> int:
    """Ask a player in positions and in so many others of each; how many of these hid something."""
    dice, hidden = Random(seed), 0
    for now in found:
        assert differences(player, now, alike(now, dice, each)) == []
        hidden += each * holds_something_hidden(now)
    return hidden


@pytest.mark.parametrize("name", QUICK)
def test_a_few_pairs_of_positions_that_a_seat_cannot_tell_apart(name: str) -> None:
    assert look_at(adapter.players()[name], few_positions(4))


@pytest.mark.parametrize("name", first(1, SLOW[::-1]))
def test_a_pair_for_who_thinks_long(name: str) -> None:
    begun = (now for now in few_positions(50, seed=3) if now.table.actions_left == 1)
    assert look_at(adapter.players()[name], islice(begun, 1), each=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_two_thousand_pairs_of_positions_that_a_seat_cannot_tell_apart(seed: int, record_property) -> None:
    everybody = adapter.players()
    pairs = -(-PAIRS // 4 // len(everybody) // 4) * 4
    hidden = {
        name: look_at(player, asked_positions(pairs // 4, seed=100 * seed), seed=seed)
        for name, player in everybody.items()
    }
    assert all(hidden.values())
    record_property("figure", f"{pairs * len(everybody)} pairs told nobody apart: {hidden}")


@pytest.mark.breadth
@pytest.mark.parametrize("name", QUICK)
def test_every_deal_of_a_few_cards_gives_the_same_choice(name: str) -> None:
    """All deals of the opponent's hand that there can be, where it has few cards."""
    player, looked_at = adapter.players()[name], 0
    for now in asked_positions(60, seed=20):
        me = now.table.seat
        sizes = [len(hand) for seat, hand in enumerate(now.hands) if seat != me]
        if sum(sizes) > 4:
            continue
        deals = list(islice(every_deal(now, me), 300))
        assert differences(player, now, deals[:: max(1, len(deals) // 25)]) == []
        looked_at += 1
    assert looked_at


@pytest.mark.parametrize("name", QUICK)
def test_asked_again_and_after_others_it_is_the_same(name: str) -> None:
    player = adapter.players()[name]
    found = few_positions(3, seed=5)
    once = [adapter.asked(player, now) for now in found]
    assert [adapter.asked(player, now) for now in reversed(found)] == once[::-1]


# --- controls -------------------------------------------------------------------------------------------


def test_control_a_player_who_looks_into_a_hand_or_the_supply_is_noticed() -> None:
    dice = Random(8)
    asked = [now for now in few_positions(30) if holds_something_hidden(now)]
    for peeking in (
        lambda now: now.hands[(now.table.seat + 1) % len(now.hands)].kinds()[:1],
        lambda now: len(now.supply.kinds()) and max(now.supply.counts),
    ):
        assert any(peeking(now) != peeking(one) for now in asked for one in alike(now, dice, 6))


def test_control_a_player_who_throws_dice_is_noticed() -> None:
    dice = Random(1)

    def whimsical(known: object) -> tuple[Action, int]:
        return play_to_win(known), dice.randrange(1000)

    [now] = few_positions(1)
    assert differences(whimsical, now, alike(now, Random(2), 2))


def test_control_positions_alike_are_the_same_to_their_seat_and_not_to_others() -> None:
    dice, differ = Random(4), 0
    for now in few_positions(20):
        me = now.table.seat
        for one in alike(now, dice, 8):
            assert view(one, me) == view(now, me)
            differ += any(view(one, seat) != view(now, seat) for seat in range(len(now.hands)) if seat != me)
    assert differ > 40


def test_control_all_phases_numbers_of_seats_and_kinds_of_games_are_among_those_asked() -> None:
    found = few_positions(60)
    assert {now.table.phase for now in found} == {Phase.CARD, Phase.MARCH, Phase.ACTIONS}
    assert {len(now.hands) for now in found} == {2, 3, 4}
    assert {now.table.edition.name for now in found} == {"rio-grande", "identity-games"}
    assert sum(any(now.table.scores) for now in found) > 15
