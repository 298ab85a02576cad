"""How often a person has to tap and to scroll for a turn, and a first one, who touches only what they see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from server.store.states import Channel
from server.turns.play import play_turn
from tests.breadth import by_run
from tests.browser.served import Served
from tests.browser.windows import Visitors
from tests.newcomers.person import Person, play_first_offer, play_turn_on_page, told
from tests.next_actions import play_steadily

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844}, "screen": {"width": 390, "height": 844},
    "has_touch": True, "is_mobile": True, "device_scale_factor": 2,
}  # fmt: skip
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 720}}
DEVICES = pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
MOST_TAPS = 4
EACH = 20


@dataclass(frozen=True)
class Effort:
    """What one turn took."""

    taps: int
    scrolls: int
    pages: int


def play_on_page(place: Served, visitors: Visitors, game: str, device: dict[str, Any]) -> Effort:
    """Play a turn on its page as a player of the house would, and count."""
    window = visitors.visitor(device)
    pages: list[str] = []
    window.on("framenavigated", lambda frame: pages.append(frame.url))
    person = Person(window, touches="has_touch" in device)
    person.come(place.link(game))
    person.taps = person.scrolls = 0
    play_turn_on_page(person, place, game)
    window.context.close()
    return Effort(person.taps, person.scrolls, len(pages))


def efforts(place: Served, visitors: Visitors, device: dict[str, Any], turns: int) -> list[Effort]:
    """What so many turns took, every other one of games of two, three and four."""
    found: list[Effort] = []
    number = 0
    while len(found) < turns:
        place.dice.seed(number)
        people = ("Anna", "Ben", "Cleo", "Dirk")[: 2 + number % 3]
        game = place.context.start_game(*people)
        for _ in range(min(EACH, turns - len(found))):
            if place.position(game).table.over:
                break
            found.append(play_on_page(place, visitors, game, device))
            if not place.position(game).table.over:
                after = place.context.game_row(game).after
                play_turn(place.context, game, after, play_steadily, Channel.WEB, place.clock())
        number += 1
    return found


def judge(found: list[Effort], record: Any, name: str) -> None:
    """Print what turns took, and refuse what is too much for the median."""
    taps, scrolls = [one.taps for one in found], [one.scrolls for one in found]
    record("figure", told(f"taps of a turn, {name}", taps))
    record("figure", told(f"scrolls of a turn, {name}", scrolls))
    record("figure", told(f"pages of a turn, {name}", [one.pages for one in found]))
    half = len(found) // 2
    assert sorted(taps)[half] <= MOST_TAPS, sorted(taps)
    assert sorted(scrolls)[half] == 0, sorted(scrolls)


@DEVICES
@pytest.mark.parametrize("turns", by_run(long=[5, 200]))
def test_turns_take_few_taps_and_no_scroll(place, visitors, record_property, turns, device):
    judge(efforts(place, visitors, device, turns), record_property, f"{device['viewport']['width']} px")


# --- from the mailbox to the end of a first turn --------------------------------------------------------

MOST_FIRST_TAPS = 6


def first_turn(place: Any, window: Page, *, touches: bool) -> Person:
    """Open the mailbox, the letter, the page, and play the turn that is offered first."""
    game = place.context.start_game("Anna", "house:Philip", "house:Roxana")
    place.context.let_advise(game)  # as in the demo
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
    assert person.taps <= MOST_FIRST_TAPS
    assert person.scrolls <= 1
