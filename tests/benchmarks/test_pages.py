"""How soon a page can be used in a real browser: the board is drawn and the scripts have begun."""

import statistics

import pytest

from tests.benchmarks.measure import ROUNDS
from tests.browser.served import game_under_way, served
from tests.browser.windows import DESKTOP, PHONE, Visitors

USABLE = """() => {
    const [loaded] = performance.getEntriesByType("navigation");
    const painted = performance.getEntriesByName("first-contentful-paint")[0];
    return Math.max(loaded.domContentLoadedEventEnd, painted.startTime);
}"""
"""Milliseconds from the click to the board, whose scripts have run by then: they are modules."""


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_page_of_a_turn_in_the_middle_of_a_game(figure, browser, tmp_path, device, request):
    with served(tmp_path) as place:
        link = place.link(game_under_way(place, 12))
        times = []
        for _ in range(ROUNDS + 1):  # the first is not counted
            visitors = Visitors(browser, place.address)
            window = visitors.visitor(device)
            window.goto(link)
            window.locator(".dock button.card").first.wait_for()
            times.append(window.evaluate(USABLE))
            visitors.leave()
    took = statistics.median(times[1:])
    name = request.node.callspec.id
    figure(f"the page of a turn, from the click until it can be used, {name}", f"{took:.0f} ms", "1 s")
