"""An open page shows what happens elsewhere by itself, and costs the server nothing while nothing happens."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from engine.views import view
from server.connections import THREADS
from tests.browser.hands import Hands
from tests.browser.plans import plan
from tests.browser.served import game_under_way
from tests.server.desk import NOON

pytestmark = pytest.mark.breadth

A_MOMENT = "() => new Promise((done) => requestAnimationFrame(() => done(false)))"


@pytest.fixture
def game(place) -> str:
    return game_under_way(place, 12)


def test_an_open_page_shows_a_move_within_two_seconds_and_is_not_loaded_anew(place, visitors, game):
    """The clock of its browser stands, but for two seconds: so the machine may be as slow as it likes."""
    anna, ben = 0, 1
    assert place.position(game).table.seat == anna
    open_page = visitors.visitor()
    open_page.clock.install(time=NOON)
    open_page.goto(place.link(game, seat=ben))
    open_page.evaluate("window.marked = true")
    open_page.clock.pause_at(NOON + timedelta(minutes=1))
    expect(open_page.locator("h1")).to_have_text("It is Anna's turn")

    mover = visitors.visitor()
    mover.goto(place.link(game, seat=anna))
    hands = Hands(mover, place.context.links.keys)
    done = set()
    while place.position(game).table.seat == anna:
        known = view(place.position(game), anna)
        hands.do(known, plan(known, done))

    open_page.clock.run_for(2000)
    expect(open_page.locator("#choices")).to_be_visible()
    assert open_page.evaluate("window.marked")
    expect(open_page.locator("p.live")).to_contain_text("It is your turn")


def test_whoever_reads_holds_no_thread_of_the_server(place, visitors, game):
    readers = visitors.visitor().context
    for _ in range(3 * THREADS):
        readers.new_page().goto(place.link(game, seat=1))
    with readers.pages[1].expect_response("**/pulse*") as pulse:
        pass
    assert pulse.value.finished() is None
    late = visitors.visitor()
    late.goto("/")
    expect(late.locator("h1")).to_be_visible()
    moments = (late.evaluate(A_MOMENT) or place.idle() for _ in range(200))
    assert any(moments), "somebody who only reads keeps the server busy"
