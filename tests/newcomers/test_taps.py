"""How often a person has to tap and to scroll for a turn, who touches only what they see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from server.store.states import Channel
from server.turns.play import play_turn
from tests.browser.served import Served
from tests.browser.windows import Visitors
from tests.newcomers.person import Person, play_turn_on_page, told
from tests.next_actions import play_steadily
from tests.server.desk import game_row, start_game

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844}, "screen": {"width": 390, "height": 844},
    "has_touch": True, "is_mobile": True, "device_scale_factor": 2,
}  # fmt: skip
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 720}}
DEVICES = pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
FEW, MANY = 5, 200
MOST_TAPS = 4
"""Of a median turn."""
EACH = 20
"""Turns of one game that are counted."""


@dataclass(frozen=True)
class Effort:
    """What one turn took."""

    taps: int
    scrolls: int
    pages: int
    """That were loaded, the first with them."""


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
        game = start_game(place.context, *people)
        for _ in range(min(EACH, turns - len(found))):
            if place.position(game).table.over:
                break
            found.append(play_on_page(place, visitors, game, device))
            if not place.position(game).table.over:
                after = game_row(place.context, game).after
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


@pytest.mark.breadth
@DEVICES
def test_a_few_turns_take_few_taps_and_no_scroll(place, visitors, record_property, device):
    judge(efforts(place, visitors, device, FEW), record_property, f"{device['viewport']['width']} px")


@pytest.mark.long
@DEVICES
def test_two_hundred_turns_take_few_taps_and_no_scroll(place, visitors, record_property, device):
    judge(efforts(place, visitors, device, MANY), record_property, f"{device['viewport']['width']} px")
