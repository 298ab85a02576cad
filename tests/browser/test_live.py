"""An open page shows what happens elsewhere by itself, and costs the server nothing while nothing happens."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page, Request, expect

from server.connections import THREADS
from server.reviews import review_finished_games
from tests.browser.hands import Hands
from tests.browser.plans import take_step
from tests.server.desk import ANNA, BEN, CLEO, NOON
from tests.server.reviewed import HastyJudge, play_out
from tests.server.web.lobby.test_open_seat_pages import organiser_link

pytestmark = pytest.mark.breadth

THINKING = pytest.mark.parametrize("place", [{"ALEXANDROS_HOUSE_SECONDS": "5"}], indirect=True)
A_MOMENT = "() => new Promise((done) => requestAnimationFrame(() => done(false)))"


def ask_once(window: Page, milliseconds: int = 5100) -> None:
    """Let time pass on an open page until it has asked the server; it may set its timer a moment late."""
    with window.expect_response("**/pulse*") as asked:
        window.clock.run_for(milliseconds)
        while not asked.is_done():
            window.clock.run_for(20)


def test_an_open_page_shows_a_move_within_two_seconds_and_is_not_loaded_anew(place, visitors, game):
    """The clock of its browser stands, but for two seconds: so the machine may be as slow as it likes."""
    anna, ben = 0, 1
    assert place.table(game).seat == anna
    open_page = visitors.at(place.link(game, seat=ben), clock=True)
    open_page.evaluate("window.marked = true")
    expect(open_page.locator("h1")).to_have_text("It is Anna's turn")

    hands = Hands(visitors.at(place.link(game, seat=anna)))
    done = set()
    while place.table(game).seat == anna:
        take_step(place, game, hands, done)

    open_page.clock.run_for(2000)
    expect(open_page.locator(".dock")).to_be_visible()
    assert open_page.evaluate("window.marked")
    expect(open_page.locator(".live p")).to_contain_text("It is your turn")
    assert open_page.title().startswith("(your turn) Friday")
    line, page = open_page.locator(".live").bounding_box(), open_page.locator("main").bounding_box()
    assert line["y"] + line["height"] <= page["y"], "the message covers something of the page"
    assert line["height"] < 50, "it is one line"
    open_page.clock.run_for(6500)
    expect(open_page.locator(".live p")).to_be_empty()


def test_a_message_is_closed_by_its_button_and_said_aloud_once(place, visitors, game):
    window = visitors.at(place.link(game, seat=1), clock=True)
    window.evaluate("""() => {
      window.said = [];
      const line = document.querySelector(".live p");
      const hear = () => line.textContent && said.push(line.textContent);
      new MutationObserver(hear).observe(line, { childList: true });
    }""")
    window.route("**/pulse*", lambda route: route.fulfill(status=500))
    visitors.watches[-1].allowed.add(500)

    for _ in range(3):
        ask_once(window, 31_000)
    button = window.get_by_role("button", name="Close")
    expect(button).to_be_visible()
    button.click()
    expect(button).to_be_hidden()
    ask_once(window, 31_000)
    expect(button).to_be_hidden()
    assert window.evaluate("said") == ["The server does not answer just now. This page goes on asking."]


@pytest.mark.parametrize(("seat", "told"), [(0, "#time small"), (1, ".lede small")])
def test_the_minutes_that_are_left_go_on_while_a_page_stands(place, visitors, seat, told):
    game = place.context.begin_time(place.open_game("Friday", [ANNA, BEN], minutes=15, at_once=True))
    window = visitors.at(place.link(game, seat=(place.row(game).seat + seat) % 2), clock=True)
    expect(window.locator(told)).to_have_text("(15 minutes left)")
    for passed, left in ((125, "13 minutes"), (720, "1 minute")):
        for seconds in (passed, 3):
            ask_once(window, 1000 * seconds)
        expect(window.locator(told)).to_have_text(f"({left} left)")


def test_a_turn_that_its_player_sees_has_begun_and_one_behind_another_window_has_not(place, window):
    game = place.start_game("Anna", "Ben")
    link = place.link(game)
    place.clock.forward(1)
    window.add_init_script(
        "window.hides = true; Object.defineProperty(document, 'hidden', { get: () => window.hides });"
    )
    window.goto(link)
    expect(window.locator("#time")).to_have_text("The time for this turn begins when its mail has left.")
    assert place.row(game).deadline is None
    window.evaluate("window.hides = false; document.dispatchEvent(new Event('visibilitychange'))")
    expect(window.locator("#time")).to_contain_text("Wednesday afternoon, 4 March, 13:00 UTC")
    assert place.row(game).turn_began_at == NOON + timedelta(hours=1)


def heard(window: Page) -> list[Request]:
    """The requests of an open page whether something has happened, as they come."""
    found = list[Request]()
    window.on("request", lambda request: "/pulse" in request.url and found.append(request))
    return found


@THINKING
def test_a_finished_page_shows_the_review_once_it_is_there(place, window):
    place.context.thinker = HastyJudge()
    game = play_out(place.context, "Anna", "Ben")
    window.clock.install(time=NOON)
    window.goto(place.link(game, seat=0))
    window.evaluate("window.marked = true")
    asked = heard(window)
    expect(window.locator(".awaited")).to_be_visible()
    ask_once(window)
    assert len(asked) == 1
    while review_finished_games(place.context, NOON):
        pass
    ask_once(window)
    expect(window.locator(".verdicts")).to_be_visible()
    expect(window.locator(".awaited")).to_have_count(0)
    expect(window.locator(".live p")).to_contain_text("The judge has looked through this game.")
    assert window.evaluate("window.marked")
    window.clock.run_for(60000)
    assert len(asked) == 2


@pytest.mark.long
@THINKING
def test_a_review_that_does_not_come_is_not_promised_for_ever(place, window):
    game = play_out(place.context, "Anna", "Ben")
    window.clock.install(time=NOON)
    window.goto(place.link(game, seat=0))
    for _ in range(48):
        ask_once(window)
    expect(window.locator(".awaited")).to_contain_text("Come back later")
    asked = heard(window)
    window.clock.run_for(60_000)
    assert not asked


def test_whoever_reads_holds_no_thread_of_the_server(place, visitors, game):
    readers = visitors.visitor().context
    for _ in range(3 * THREADS):
        readers.new_page().goto(place.link(game, seat=1))
    with readers.pages[1].expect_response("**/pulse*") as pulse:
        pass
    assert pulse.value.finished() is None
    late = visitors.at("/")
    expect(late.locator("h1")).to_be_visible()
    moments = (late.evaluate(A_MOMENT) or place.idle() for _ in range(200))
    assert any(moments), "somebody who only reads keeps the server busy"


def test_the_organiser_sees_at_once_that_a_guest_accepts_and_that_the_game_begins(place, visitors):
    game = place.open_game("Friday", [ANNA, BEN, CLEO], organiser=ANNA.address)
    window = visitors.at(organiser_link(place, game), clock=True)
    window.evaluate("window.marked = true")
    row = window.get_by_role("row", name="Ben")
    expect(row).to_contain_text("not yet")
    place.context.accept_invitation(game, place.seat(game, "Ben"), NOON)
    window.clock.run_for(2000)
    expect(row).to_contain_text("yes")
    expect(row).not_to_contain_text("not yet")
    place.context.accept_invitation(game, place.seat(game, "Cleo"), NOON)
    window.clock.run_for(2000)
    expect(window.locator("h1")).to_have_text("The game has begun")
    assert window.evaluate("window.marked")
