"""What players ask of each other, on phones: hours, a pause until a day, to go on without who is gone."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands import LEAST_BUTTON
from tests.browser.served import Served, game_under_way
from tests.browser.test_days import DONE, LANGUAGES, come, press, row_of
from tests.browser.test_every_page import SIDEWAYS
from tests.browser.windows import Visitors
from tests.server.desk import resign, set_preferences, start_timed_game

pytestmark = pytest.mark.breadth

MORE_TIME, PAUSE = (f"form:has(button[value='{word}'])" for word in ("more time", "pause"))
VOTE, GO_ON = ".vote form", "form:has(input[value='empty seat'])"


def open_agreements(place: Served, visitors: Visitors, game: str, seat: int, language: str) -> Page:
    """The page of agreements on somebody's phone, from the page of the game."""
    window = come(place, visitors, game, seat)
    fits_phone(window)
    press(window, language, "Agreements", link=True)
    expect(window.locator("main form").first).to_be_visible()
    fits_phone(window)
    return window


def fits_phone(window: Page) -> None:
    """Nothing has to be scrolled to the side, and each button is as large as a finger needs."""
    window.wait_for_load_state()
    assert window.evaluate(SIDEWAYS) <= 0
    for one in window.locator("main section form button.button").all():
        box = one.bounding_box()
        if box is not None and one.is_visible():  # what is folded away has no size
            assert min(box["width"], box["height"]) >= LEAST_BUTTON, one.evaluate("here => here.outerHTML")


def tap(window: Page, where: str) -> None:
    """The first button of what is asked for: to ask, or to agree. What came of it is told."""
    window.locator(where).get_by_role("button").first.tap()
    expect(window.locator(DONE)).to_be_visible()
    fits_phone(window)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_day_more_is_taken_and_taken_back(place, visitors, language):
    game = game_under_way(place, 12, language)
    place.work()
    mover, before = row_of(place, game).seat, row_of(place, game).deadline
    tap(open_agreements(place, visitors, game, mover, language), MORE_TIME)
    assert row_of(place, game).deadline == before + timedelta(hours=24)
    other = open_agreements(place, visitors, game, 1 - mover, language)
    other.locator(VOTE).get_by_role("button").last.tap()
    expect(other.locator(DONE)).to_be_visible()
    assert row_of(place, game).deadline == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pause_lasts_until_the_day_that_was_chosen_and_each_page_says_so(place, visitors, language):
    game = game_under_way(place, 12, language)
    place.work()
    last = place.clock().date() + timedelta(days=3)
    asking = open_agreements(place, visitors, game, 1, language)  # who has opened the game pauses it alone
    asking.locator(f"{PAUSE} input[name=last]").fill(last.isoformat())
    tap(asking, PAUSE)
    assert row_of(place, game).paused_at is None
    tap(open_agreements(place, visitors, game, 0, language), VOTE)
    assert row_of(place, game).paused_at is not None
    ends = place.history(game).agreements.pause_ends
    assert ends == datetime.combine(last + timedelta(days=1), time(), UTC)
    for seat in (0, 1):
        window = come(place, visitors, game, seat)
        said = {"en": f"{ends.day} {ends:%B}", "nl": f"{ends.day} maart"}[language]
        expect(window.locator(".notice").filter(has_text=said)).to_be_visible()
        fits_phone(window)


@pytest.mark.parametrize("language", LANGUAGES)
def test_those_who_still_play_go_on_without_who_is_gone(place, visitors, language):
    game = start_timed_game(place.context, "Anna", "Ben", "Cleo")
    for name in place.position(game).table.names:
        set_preferences(place.context, game, name, language=language)
    resign(place.context, game, 2, "web", place.clock())
    place.work()
    for seat in (0, 1):
        assert not place.history(game).skipped
        window = open_agreements(place, visitors, game, seat, language)
        window.locator(GO_ON).get_by_role("button").nth(1).tap()
        expect(window.locator(DONE)).to_be_visible()
    assert place.history(game).skipped == {2}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_asked_is_answered_with_a_thumb_on_the_page_of_the_game(place, visitors, language):
    """The two who are asked, to move or waiting, on the narrowest of phones."""
    game = start_timed_game(place.context, "Anna", "Ben", "Cleo")
    for name in place.position(game).table.names:
        set_preferences(place.context, game, name, language=language)
    place.work()
    tap(open_agreements(place, visitors, game, 2, language), PAUSE)
    for seat in (0, 1):
        window = come(place, visitors, game, seat)
        window.set_viewport_size({"width": 360, "height": 740})
        fits_phone(window)
        window.locator(".vote").get_by_role("button").first.tap()
        expect(window.locator(DONE)).to_be_visible()
    assert row_of(place, game).paused_at is not None
