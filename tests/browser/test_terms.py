"""A game is opened with terms of its own, paused by its organiser, and given up; somebody sleeps at night."""

from __future__ import annotations

import re
from datetime import time

import pytest
from playwright.sync_api import expect
from sqlmodel import select

from emails.terms import AbsenceRule
from server.store.game_terms import terms_of
from server.store.models import Game, Resignation, Seating
from server.store.stored_availability import load_availability
from tests.browser.served import game_under_way
from tests.browser.test_agreements import fits_phone
from tests.browser.test_days import DONE, LANGUAGES, press, row_of, signed_in
from tests.browser.test_substitutes import link_in_mail
from tests.browser.windows import PHONE
from tests.server.desk import start_timed_game
from tests.server.web.lobby.test_open_seat_pages import organiser_link

pytestmark = pytest.mark.breadth

PROPOSAL = re.compile(r"http://\S+/n/\S+")
SUNDAY = 6


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_is_opened_with_its_pace_its_rule_for_who_is_late(place, visitors, language):
    window = visitors.visitor(PHONE, locale=language)
    window.goto("/new")
    for name, typed in {
        "name": "Friday",
        "name1": "Anna",
        "address1": "anna@example.org",
        "name2": "Ben",
        "address2": "ben@example.org",
    }.items():
        window.locator(f"#{name}").fill(typed)
    window.locator("#tempo-lively").check()
    window.locator("details.fold").last.locator("summary").tap()
    window.locator("#absence-kept").check()
    fits_phone(window)
    with window.expect_navigation():
        window.locator("form.opening button.large").tap()
    place.work()
    window.goto(link_in_mail(place, "Anna", PROPOSAL))
    with window.expect_navigation():
        window.locator("main form button").first.tap()
    with place.context.reading() as session:
        [game] = session.exec(select(Game)).all()
        terms = terms_of(session, game.id)
        assert (game.turn_minutes, terms.absence) == (12 * 60, AbsenceRule.SEAT)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_organiser_pauses_the_game_and_lets_it_go_on(place, visitors, language):
    game = start_timed_game(place.context, "Anna", "Ben", "Cleo")
    window = visitors.visitor(PHONE, locale=language)
    window.goto(organiser_link(place, game))
    fits_phone(window)
    press(window, language, "Pause the game")
    expect(window.locator("button[value=resume]")).to_be_visible()
    assert row_of(place, game).paused_at is not None
    fits_phone(window)
    press(window, language, "Let it go on")
    expect(window.locator("button[value=pause]")).to_be_visible()
    assert row_of(place, game).paused_at is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_sleep_and_days_off_are_kept_and_the_zone_is_one_link_away(place, visitors, language):
    game = game_under_way(place, 12, language)
    window = signed_in(place, visitors, game, 0)
    window.goto(f"{place.link(game, seat=0)}/away")
    window.locator("#sleeps-from").fill("22:30")
    window.locator("#sleeps-until").fill("07:00")
    window.locator(f"input[name=off{SUNDAY}]").check()
    fits_phone(window)
    press(window, language, "Keep sleep and days off")
    expect(window.locator(DONE)).to_be_visible()
    press(window, language, "Another time zone", link=True)
    window.locator("#zone").select_option("Europe/Amsterdam")
    with window.expect_navigation():
        press(window, language, "Keep these settings")
    with place.context.reading() as session:
        player = session.get_one(Seating, (game, 0)).player
        assert player is not None
        found = load_availability(session, player, game)
    assert (found.sleep, found.days_off) == ((time(22, 30), time(7)), frozenset({SUNDAY}))
    assert found.zone == "Europe/Amsterdam"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_is_given_up_by_a_button_of_its_own_page(place, visitors, language):
    game = game_under_way(place, 12, language)
    window = signed_in(place, visitors, game, 0)
    window.goto(place.link(game, seat=0))
    with window.expect_navigation():
        press(window, language, "Resign", link=True)
    fits_phone(window)
    with window.expect_navigation():
        press(window, language, "Resign")
    with place.context.reading() as session:
        assert list(session.exec(select(Resignation.seat))) == [0]
