"""Whole games of two players in browsers of their own: played in every way, and live by the clock."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest
from playwright.sync_api import Page, expect
from sqlmodel import col

from server.store.context import utc_now
from server.store.models import Game, OutgoingLetter
from server.store.states import LetterState
from tests.breadth import spread
from tests.browser.hands import Finger, Hands, Keys, Unscripted
from tests.browser.plans import KINDS, Done, take_step
from tests.browser.served import Served, game_under_way
from tests.browser.windows import DESKTOP, PHONE, Visitors

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


TEMPOS = ("live-15", "live-fast")
LEFT = re.compile(r"^\(\d+ minutes left\)$")


@contextmanager
def working(place: Served) -> Iterator[None]:
    """Let the loops of a server do their work while the block lasts."""
    ended = Event()

    def work() -> None:
        while not ended.wait(0.2):
            place.work()

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def awaited(window: Page, find: Callable[[], str]) -> str:
    """A link of a letter, once the letter is there."""
    for _ in range(300):
        try:
            return find()
        except (IndexError, ValueError):
            window.wait_for_timeout(100)
    raise AssertionError("no such letter has come")


def first_link(place: Served) -> str:
    """The first link of Anna's newest letter, once the game has begun in one."""
    begun = col(OutgoingLetter.kind).in_(("welcome", "your_turn"))
    hers = begun, OutgoingLetter.recipient == "anna@example.org", OutgoingLetter.state == LetterState.SENT
    if not place.rows(OutgoingLetter.id, *hers):
        raise ValueError
    return min(place.letters("Anna"), key=len)


def open_live_game(place: Served, anna: Page, ben: Page, tempo: str) -> str:
    """Anna asks for the game on the form and confirms it, Ben accepts, and both come to the board."""
    anna.goto("/new")
    people = {"name1": "Anna", "address1": "anna@example.org", "name2": "Ben", "address2": "ben@example.org"}
    for name, typed in {"name": "Friday", **people}.items():
        anna.locator(f"#{name}").fill(typed)
    anna.locator(f"#tempo-{tempo}").check()
    anna.locator("form.opening button.large").click()
    anna.goto(awaited(anna, lambda: place.letters("Anna", "n")[0]))
    anna.locator("main form button").first.click()
    ben.goto(awaited(ben, lambda: place.letters("Ben")[0]))
    ben.locator("main form button").first.click()
    expect(ben.locator("h1")).to_have_text("The game has begun")
    ben.locator("main a.button.large").click()
    anna.goto(awaited(anna, lambda: first_link(place)))
    [game] = place.rows(Game.id)
    return game


@pytest.mark.breadth
@pytest.mark.long
@pytest.mark.parametrize("tempo", TEMPOS)
def test_a_live_game_is_opened_and_played_to_its_end(place: Served, visitors: Visitors, tempo: str) -> None:
    place.clock = place.app.config["NOW"] = utc_now
    place.dice.seed(0)
    anna, ben = visitors.visitor(), visitors.visitor()
    with working(place):
        game = open_live_game(place, anna, ben, tempo)
        windows = {"Anna": anna, "Ben": ben}
        players = [Hands(windows[name]) for name in place.table(game).names]
        done, turns = Done(), set[int]()
        while not (table := place.table(game)).over:
            mover, waiter = players[table.seat], players[1 - table.seat]
            mover.wait()
            if table.turn not in turns:
                turns.add(table.turn)
                expect(mover.window.locator("#time small")).to_have_text(LEFT)
                expect(waiter.window.locator("h1")).to_contain_text("'s turn")
                expect(waiter.window.locator(".lede")).not_to_contain_text("mostly answers")
            take_step(place, game, mover, done)
        for player in players:
            player.wait()
            expect(player.window.locator("h1")).to_contain_text("won")
