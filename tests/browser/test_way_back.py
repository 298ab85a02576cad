"""What somebody finds chosen who looks elsewhere and comes back, and what the board leaves in reach."""

import pytest
from playwright.sync_api import Page, expect

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
    window.locator("a.card[data-card]").first.click()
    expect(window.locator('.tray[data-stage="corner"]')).to_be_visible()


@DEVICES
def test_whoever_comes_back_from_a_preview_finds_card_corner_and_way_again(visitors, ticket, device):
    window = visitors.visitor(device)
    choose_card(window, ticket)
    window.locator("svg.board .spot:not([data-off])").last.click()
    window.locator('[data-turn="1"]').click()
    go, which = window.locator(".tray .go"), window.locator(".tray .which")
    meant, number = go.get_attribute("href"), which.inner_text()
    go.click()
    expect(window.locator("section.preview")).to_be_visible()
    window.go_back()
    expect(window.locator(".tray .go")).to_have_attribute("href", meant or "")
    expect(which).to_have_text(number)
    expect(window.locator("a.card[aria-current]")).to_have_count(1)


def test_a_province_says_what_it_costs_while_a_corner_is_to_be_chosen(visitors, ticket):
    window = visitors.visitor()
    choose_card(window, ticket)
    window.locator("svg.board a.land").first.hover()
    expect(window.locator(".looked-at")).to_be_visible()
    window.keyboard.press("Escape")  # closes what stands over the board, and leaves the card chosen
    expect(window.locator(".looked-at")).to_be_hidden()
    expect(window.locator("a.card[aria-current]")).to_have_count(1)


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
    title, board = window.locator(".title").bounding_box(), window.locator(".left").bounding_box()
    assert title
    assert board
    assert board["y"] - title["y"] - title["height"] < 40


def test_whoever_comes_back_from_a_preview_of_guards_finds_the_province_open(place, visitors):
    window = visitors.visitor()
    game = game_under_way(place, 12)
    choose_card(window, place.link(game))
    window.locator("svg.board .spot:not([data-off])").last.click()
    window.locator(".tray .go").click()
    window.locator("section.preview form button").click()
    expect(window.locator("#guards")).to_be_visible()
    form = window.locator("#guards form").nth(2)
    window.locator("#guards summary").nth(2).click()
    expect(form.locator(".sum.fits")).to_be_visible()
    form.locator(".do .button:not(.leave)").click()
    expect(window.locator("section.preview")).to_be_visible()
    window.go_back()
    expect(form.locator(".sum.fits")).to_be_visible()
    window.keyboard.press("Escape")
    expect(form).to_be_hidden()


def test_a_card_that_was_chosen_before_the_script_had_come_stays_chosen(visitors, ticket):
    window = visitors.visitor()
    window.goto(ticket)
    window.goto(window.locator("a.card[data-card]").first.get_attribute("href") or "")
    expect(window.locator('.tray[data-stage="corner"]')).to_be_visible()
    expect(window.locator("a.card[aria-current]")).to_have_count(1)
    window.locator(".tray .undo").click()
    expect(window.locator('.tray[data-stage="card"]')).to_be_visible()
