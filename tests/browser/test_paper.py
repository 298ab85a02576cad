"""The turn sheet on paper, as a browser prints it: one page of either size, on which nothing is cut off."""

import dataclasses
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from engine.cards import Bag, Symbol
from engine.position import Phase
from tests.server.desk import set_preferences
from tests.server.web.played import advance, move

pytestmark = pytest.mark.breadth

SIZES = {"A4": (703, 1031), "Letter": (725, 965)}
"""What is left of each within its margins of 12 mm, in pixels."""


def printed(window: Page, link: str) -> None:
    """One page of either size, on which nothing is cut off."""
    window.goto(link)
    for size, (width, height) in SIZES.items():
        pages = re.findall(rb"/Type\s*/Page\b", window.pdf(format=size))
        window.emulate_media(media="print")
        window.set_viewport_size({"width": width, "height": height})
        cut = window.evaluate(
            """() => {
                const sheet = document.querySelector(".sheet").getBoundingClientRect();
                const outside = (box) => box.bottom > sheet.bottom + 1 || box.right > sheet.right + 1;
                return [...document.querySelectorAll(".sheet :not(i, svg *)")]
                    .filter((one) => outside(one.getBoundingClientRect()))
                    .map((one) => one.outerHTML.slice(0, 80));
            }"""
        )
        assert not cut, size
        assert len(pages) == 1, f"{len(pages)} pages of {size}"
        lines = "() => document.querySelector('.lines').getBoundingClientRect().height"
        assert window.evaluate(lines) > 40, "room to write one line at least"
        window.emulate_media(media="null")


@pytest.fixture
def window(browser, place) -> Iterator[Page]:
    opened = browser.new_page(base_url=place.address)
    yield opened
    opened.close()


def test_it_is_one_page_from_the_first_turn_to_the_end(place, window):
    game = place.start_game("Anna", "Ben", "Cleo", "Dirk")
    printed(window, f"{place.link(game)}/sheet")
    for turn in (12, 24):
        advance(place, game, lambda now, turn=turn: now.table.turn >= turn)
        printed(window, f"{place.link(game)}/sheet")
        until(place, game, Phase.ACTIONS)
        printed(window, f"{place.link(game)}/sheet")
    advance(place, game, lambda now: now.table.over)
    printed(window, f"{place.link(game, seat=1)}/sheet")


def until(place, game, phase: Phase) -> None:
    """On to a turn that waits for this."""
    move(place, game)
    advance(place, game, lambda now: now.table.phase is phase)


def test_it_is_one_page_with_a_full_hand_and_long_names(place, window):
    names = [f"{letter}{'w' * 38}" for letter in "ABCD"]
    game = place.start_game(*names)
    for name in names:
        set_preferences(place.context, game, name, everywhere=True, language="nl")
    advance(place, game, lambda now: now.table.turn >= 14)
    for phase in (Phase.CARD, Phase.ACTIONS):
        if place.table(game).phase is not phase:
            until(place, game, phase)
        position, history = place.position(game), place.history(game)
        full = Bag.of([*Symbol] * 4)
        rich = dataclasses.replace(position, hands=(full,) * 4)
        place.context.history_cache.put(game, dataclasses.replace(history, position=rich))
        printed(window, f"{place.link(game)}/sheet")
        place.context.history_cache.put(game, history)
