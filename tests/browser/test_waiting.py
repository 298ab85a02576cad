"""The page of a game that waits for its players shows by itself who accepts, and that the game begins."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from server.store.game_terms import SeatRequest
from tests.server.desk import NOON, accept_invitation, open_game, seat_of
from tests.server.web.lobby.test_open_seat_pages import organiser_link

pytestmark = pytest.mark.breadth


def test_the_organiser_sees_at_once_that_a_guest_accepts_and_that_the_game_begins(place, visitors):
    asked = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo")]
    game = open_game(place.context, "Friday", asked, NOON, organiser="anna@example.org")
    window = visitors.visitor()
    window.clock.install(time=NOON)
    window.goto(organiser_link(place, game))
    window.clock.pause_at(NOON + timedelta(minutes=1))
    window.evaluate("window.marked = true")
    row = window.get_by_role("row", name="Ben")
    expect(row).to_contain_text("not yet")
    accept_invitation(place.context, game, seat_of(place.context, game, "Ben"), NOON)
    window.clock.run_for(2000)
    expect(row).to_contain_text("yes")
    expect(row).not_to_contain_text("not yet")
    accept_invitation(place.context, game, seat_of(place.context, game, "Cleo"), NOON)
    window.clock.run_for(2000)
    expect(window.locator("h1")).to_have_text("The game has begun")
    assert window.evaluate("window.marked")
