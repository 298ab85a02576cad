"""Whole games of two players, each in a browser of his own, played to the end in every way one can play."""

import pytest
from playwright.sync_api import expect

from tests.breadth import spread
from tests.browser.hands import Finger, Hands, Keys, Unscripted
from tests.browser.plans import KINDS, take_step
from tests.browser.served import game_under_way
from tests.browser.windows import DESKTOP, PHONE

WAYS = {
    "by clicking, its last turns": (Hands, DESKTOP, 23),
    "by clicking": (Hands, DESKTOP, 19),
    "by clicking, for longer": (Hands, DESKTOP, 17),
    "without script": (Unscripted, DESKTOP, 19),
    "by tapping on a phone": (Finger, PHONE, 19),
    "by keyboard alone": (Keys, DESKTOP, 19),
}
"""How the players play, on which device, and how many turns of the game are over when they come to it.

Three to nine turns are left then, in which everything is done that can be done in a turn.
"""


@pytest.mark.parametrize("way", spread(1, WAYS))
def test_a_game_can_be_played_to_its_end(place, visitors, way):
    kind, device, turns = WAYS[way]
    place.dice.seed(0)
    game = game_under_way(place, turns)
    place.work()
    players = {}
    for seat, name in enumerate(("Anna", "Ben")):
        window = visitors.visitor(device, script=kind.scripted)
        players[seat] = kind(window)
        players[seat].come(min(place.letters(name), key=len))  # others lead on from it
    done = set()
    while not (table := place.table(game)).over:
        players[table.seat].wait()
        take_step(place, game, players[table.seat], done)
    assert done >= set(KINDS)
    for player in players.values():
        player.wait()
        expect(player.window.locator("h1")).to_contain_text("won")
