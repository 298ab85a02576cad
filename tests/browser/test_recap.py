"""What happened since a reader's last turn, as a browser plays it and lights it up from its list."""

from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.browser.windows import DESKTOP, PHONE
from tests.server.web.played import move

pytestmark = pytest.mark.breadth

PLAYING = "svg.board[data-replay]"
DRAWN = "() => document.querySelector('#board').innerHTML"
SCREENS = {"phone": PHONE | {"viewport": {"width": 390, "height": 844}}, "desktop": DESKTOP}


@pytest.fixture
def opened(visitors, ticket) -> Callable[..., Page]:
    """Opens the page of Anna, whose turn it is, in a window with a clock that stands."""
    return partial(visitors.at, ticket, clock=True)


@pytest.fixture
def bare(visitors, ticket) -> str:
    """The board of the page as it stands where nothing is played."""
    return visitors.at(ticket, reduced_motion="reduce").evaluate(DRAWN)


@pytest.mark.parametrize("screen", SCREENS)
def test_it_plays_deed_by_deed_and_then_the_board_stands_as_it_is(opened, bare, screen):
    window = opened(device=SCREENS[screen])
    expect(window.locator(PLAYING)).to_have_count(1)
    lines = window.locator("a[data-deed]").all_text_contents()
    told, boards = [], set()
    for _ in range(60):
        words = window.locator(".replay .words").text_content()
        if words and words not in told:
            told.append(words)
        boards.add(window.evaluate(DRAWN))
        window.clock.run_for(200)
    assert told == lines
    assert len(boards) > len(lines)
    assert not window.locator(PLAYING).count()
    assert window.evaluate(DRAWN) == bare


def test_what_was_shown_is_not_played_again_in_the_same_tab(opened):
    window = opened()
    expect(window.locator(PLAYING)).to_have_count(1)
    window.reload()
    window.clock.run_for(500)
    expect(window.get_by_role("button", name="Play what happened")).to_be_visible()
    assert not window.locator(PLAYING).count()


@pytest.mark.parametrize("how", ["button", "key", "touch"])
def test_it_can_be_skipped_and_a_touch_elsewhere_does_what_it_always_does(opened, bare, how):
    window = opened()
    expect(window.locator(PLAYING)).to_have_count(1)
    if how == "button":
        window.get_by_role("button", name="Skip").click()
    elif how == "key":
        window.keyboard.press("Escape")
    else:
        window.locator(".about a", has_text="History").dispatch_event("pointerdown")
    assert not window.locator(PLAYING).count()
    assert window.evaluate(DRAWN) == bare


def test_who_wants_no_motion_has_the_list_at_once_and_may_still_play_it(opened):
    window = opened(reduced_motion="reduce")
    window.clock.run_for(3000)
    assert not window.locator(PLAYING).count()
    expect(window.locator("a[data-deed]").first).to_be_visible()
    window.get_by_role("button", name="Play what happened").click()
    expect(window.locator(PLAYING)).to_have_count(1)
    assert window.evaluate("document.getAnimations().length") == 0


def test_slow_takes_twice_as_long_and_fast_less_than_half(opened):
    lasts = {}
    for speed in ("slow", "normal", "fast"):
        window = opened(reduced_motion="reduce")
        window.locator(".replay select").select_option(speed)
        window.get_by_role("button", name="Play what happened").click()
        expect(window.locator(PLAYING)).to_have_count(1)
        lasts[speed] = 0
        while window.locator(PLAYING).count():
            window.clock.run_for(100)
            lasts[speed] += 100
    assert lasts["slow"] > 1.7 * lasts["normal"] > 3.4 * lasts["fast"]


def test_a_line_lights_up_its_place_and_a_place_its_line(opened):
    window = opened(reduced_motion="reduce")
    march = window.locator("a[data-deed]", has_text="marched")
    march.hover()
    expect(window.locator("svg.board > .lit .way-there")).to_have_count(1)
    window.mouse.move(1, 1)
    expect(window.locator("svg.board > .lit")).to_have_count(0)
    march.focus()
    expect(window.locator("svg.board > .lit .way-there")).to_have_count(1)
    march.blur()
    occupied = window.locator("a[data-deed]", has_text="occupied")
    window.evaluate("scrollTo(0, 0)")
    occupied.evaluate("(link) => link.dispatchEvent(new FocusEvent('focusin', { bubbles: true }))")
    where = window.locator("svg.board > .lit .where").bounding_box()
    window.mouse.move(1, 1)
    occupied.evaluate("(link) => link.dispatchEvent(new FocusEvent('focusout', { bubbles: true }))")
    window.mouse.move(where["x"] + where["width"] * 0.6, where["y"] + where["height"] * 0.4)
    expect(occupied).to_have_class("told-now")


def test_a_finger_sees_the_place_first_and_then_goes_to_the_history(opened):
    window = opened(device=SCREENS["phone"], reduced_motion="reduce")
    march = window.locator("a[data-deed]", has_text="marched")
    march.tap()
    expect(window.locator("svg.board > .lit")).to_have_count(1)
    march.tap()
    window.wait_for_url("**/history?at=*")
    expect(window.locator("#step")).to_contain_text("marched")


def test_without_a_script_it_is_a_list_of_links(visitors, ticket):
    window = visitors.at(ticket, script=False)
    expect(window.locator(".replay")).to_be_hidden()
    window.locator("a[data-deed]", has_text="marched").click()
    expect(window.locator("#step")).to_contain_text("marched")


def test_while_somebody_waits_only_what_is_new_is_played(place, visitors, game):
    window = visitors.at(place.link(game, seat=1), clock=True)
    assert window.locator("a[data-deed]").count() == 0
    told = []
    while place.table(game).seat == 0:
        move(place, game)
        with window.expect_response("**/recap"):
            window.clock.run_for(2000)
        expect(window.locator(PLAYING)).to_have_count(1)
        while window.locator(PLAYING).count():
            words = window.locator(".replay .words").text_content()
            if words and words not in told[-1:]:
                told.append(words)
            window.clock.run_for(200)
    assert len(told) == len(set(told)), "something was played twice"
    assert told
