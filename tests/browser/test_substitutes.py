"""Somebody else takes an empty seat on a phone: by the link that is passed on, in both languages."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from sqlmodel import select

from emails.terms import AbsenceRule
from server.store.encrypted_mail import decrypt_mail
from server.store.game_terms import SeatRequest
from server.store.models import LocalMail
from server.store.server_facts import GameTerms
from server.web.mail import mailbox_pages
from tests.browser.served import Served
from tests.browser.test_agreements import fits_phone, open_agreements, tap
from tests.browser.test_days import LANGUAGES, come
from tests.browser.windows import PHONE
from tests.server.desk import begin_time, open_game, resign, set_preferences

pytestmark = pytest.mark.breadth

REPLACE = "form:has(input[value='replace'])"
OFFER, SIGN_IN = (re.compile(rf"http://\S+/{kind}/\S+") for kind in "js")


def link_in_mail(place: Served, name: str, which: re.Pattern[str]) -> str:
    """The newest such link that somebody has got by mail."""
    with place.context.reading() as session:
        to_them = select(LocalMail).where(LocalMail.recipient == f"{name.lower()}@example.org")
        mails = [decrypt_mail(one, place.context.links.keys).raw for one in session.exec(to_them)]
    texts = [mailbox_pages.open_mail(raw).text for raw in mails]
    return [found for text in texts for found in which.findall(text)][-1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_is_gone_is_replaced_by_somebody_who_takes_the_seat(place, visitors, language):
    requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo")]
    terms = GameTerms(absence=AbsenceRule.SEAT)
    game = open_game(place.context, "Friday", requests, place.clock(), hours=48, at_once=True, terms=terms)
    begin_time(place.context, game, place.clock())
    names = place.position(game).table.names
    for name in names:
        set_preferences(place.context, game, name, language=language)
    resign(place.context, game, 0, "web", place.clock())
    place.work()
    for seat in (1, 2):
        tap(open_agreements(place, visitors, game, seat, language), REPLACE)
    place.work()
    window = visitors.visitor(PHONE, script=False, locale=language)
    window.goto(link_in_mail(place, names[1], OFFER))
    fits_phone(window)
    window.locator("#name").fill("Dirk")
    window.locator("#address").fill("dirk@example.org")
    window.locator("main form button").tap()
    window.wait_for_url("**asked=1")
    place.work()
    window.goto(link_in_mail(place, "Dirk", SIGN_IN))
    window.locator("main form button").first.tap()
    window.wait_for_url("**/j/**")
    fits_phone(window)
    window.locator("main form button").first.tap()
    window.wait_for_url("**/t/**")
    assert place.history(game).offers == {}
    assert place.position(game).table.names[0] == "Dirk"
    fits_phone(window)
    expect(come(place, visitors, game, 1).locator("main")).to_contain_text("Dirk")
