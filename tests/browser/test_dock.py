"""A turn by tapping: it needs no scrolling, its steps are heard, and whole turns are one tap away."""

import re
from itertools import pairwise
from math import hypot

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands import UNSETTLED, Hands
from tests.browser.served import game_under_way
from tests.browser.windows import DESKTOP, PHONE

pytestmark = pytest.mark.breadth

TALL = PHONE | {"viewport": {"width": 390, "height": 844}, "screen": {"width": 390, "height": 844}}
SIZES = pytest.mark.parametrize(
    "device",
    [TALL, pytest.param(DESKTOP | {"viewport": {"width": 1280, "height": 720}}, marks=pytest.mark.long)],
    ids=["phone", "desktop"],
)
IS_CURRENT = "all => all.map((one) => one.closest('[aria-current]') !== null)"
OUT_OF_SIGHT = """() => [...document.querySelectorAll(".dock button:not(.more button)")]
    .map((one) => [one.textContent.trim(), one.getBoundingClientRect()])
    .filter(([, box]) => box.height && (box.top < 0 || box.bottom > innerHeight))
    .map(([words]) => words)"""


def is_all_in_sight(window: Page) -> bool:
    """Whether nothing has to be scrolled to press any button of the dock."""
    expect(window.locator(UNSETTLED)).to_have_count(0)
    return window.evaluate("scrollY") == 0 and window.evaluate(OUT_OF_SIGHT) == []


@SIZES
def test_a_turn_needs_no_scrolling(place, visitors, device):
    window = visitors.visitor(device)
    for turns in (4, 12, 20):
        window.goto(place.link(game_under_way(place, turns)))
        assert is_all_in_sight(window)
        window.locator(".dock button.card").first.click()
        assert is_all_in_sight(window)
        window.locator(".corners button").first.click()
        expect(window.locator(".drafted")).to_be_visible()
        assert is_all_in_sight(window)
        window.locator(".verb.draw").click()
        expect(window.locator(".ask .said")).to_contain_text("You drew")
        assert is_all_in_sight(window)
        window.locator(".verb.draw").click()
        expect(window.locator("h1")).to_have_text("It is Ben's turn")


@SIZES
def test_a_whole_turn_is_begun_with_one_tap(place, visitors, game, ticket, device):
    place.context.let_advise(game)
    window = visitors.at(ticket, device)
    letters = window.locator(".whole button b")
    expect(letters.first).to_have_text("a")
    whole = window.locator(".whole button").first
    expect(whole).to_have_accessible_name(re.compile(r"costs \w+ cards?\. \S"))
    assert is_all_in_sight(window)
    letters.first.click()
    expect(window.locator(".drafted")).to_be_visible()
    assert any(one.startswith("march ") for one in place.drafted(game))
    window.locator('[name="over"]').click()
    expect(letters.first).to_be_visible()


def test_the_whole_board_is_enlarged_before_anything_is_chosen(visitors, ticket):
    window = visitors.at(ticket, TALL)
    board = window.locator("svg.board")
    whole = board.get_attribute("viewBox")
    window.locator(".zoom button").tap()
    expect(board).not_to_have_attribute("viewBox", str(whole))
    window.locator(".zoom button").tap()
    expect(board).to_have_attribute("viewBox", str(whole))


@SIZES
def test_a_touch_of_the_middle_of_a_space_means_its_land_and_not_the_way_beside_it(visitors, ticket, device):
    window = visitors.at(ticket, device)
    hands = Hands(window)
    corners, ways = window.locator(".corners button"), window.locator(".ways button")
    for corner in corners.all():
        corner.click()
        expect(window.locator(".drafted")).to_be_visible()
        if ways.count() > 1:
            break
        window.locator('[name="over"]').click()
        expect(window.locator(".drafted")).to_have_count(0)
    mine, other = (
        window.locator(f".ways {one} button").first.get_attribute("data-path").split("-")
        for one in ("[aria-current]", "li:not([aria-current])")
    )
    side = next(side for side in pairwise(other) if side not in list(pairwise(mine)))
    (ax, ay), (bx, by) = map(hands.spot, side)
    middle, (cx, cy) = ((ax + bx) / 2, (ay + by) / 2), hands.spot(mine[1])
    share = 17 / hypot(bx - ax, by - ay)
    (mx, my), across = middle, (share * (by - ay), share * (ax - bx))
    beside = [(mx + sign * across[0], my + sign * across[1]) for sign in (1, -1)]
    farther = max(beside, key=lambda spot: hypot(spot[0] - cx, spot[1] - cy))
    hands.settle()
    before = ways.evaluate_all(IS_CURRENT)
    hands.press_at(window.locator("svg.board"), *farther)
    hands.settle()
    assert ways.evaluate_all(IS_CURRENT) == before


def test_more_ways_open_above_the_finger_and_rest_before_they_are_taken(visitors, ticket):
    window = visitors.at(ticket, TALL)
    window.locator(".corners button").first.tap()
    more = window.locator(".more summary")
    before = more.bounding_box()
    more.tap()
    rests = ".more li button", "(here) => getComputedStyle(here).pointerEvents"
    assert window.eval_on_selector(*rests) == "none"
    assert more.bounding_box() == before
    for row in window.locator(".more li button").all():
        row.scroll_into_view_if_needed()
        box = row.bounding_box()
        assert box["y"] + box["height"] <= before["y"]
    window.wait_for_function("() => !document.querySelector('[data-resting]')")
    assert window.eval_on_selector(*rests) == "auto"


def test_what_cannot_be_done_says_why_where_it_is_tapped(place, visitors):
    window = visitors.at(place.link(game_under_way(place, 8)), TALL)
    window.locator(".corners button").first.tap()
    barred = window.locator(".verb[aria-disabled]").first
    barred.tap(force=True)  # it is told to assistive technology as one that does nothing
    expect(window.locator(".dock .said")).to_have_text(barred.get_attribute("title") or "")
    expect(window.locator(".dock .ask")).to_contain_text("You have 2 actions")


def test_what_is_asked_is_said_aloud(visitors, ticket):
    window = visitors.at(ticket)
    window.locator(".dock button.card").nth(1).click()
    expect(window.locator("#asked")).to_contain_text("Choose a corner")
    window.locator(".corners button").first.click()
    expect(window.locator("#asked")).to_contain_text("You have 2 actions")


def test_a_server_that_is_away_is_told_of_and_the_step_can_be_tried_again(visitors, ticket):
    window = visitors.at(ticket)
    window.route("**/play?*", lambda route: route.abort())
    window.locator(".dock button.card").nth(1).click()
    expect(window.locator(".ask")).to_contain_text("The server does not answer just now.")
    window.unroute("**/play?*")
    window.locator(".dock button.card").nth(1).click()
    expect(window.locator(".corners button").first).to_be_visible()
    visitors.watches[-1].faults.clear()


def test_a_turn_that_is_begun_in_one_window_goes_on_in_another(visitors, ticket):
    one, other = visitors.at(ticket), visitors.at(ticket, TALL)
    one.locator(".corners button").first.click()
    expect(other.locator(".drafted")).to_be_visible()
    expect(other.locator(".live p")).to_have_text("Your turn goes on as you have it in another window.")
    expect(one.locator(".live p")).to_have_text("")
    other.locator('[name="undo"]').click()
    expect(one.locator(".drafted")).to_have_count(0)
    expect(one.locator(".corners button").first).to_be_visible()


def test_what_a_step_says_is_shown_though_the_page_hears_of_it_before_its_answer_comes(place, visitors):
    window = visitors.at(place.link(game_under_way(place, 4)), TALL)
    window.locator(".corners button").first.click()
    expect(window.locator(".drafted")).to_be_visible()
    held = []
    window.route("**/*?part=1", lambda route: held.append((route, route.fetch())))
    window.locator(".verb.draw").click()
    for _ in range(3):
        window.wait_for_event("response", lambda answer: answer.url.endswith("/pulse"))
    route, answer = held[0]
    route.fulfill(response=answer)
    expect(window.locator(".ask .said")).to_contain_text("You drew")
