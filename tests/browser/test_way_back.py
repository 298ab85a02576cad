"""What somebody finds chosen who looks elsewhere and comes back, and what the board leaves in reach."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands import UNSETTLED
from tests.browser.served import game_under_way
from tests.browser.windows import DESKTOP, PHONE

pytestmark = pytest.mark.breadth

DEVICES = pytest.mark.parametrize(
    "device", [DESKTOP, pytest.param(PHONE, marks=pytest.mark.breadth)], ids=["desktop", "phone"]
)
SHAPE = "here => here.viewBox.baseVal.width / here.viewBox.baseVal.height"


@pytest.fixture
def ticket(place) -> str:
    return place.link(game_under_way(place, 12))


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


def test_whoever_comes_back_finds_the_card_again(visitors, ticket):
    window = visitors.visitor()
    choose_card(window, ticket)
    window.goto("/rules")
    window.go_back()
    expect(window.locator('.dock [aria-pressed="true"]')).to_have_count(1)
    expect(window.locator(".corners button").first).to_be_visible()


def test_a_province_says_what_it_costs_while_a_corner_is_to_be_chosen(visitors, ticket):
    window = visitors.visitor()
    choose_card(window, ticket)
    window.locator("svg.board a.land").first.focus()
    window.keyboard.press("Enter")
    expect(window.locator(".land-panel")).to_be_visible()
    window.keyboard.press("Escape")  # closes what the dock says, and leaves the card chosen
    expect(window.locator(".land-panel")).to_have_count(0)
    expect(window.locator('.dock [aria-pressed="true"]')).to_have_count(1)


def test_one_step_is_undone_by_a_key(visitors, ticket):
    window = visitors.visitor()
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
    window = visitors.visitor()
    window.goto(ticket)
    title, board = window.locator(".title").bounding_box(), window.locator(".map").bounding_box()
    assert title
    assert board
    assert board["y"] - title["y"] - title["height"] < 40
