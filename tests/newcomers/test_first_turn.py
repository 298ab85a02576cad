"""From the mailbox to the end of a first turn; what the page of a turn weighs, and when it can be used."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest
from playwright.sync_api import Page, Response, expect

from engine.position import view
from tests.browser.served import game_under_way
from tests.browser.windows import Visitors
from tests.newcomers.person import Person, play_first_offer, told, touch_a_card
from tests.newcomers.test_taps import DEVICES
from tests.server.desk import let_advise, start_game

pytestmark = pytest.mark.breadth
MOST_TAPS = 6
MOST_BYTES = 150_000
MOST_SECONDS = 20.0
"""Where others use the machine as well: how long it takes on a quiet one is printed."""
TRIES = 3


def first_turn(place: Any, window: Page, *, touches: bool) -> Person:
    """Open the mailbox, the letter, the page, and play the turn that is offered first."""
    game = start_game(place.context, "Anna", "house:Philip", "house:Roxana")
    let_advise(place.context, game)  # as in the demo
    place.work()
    while place.position(game).table.names[place.position(game).table.seat] != "Anna":
        place.work()
    person = Person(window, touches=touches)
    window.goto(f"{place.address}/mailbox")
    person.press(window.locator("ul.mails a").first)
    letter = window.frame_locator("iframe.letter")
    button = letter.locator("a.button, td.button a, a[href*='/t/']").first
    expect(button).to_be_visible()
    turn = place.position(game).table.turn
    with window.expect_navigation():
        person.press(button)
    play_first_offer(person, place, game)
    assert place.position(game).table.turn > turn, "the turn is not over"
    return person


def forgive(visitors: Visitors) -> None:
    """What a browser writes down where these tests look into a letter that may run no script."""
    for watch in visitors.watches:
        watch.faults[:] = [one for one in watch.faults if "Blocked script execution" not in one]


@DEVICES
def test_a_first_turn_takes_six_taps_from_the_mailbox(place, visitors, record_property, device):
    window = visitors.visitor(device)
    person = first_turn(place, window, touches="has_touch" in device)
    forgive(visitors)
    record_property("figure", f"first turn from the mailbox: {person.taps} taps, {person.scrolls} scrolls")
    assert person.taps <= MOST_TAPS
    assert person.scrolls <= 1


@DEVICES
def test_the_page_of_a_turn_is_light_with_all_that_comes_later(place, visitors, record_property, device):
    """Every byte of a first visit, until nothing more is asked for."""
    place.dice.seed(3)
    game = game_under_way(place, 14)
    let_advise(place.context, game)
    answers: list[Response] = []
    window = visitors.visitor(device)
    window.on("response", lambda answer: answers.append(answer))
    window.goto(place.link(game))
    window.wait_for_load_state("networkidle")
    sizes = {one.url.rpartition("/")[2][:24]: len(one.body()) for one in answers if one.status == 200}
    record_property("figure", f"bytes of the page of a turn: {sum(sizes.values())}")
    assert sum(sizes.values()) <= MOST_BYTES, sizes


@DEVICES
def test_the_page_of_a_turn_can_soon_be_used(place, visitors, record_property, device):
    """From the tap on the link until a tap on a card is shown."""
    took = []
    for number in range(TRIES):
        game = game_under_way(place, 10 + number)
        known = view(place.position(game), place.position(game).table.seat)
        window = visitors.visitor(device)
        link = place.link(game)
        begun = perf_counter()
        window.goto(link, wait_until="commit")
        touch_a_card(window, known)
        took.append(perf_counter() - begun)
        window.context.close()
    record_property("figure", told("seconds until a card can be chosen", took))
    assert min(took) <= MOST_SECONDS, took
