"""Advice is shown in place when it is asked for, and leads to the preview of a turn."""

import pytest
from playwright.sync_api import expect

from tests.browser.served import game_under_way
from tests.browser.windows import DESKTOP, PHONE
from tests.server.desk import let_advise

pytestmark = pytest.mark.breadth


@pytest.fixture
def link(place) -> str:
    """The page of a turn in a game in which advice is given."""
    game = game_under_way(place, 12)
    let_advise(place.context, game)
    return place.link(game)


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_advice_unfolds_where_it_is_asked_for_and_leads_to_a_preview(visitors, link, device):
    window = visitors.visitor(device)
    window.goto(link)
    window.evaluate("window.marked = true")
    window.get_by_text("Ask for advice").click()
    suggestions = window.locator("#advice a.choice")
    expect(suggestions.first).to_contain_text("expected")
    assert 1 <= suggestions.count() <= 5
    assert window.evaluate("window.marked")  # the page is still the same one
    expect(window.locator("#advice h2")).to_be_focused()
    expect(window.locator(".dock")).to_be_visible()
    assert window.evaluate("document.documentElement.scrollWidth <= innerWidth")
    suggestions.first.click()
    expect(window.locator("h1")).to_have_text("Shall this be done?")


def test_why_there_is_no_advice_is_told_in_place(place, visitors, link):
    place.app.config["ADVICE_PER_HOUR"] = 0
    window = visitors.visitor()
    visitors.watches[-1].allowed.add(429)
    window.goto(link)
    window.get_by_text("Ask for advice").click()
    expect(window.locator("#advice")).to_contain_text("You have asked for advice very often.")
    expect(window.locator(".dock")).to_be_visible()
