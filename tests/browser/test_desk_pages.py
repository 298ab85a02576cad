"""The operator's desk on a phone: a link is mailed, a game is found, paused, resumed, given more time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from emails.i18n import Locale, gettext, use_locale
from server.delivery.sending import send_operator_mails
from tests.browser.served import Served, game_under_way, served
from tests.browser.test_agreements import fits_phone
from tests.browser.test_days import DONE, LANGUAGES, press, row_of
from tests.browser.windows import PHONE, Visitors
from tests.server.desk import Collector, body, confirm, start_game

pytestmark = pytest.mark.breadth

OPERATOR = "operator@example.net"
LOCALES = {"en": "en-GB", "nl": "nl-NL"}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path, ALEXANDROS_OPERATOR=OPERATOR) as started:
        yield started


def sit_down(place: Served, visitors: Visitors, language: str) -> Page:
    """The desk on the operator's phone, who plays nowhere: by the form and the link in the mail."""
    window = visitors.visitor(PHONE, script=False, locale=LOCALES[language])
    window.goto("/desk")
    fits_phone(window)
    window.locator("#address").fill(OPERATOR)
    press(window, language, "Mail me a link")
    with use_locale(Locale(language)):
        expect(window.locator("h1")).to_have_text(gettext("Look in your mail"))
    fits_phone(window)
    carrier = Collector()
    send_operator_mails(place.context, carrier, place.clock())
    link = re.search(r"/s/[a-z2-7]{32}", body(carrier.mails[-1]))
    assert link
    window.goto(link[0])
    fits_phone(window)
    window.get_by_role("main").get_by_role("button").click()
    expect(window.locator("#word")).to_be_visible()
    fits_phone(window)
    return window


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_plays_nowhere_signs_in_at_the_desk(place, visitors, language):
    window = sit_down(place, visitors, language)
    window.locator("#word").fill("nothing-like-it")
    window.get_by_role("button").first.click()
    expect(window.locator("#word")).to_have_value("nothing-like-it")
    fits_phone(window)


def test_a_game_is_found_paused_resumed_and_given_more_time_by_taps(place, visitors):
    game = game_under_way(place, 12, "en")
    place.work()
    before = row_of(place, game).deadline
    window = sit_down(place, visitors, "en")
    window.locator("#word").fill("Friday")
    press(window, "en", "Find")
    window.locator(f"a[href='/desk/game/{game}']").click()
    fits_phone(window)
    for words, stands in (("Pause the game", True), ("Resume the game", False)):
        press(window, "en", words)
        expect(window.locator(DONE)).to_be_visible()
        fits_phone(window)
        assert (row_of(place, game).deadline is None) == stands
    window.locator("#hours").fill("5")
    press(window, "en", "Give more time")
    expect(window.locator(DONE)).to_be_visible()
    assert row_of(place, game).deadline == before + timedelta(hours=5)
    press(window, "en", "How the game stands", link=True)
    expect(window.locator("main ul").first).to_be_visible()
    fits_phone(window)


def test_a_seat_is_passed_on_to_somebody_who_plays_here(place, visitors):
    game = game_under_way(place, 12, "en")
    place.work()
    start_game(place.context, "Cleo", "Dirk")
    confirm(place.context, "Cleo")
    window = sit_down(place, visitors, "en")
    window.goto(f"/desk/game/{game}")
    window.locator("#seat").fill("2")
    window.locator("#successor").fill("cleo@example.org")
    press(window, "en", "Pass the seat on")
    expect(window.locator(DONE)).to_contain_text("plays on for Ben")
    fits_phone(window)
    assert place.position(game).table.names[1] == "Cleo"


def test_what_became_of_mail_is_read_and_a_letter_is_sent_again(place, visitors):
    game_under_way(place, 12, "en")
    place.work()
    window = sit_down(place, visitors, "en")
    window.locator("#word").fill("ben@")
    press(window, "en", "Find")
    window.locator("a[href*='/desk/mail']").first.click()
    expect(window.locator("main ul li").first).to_be_visible()
    fits_phone(window)
    window.locator("#new").fill("ben@example.net")
    press(window, "en", "Ask the new address")
    expect(window.locator(DONE)).to_contain_text("is asked whether it is Ben's")
    window.locator("#number").fill("1")
    press(window, "en", "Send one of ours again")
    expect(window.locator(".notice, .wrong").first).to_be_visible()
    fits_phone(window)
