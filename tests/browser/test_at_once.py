"""What a tapped link of a letter does in a real browser, before its player has chosen and after."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.served import Served, game_under_way
from tests.browser.windows import PHONE, Visitors
from tests.server.web.game.test_one_click_play import words

pytestmark = pytest.mark.breadth

DONE, DO_IT, TICK = ".notice.done", "section.preview form button", "input[name='at-once']"


def tap(window: Page, place: Served, game: str) -> int:
    """Open a link of the newest letter; the number of the last act before."""
    before = place.history(game).after
    window.goto(place.link(game, words(place, game)))
    return before


def test_a_link_shows_until_its_player_chooses_and_then_one_tap_plays(place: Served, visitors: Visitors):
    game = game_under_way(place, 12)
    window = visitors.visitor(PHONE)
    before = tap(window, place, game)
    expect(window.locator(DO_IT)).to_be_visible()
    assert place.history(game).after == before
    window.locator(TICK).check()
    window.locator(DO_IT).click()
    expect(window.locator(DONE)).to_be_visible()

    before = tap(window, place, game)
    expect(window.locator(DONE)).to_be_visible()
    assert place.history(game).after > before
    played = place.history(game).after
    window.go_back()  # to where the link was tapped
    assert place.history(game).after == played

    window.goto(f"{place.link(game)}/settings")
    window.locator(TICK).uncheck()
    window.locator("#links button").click()
    expect(window.locator(TICK)).not_to_be_checked()
    before = tap(window, place, game)
    expect(window.locator(DO_IT)).to_be_visible()
    assert place.history(game).after == before


def test_one_tap_after_the_first_move_chooses(place: Served, visitors: Visitors):
    game = game_under_way(place, 12)
    window = visitors.visitor(PHONE)
    tap(window, place, game)
    window.locator(DO_IT).click()
    window.locator(f"{DONE} form button").tap()
    expect(window.locator(f"{DONE} a[href$='/settings#links']")).to_be_visible()
    tap(window, place, game)
    expect(window.locator(DONE)).to_be_visible()
