"""Days away, a pause and a reminder in a real browser: on a phone, in both languages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect
from sqlmodel import select

from emails.i18n import Locale, gettext, use_locale
from emails.letters.kinds import LetterKind
from server.store.models import Game, OutgoingLetter
from server.store.stored_availability import StoredVacation
from server.web.kit.cookies import SIGN_IN_COOKIE
from tests.browser.served import Served, game_under_way
from tests.browser.windows import PHONE, Visitors

pytestmark = pytest.mark.breadth

LANGUAGES = ("en", "nl")
DONE = ".notice.done"


def come(place: Served, visitors: Visitors, game: str, seat: int, script: bool = False) -> Page:
    """The page of a game on somebody's phone."""
    window = visitors.visitor(PHONE, script=script)
    window.goto(place.link(game, seat=seat))
    return window


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
def test_whoever_waits_reminds_the_other_by_one_tap(place, visitors, language, script):
    game = game_under_way(place, 12, language)
    place.work()
    mover = row_of(place, game).seat
    place.clock.forward(30)
    window = come(place, visitors, game, 1 - mover, script)
    press(window, language, "Remind %(name)s", name=place.position(game).table.names[mover])
    expect(window.locator("main")).to_contain_text(place.position(game).table.names[mover])
    with place.context.reading() as session:
        assert (
            len(session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == LetterKind.REMINDER)).all())
            == 1
        )


def press(window: Page, language: str, words: str, link: bool = False, **values: str) -> None:
    """Tap what has these words in the language of the window; of a link, its page is loaded then."""
    with use_locale(Locale(language)):
        said = gettext(words, **values)
    found = window.get_by_role("link" if link else "button", name=said, exact=True).first
    if not link:
        found.click()
        return
    with window.expect_navigation():  # else what is looked at next can still be the page before, or none yet
        found.click()


def signed_in(place: Served, visitors: Visitors, game: str, seat: int) -> Page:
    """A phone in which the player of a seat is signed in."""
    name = place.app.config[SIGN_IN_COOKIE]
    cookie = place.signed_in(game, seat).client.get_cookie(name)
    assert cookie is not None
    window = visitors.visitor(PHONE, script=False)
    window.context.add_cookies([{"name": name, "value": cookie.value, "url": place.address}])
    return window


def vacations(place: Served) -> list[StoredVacation]:
    with place.context.reading() as session:
        return list(session.exec(select(StoredVacation)))


def row_of(place: Served, game: str) -> Game:
    with place.context.reading() as session:
        return session.get_one(Game, game)


@pytest.mark.parametrize("language", LANGUAGES)
def test_somebody_who_goes_away_says_so_in_a_few_taps_and_is_back_by_one(place, visitors, language):
    game = game_under_way(place, 12, language)
    place.work()
    mover = row_of(place, game).seat
    window = signed_in(place, visitors, game, mover)
    window.goto(place.link(game, seat=mover))
    press(window, language, "Settings", link=True)
    press(window, language, "When you are away", link=True)
    before = row_of(place, game).deadline
    window.locator("#last").fill(f"{place.clock() + timedelta(days=3):%Y-%m-%d}")
    press(window, language, "I am away on these days")
    expect(window.locator(DONE)).to_be_visible()
    assert [one.back_at for one in vacations(place)] == [None]
    assert row_of(place, game).deadline > before + timedelta(days=2)
    press(window, language, "I am back")
    expect(window.locator(DONE)).to_be_visible()
    assert [one.back_at is None for one in vacations(place)] == [False]
    assert row_of(place, game).deadline <= before + timedelta(hours=6)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pause_that_one_asks_for_begins_with_the_yes_of_the_other(place, visitors, language):
    game = game_under_way(place, 12, language)
    place.work()
    asking = come(place, visitors, game, 1)
    press(asking, language, "Agreements", link=True)
    press(asking, language, "Ask for a pause")
    expect(asking.locator(DONE)).to_be_visible()
    assert row_of(place, game).paused_at is None
    place.work()
    asked = come(place, visitors, game, 0)
    press(asked, language, "Agreements", link=True)
    press(asked, language, "I agree")
    expect(asked.locator(DONE)).to_be_visible()
    assert row_of(place, game).paused_at is not None
    place.clock.forward(25)
    asked.goto(place.link(game, seat=0))
    press(asked, language, "Agreements", link=True)
    press(asked, language, "End the pause")
    expect(asked.locator(DONE)).to_be_visible()
    assert row_of(place, game).paused_at is None
