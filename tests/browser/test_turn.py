"""A turn on its page in a real browser: links that play, advice, ways back and plans."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands import UNSETTLED
from tests.browser.served import Served
from tests.browser.windows import DEVICES, PHONE
from tests.server.planning import plans
from tests.server.web.game.test_one_click_play import words

pytestmark = pytest.mark.breadth

DONE, DO_IT, TICK = ".notice.done", "section.preview form button", "input[name='at-once']"


def tap(window: Page, place: Served, game: str) -> int:
    """Open a link of the newest letter; the number of the last act before."""
    before = place.history(game).after
    window.goto(place.link(game, words(place, game)))
    return before


def test_a_link_shows_until_its_player_chooses_and_then_one_tap_plays(place, visitors, game):
    window = visitors.visitor(PHONE)
    before = tap(window, place, game)
    expect(window.locator(DO_IT)).to_be_visible()
    assert place.history(game).after == before
    window.locator(TICK).check()
    window.locator(DO_IT).click()
    expect(window.locator(DONE)).to_be_visible()

    before = tap(window, place, game)
    expect(window.locator(DONE)).to_be_visible()
    assert place.history(game).after > before
    played = place.history(game).after
    window.go_back()  # to where the link was tapped
    assert place.history(game).after == played

    window.goto(f"{place.link(game)}/settings")
    window.locator(TICK).uncheck()
    window.locator("#links button").click()
    expect(window.locator(TICK)).not_to_be_checked()
    before = tap(window, place, game)
    expect(window.locator(DO_IT)).to_be_visible()
    assert place.history(game).after == before


def test_one_tap_after_the_first_move_chooses(place, visitors, game):
    window = visitors.visitor(PHONE)
    tap(window, place, game)
    window.locator(DO_IT).click()
    window.locator(f"{DONE} form button").tap()
    expect(window.locator(f"{DONE} a[href$='/settings#links']")).to_be_visible()
    tap(window, place, game)
    expect(window.locator(DONE)).to_be_visible()


@pytest.fixture
def advised(place, game, ticket) -> str:
    """The page of a turn in a game in which advice is given."""
    place.context.let_advise(game)
    return ticket


@DEVICES
def test_advice_unfolds_where_it_is_asked_for_and_leads_to_a_preview(visitors, advised, device):
    window = visitors.at(advised, device)
    window.evaluate("window.marked = true")
    window.get_by_text("Ask for advice").click()
    suggestions = window.locator("#advice a.choice")
    expect(suggestions.first).to_contain_text("expected")
    assert 1 <= suggestions.count() <= 5
    assert window.evaluate("window.marked")  # the page is still the same one
    expect(window.locator("#advice h2")).to_be_focused()
    expect(window.locator(".dock")).to_be_visible()
    assert window.evaluate("document.documentElement.scrollWidth <= innerWidth")
    suggestions.first.click()
    expect(window.locator("h1")).to_have_text("Shall this be done?")


def test_why_there_is_no_advice_is_told_in_place(place, visitors, window, advised):
    place.app.config["LIMITS"]["advice"] = 0
    visitors.watches[-1].allowed.add(429)
    window.goto(advised)
    window.get_by_text("Ask for advice").click()
    expect(window.locator("#advice")).to_contain_text("You have asked for advice very often.")
    expect(window.locator(".dock")).to_be_visible()


SHAPE = "here => here.viewBox.baseVal.width / here.viewBox.baseVal.height"


def choose_card(window: Page, ticket: str) -> None:
    window.goto(ticket)
    window.locator(".dock button.card").first.click()
    # corners are offered before a card is chosen too
    expect(window.locator('.dock .card[aria-pressed="true"]')).to_have_count(1)
    expect(window.locator(UNSETTLED)).to_have_count(0)


def choose_corner(window: Page) -> None:
    window.locator("svg.board .spot").last.click()
    expect(window.locator(".drafted")).to_be_visible()


@DEVICES
def test_whoever_comes_back_from_elsewhere_finds_card_corner_and_way_again(visitors, ticket, device):
    window = visitors.visitor(device)
    choose_card(window, ticket)
    choose_corner(window)
    window.locator(".ways button").last.click()
    expect(window.locator(".ways li").last).to_have_attribute("aria-current", "true")
    window.goto("/rules")
    window.go_back()
    expect(window.locator(".ways li").last).to_have_attribute("aria-current", "true")
    expect(window.locator(".drafted")).to_be_visible()


def test_whoever_comes_back_finds_the_card_again(window, ticket):
    choose_card(window, ticket)
    window.goto("/rules")
    window.go_back()
    expect(window.locator('.dock [aria-pressed="true"]')).to_have_count(1)
    expect(window.locator(".corners button").first).to_be_visible()


def test_a_province_says_what_it_costs_while_a_corner_is_to_be_chosen(window, ticket):
    choose_card(window, ticket)
    window.locator("svg.board a.land").first.focus()
    window.keyboard.press("Enter")
    expect(window.locator(".land-panel")).to_be_visible()
    window.keyboard.press("Escape")  # closes what the dock says, and leaves the card chosen
    expect(window.locator(".land-panel")).to_have_count(0)
    expect(window.locator('.dock [aria-pressed="true"]')).to_have_count(1)


def test_one_step_is_undone_by_a_key(window, ticket):
    choose_card(window, ticket)
    choose_corner(window)
    window.keyboard.press("Escape")
    expect(window.locator(".drafted")).to_have_count(0)
    expect(window.locator('.dock [aria-pressed="true"]')).to_have_count(1)


@DEVICES
def test_a_board_has_no_empty_room_above_and_below(visitors, ticket, device):
    window = visitors.visitor(device)
    for link in ("/", ticket, f"{ticket}/history"):
        window.goto(link)
        board = window.locator(".map svg.board, .map > svg").first
        box = board.bounding_box()
        assert box
        least = min(box["width"], box["height"] * board.evaluate(SHAPE))
        assert box["height"] <= least / board.evaluate(SHAPE) + 2, link


def test_the_board_begins_right_below_the_title_whatever_stands_beside_it(visitors, ticket):
    window = visitors.at(ticket)
    title, board = window.locator(".title").bounding_box(), window.locator(".map").bounding_box()
    assert title
    assert board
    assert board["y"] - title["y"] - title["height"] < 40


def test_a_turn_is_planned_on_the_board_seen_changed_and_withdrawn(place, visitors, game):
    window = visitors.at(place.link(game, seat=1 - place.table(game).seat), PHONE)
    window.get_by_role("link", name="Plan your next turn").first.click()
    window.locator("#march button").first.click()
    begun = window.locator("#words").input_value()
    assert begun.startswith("plan: ")
    assert plans(place.context) == []
    window.locator(".dock .verb.draw").click()
    drawn = window.locator("#words").input_value()
    assert drawn.startswith(f"{begun}; ")
    window.locator(".dock .keep").click()
    kept = window.locator("section#plan")
    expect(kept).to_contain_text(f"“{drawn}”")
    assert len(plans(place.context)) == 1
    window.get_by_role("link", name="Change the plan").click()
    expect(window.locator("#words")).to_have_value(drawn)
    window.locator("#words").fill(f"{drawn}; draw")
    window.locator("#planned button[name=keep]").click()
    expect(kept).to_contain_text(f"“{drawn}; draw”")
    window.get_by_role("button", name="Withdraw the plan").click()
    expect(kept).to_have_count(0)
    assert plans(place.context) == []
