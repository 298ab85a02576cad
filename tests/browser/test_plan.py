"""A turn is planned in a real browser, on a phone: made on the board, seen, changed and withdrawn."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from werkzeug import Response

from emails.i18n import Locale, gettext, use_locale
from server.store.models import Game
from tests.browser.served import Served, game_under_way
from tests.browser.test_every_page import AXE, JUDGE, SIDEWAYS
from tests.browser.windows import PHONE
from tests.judges.court import missing
from tests.server.planning import plans

pytestmark = pytest.mark.breadth
DRAW = {"en": "draw", "nl": "trek"}


def press(window: Page, language: str, words: str) -> None:
    """Tap what has these words in the language of the window."""
    with use_locale(Locale(language)):
        said = gettext(words)
    window.locator(":is(a, button):visible").filter(has_text=said).first.click()


def waiting_seat(place: Served, game: str) -> int:
    """The seat of whoever is not to move."""
    with place.context.reading() as session:
        return 1 - (session.get_one(Game, game).seat or 0)


def judge(place: Served, window: Page) -> None:
    """Let axe look at a page, and see that nothing must be scrolled to the side."""
    if not AXE.exists():
        missing("this needs the packages of tests/judges/package.json: npm ci --prefix tests/judges")
    place.files["/axe.js"] = Response(AXE.read_bytes(), mimetype="text/javascript")
    window.add_script_tag(url="/axe.js")
    assert window.evaluate(JUDGE, {"resultTypes": ["violations"]}) == []
    assert window.evaluate(SIDEWAYS) <= 0


@pytest.mark.parametrize("language", ["en", "nl"])
@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_a_turn_is_planned_on_the_board_seen_changed_and_withdrawn(place, visitors, language, script):
    game = game_under_way(place, 12, language)
    place.work()
    seat = waiting_seat(place, game)
    window = visitors.visitor(PHONE, script=script)
    window.goto(place.link(game, seat=seat))
    press(window, language, "Plan your next turn")
    window.locator("#march button").first.click()
    begun = window.locator("#words").input_value()
    assert begun.startswith("plan: ")
    assert plans(place.context) == []
    window.locator(".dock .verb.draw").click()
    drawn = window.locator("#words").input_value()
    assert drawn.startswith(f"{begun}; ")
    if script:
        judge(place, window)
    window.locator(".dock .keep").click()
    kept = window.locator("section#plan")
    expect(kept).to_contain_text(f"“{drawn}”")
    assert len(plans(place.context)) == 1
    if script:
        judge(place, window)
    press(window, language, "Change the plan")
    expect(window.locator("#words")).to_have_value(drawn)
    changed = f"{drawn}; {DRAW[language]}"
    window.locator("#words").fill(changed)
    window.locator("#planned button[name=keep]").click()
    expect(kept).to_contain_text(f"“{changed}”")
    press(window, language, "Withdraw the plan")
    expect(kept).to_have_count(0)
    assert plans(place.context) == []
