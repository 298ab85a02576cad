"""Days away, more time, a pause, a plan and a return are begun on a phone by the link of a letter."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from emails.terms import AbsenceRule
from server.clock import tick
from tests.breadth import spread
from tests.browser.served import Served
from tests.browser.test_agreements import MORE_TIME, PAUSE, VOTE, fits_phone, tap
from tests.browser.test_days import DONE, LANGUAGES, press, row_of, signed_in, vacations
from tests.browser.windows import PHONE, Visitors
from tests.server.desk import names_of, set_preferences, start_timed_game
from tests.server.lobby.test_seat_returns import kept, opened, plays
from tests.server.planning import NEVER, plans

pytestmark = pytest.mark.breadth

IN_EACH = pytest.mark.parametrize("language", spread(1, LANGUAGES))


@dataclass(frozen=True)
class Table:
    """A game of three in which the first has played, with phones that open what stands in a letter."""

    place: Served
    visitors: Visitors
    game: str
    first: str
    mover: str
    waiting: str

    def open(self, name: str, page: str, *, script: bool = False, window: Page | None = None) -> Page:
        """The page that the newest letter to a player leads to, in a new window or in one that is open."""
        [link] = {link for link in self.place.letters(name) if link.endswith(page)}
        window = window or self.visitors.visitor(PHONE, script=script)
        window.goto(link)
        fits_phone(window)
        return window


@pytest.fixture
def table(place: Served, visitors: Visitors, language: str) -> Table:
    game = start_timed_game(place.context, "Anna", "Ben", "Cleo")
    names = names_of(place.context, game)
    for name in names:
        set_preferences(place.context, game, name, language=language, moves=True)
    place.work()
    plays(place.context, game)
    place.work()
    return Table(place, visitors, game, *names)


@IN_EACH
def test_whoever_is_to_move_goes_away_and_is_back(table, place, language):
    window = table.open(table.mover, "/away", script=True)
    window.locator("#last").fill(f"{place.clock() + timedelta(days=3):%Y-%m-%d}")
    press(window, language, "I am away on these days")
    expect(window.locator(DONE)).to_be_visible()
    assert [one.back_at for one in vacations(place)] == [None]
    window = signed_in(place, table.visitors, table.game, 1)
    table.open(table.mover, "/away", window=window)
    press(window, language, "I am back")
    expect(window.locator(DONE)).to_be_visible()
    assert [one.back_at is None for one in vacations(place)] == [False]


@IN_EACH
def test_more_time_is_asked_for_and_given_each_by_a_letter(table, place, language):
    before = row_of(place, table.game).deadline
    tap(table.open(table.mover, "/agreements"), MORE_TIME)
    assert row_of(place, table.game).deadline == before + timedelta(hours=24)
    tap(table.open(table.mover, "/agreements"), MORE_TIME)
    place.work()
    tap(table.open(table.waiting, "/agreements"), VOTE)
    assert row_of(place, table.game).deadline == before + timedelta(hours=48)


@IN_EACH
def test_whoever_waits_begins_a_pause_and_both_others_agree(table, place, language):
    tap(table.open(table.waiting, "/agreements"), PAUSE)
    place.work()
    for name in (table.first, table.mover):
        assert row_of(place, table.game).paused_at is None
        tap(table.open(name, "/agreements"), VOTE)
    assert row_of(place, table.game).paused_at is not None


@IN_EACH
def test_whoever_waits_goes_on_from_agreements_to_days_away_and_to_a_plan(table, place, language):
    window = table.open(table.waiting, "/agreements", script=True)
    press(window, language, "When you are away", link=True)
    expect(window.get_by_role("heading", level=1)).to_be_visible()
    fits_phone(window)
    window = table.open(table.waiting, "/agreements", script=True)
    press(window, language, "Plan your next turn", link=True)
    window.locator("#words").fill(f"plan: {NEVER}")
    window.locator("#planned button[name=keep]").click()
    expect(window.locator("section#plan")).to_contain_text(NEVER if language == "en" else "blijf; terug Troy")
    assert [one.seat for one in plans(place.context)] == [2]


@IN_EACH
def test_the_letter_of_a_seat_that_is_kept_leads_to_the_button_that_takes_it_back(place, visitors, language):
    game = opened(place.context, AbsenceRule.SEAT)
    gone = names_of(place.context, game)[0]
    set_preferences(place.context, game, gone, language=language)
    place.work()
    tick(place.context, place.clock.forward(48.1))
    place.work()
    assert kept(place.context) == [0]
    table = Table(place, visitors, game, gone, gone, gone)
    window = table.open(gone, "/agreements")
    press(window, language, "I am back")
    expect(window.locator(DONE)).to_be_visible()
    assert kept(place.context) == []
    fits_phone(window)
