"""From the mailbox to the end of a first turn."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.windows import Visitors
from tests.newcomers.person import Person, play_first_offer
from tests.newcomers.test_taps import DEVICES
from tests.server.desk import let_advise, start_game

pytestmark = pytest.mark.breadth
MOST_TAPS = 6


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
