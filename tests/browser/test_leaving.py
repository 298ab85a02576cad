"""Who resigns or vanishes, on phones: they come back, the others end it, somebody else takes the seat."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from emails.i18n import Locale, gettext, use_locale
from emails.terms import AbsenceRule
from server.store.game_terms import SeatRequest
from server.store.server_facts import GameTerms
from server.store.states import GameStatus
from tests.browser.served import Served
from tests.browser.test_agreements import fits_phone, open_agreements, tap
from tests.browser.test_days import LANGUAGES, come, press, row_of, signed_in
from tests.browser.test_substitutes import OFFER, SIGN_IN, link_in_mail
from tests.browser.windows import PHONE
from tests.server.desk import names_of, open_game, resign, set_preferences
from tests.server.lobby.test_seat_returns import plays

pytestmark = pytest.mark.breadth

CLOSE = "form:has(input[value='close the game'])"
IN_EACH = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture
def game(place: Served, language: str) -> str:
    """A game of three that anybody may watch, by the usual rule for who is late."""
    requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo")]
    terms = GameTerms(watched=True, absence=AbsenceRule.TURN)
    game = open_game(place.context, "Friday", requests, place.clock(), hours=48, at_once=True, terms=terms)
    for name in names_of(place.context, game):
        set_preferences(place.context, game, name, language=language, moves=True)
    place.work()
    return game


def let_vanish(place: Served, game: str) -> str:
    """Two turns of the first are not played, so that their seat is offered; gives their name."""
    for _ in range(2):
        while row_of(place, game).seat != 0:
            play_on(place, game)
        place.clock.forward(48.2)
        place.work()
    assert set(place.history(game).offers) == {0}
    return names_of(place.context, game)[0]


def play_on(place: Served, game: str) -> None:
    plays(place.context, game)
    place.work()


def tap_on(window: Page, name: str = "") -> None:
    """The large button of a page, which leads on."""
    with window.expect_navigation():
        window.locator("main form button").first.tap()
    fits_phone(window)


def ask_for_seat(window: Page) -> None:
    """Fill in the form of the seat as somebody who has never been here."""
    fits_phone(window)
    window.locator("#name").fill("Dirk")
    window.locator("#address").fill("dirk@example.org")
    tap_on(window)


def says(window: Page, language: str, words: str, **values: str) -> None:
    """A page has these words in the language of its reader, and fits a phone."""
    with use_locale(Locale(language)):
        expect(window.locator("main")).to_contain_text(gettext(words, **values))
    fits_phone(window)


@IN_EACH
def test_who_has_resigned_takes_it_back_by_the_button_of_the_game(place, visitors, game, language):
    window = signed_in(place, visitors, game, 2)
    window.goto(place.link(game, seat=2))
    press(window, language, "Resign", link=True)
    says(window, language, "Others can take the seat. Until somebody has it you can come back.")
    tap_on(window)
    says(window, language, "Until somebody else has the seat you can come back.")
    assert set(place.history(game).resigned) == {2}
    press(window, language, "To the game", link=True)
    says(window, language, "You have resigned from this game, and a caretaker plays on for you.")
    press(window, language, "I am back")
    says(window, language, "You are back: your turns are yours again, and the others are told.")
    assert not place.history(game).resigned
    press(window, language, "To the game", link=True)
    fits_phone(window)
    with use_locale(Locale(language)):
        expect(window.get_by_role("link", name=gettext("Resign"), exact=True)).to_be_visible()


@IN_EACH
def test_a_game_ends_as_it_stands_once_all_who_still_play_agree(place, visitors, game, language):
    resign(place.context, game, 2, "web", place.clock())
    place.work()
    asking = open_agreements(place, visitors, game, 0, language)
    tap(asking, CLOSE)
    assert row_of(place, game).status is GameStatus.RUNNING
    place.work()
    agreeing = open_agreements(place, visitors, game, 1, language)
    tap(agreeing, CLOSE)
    assert row_of(place, game).status is GameStatus.OVER
    window = come(place, visitors, game, 1)
    fits_phone(window)
    expect(window.locator("h1")).to_contain_text({"en": "you and", "nl": "jij en"}[language])


@IN_EACH
@pytest.mark.parametrize("way", ["letter", "list"])
def test_after_two_missed_turns_a_stranger_has_the_seat_and_who_had_it_asks_for_it_in_vain(
    place, visitors, game, language, way
):
    gone = let_vanish(place, game)
    old = come(place, visitors, game, 0)
    says(old, language, "A caretaker keeps your seat and plays each of your turns until you are back.")
    press(old, language, "I am back", link=True)
    says(old, language, "A caretaker keeps your seat")
    window = visitors.visitor(PHONE, script=False, locale=language)
    if way == "letter":
        window.goto(link_in_mail(place, names_of(place.context, game)[1], OFFER))
    else:
        window.goto("/games")
        fits_phone(window)
        window.locator("#to-take-over h3 a").tap()
    says(window, language, "Will you play on for %(name)s?", name=gone)
    ask_for_seat(window)
    assert set(place.history(game).offers) == {0}, "nothing is taken before it is shown who asks"
    place.work()
    window.goto(link_in_mail(place, "Dirk", SIGN_IN))
    fits_phone(window)
    tap_on(window)
    tap_on(window)
    assert (place.history(game).offers, names_of(place.context, game)[0]) == ({}, "Dirk")
    visitors.watches[0].allowed.add(410)
    tap_on(old)
    says(old, "en", "You are not in this game")
    expect(old.locator("main")).to_contain_text("somebody else plays on there")
    assert names_of(place.context, game)[0] == "Dirk"
