"""What a page weighs, and that nothing on it moves while it comes."""

import pytest
from playwright.sync_api import Page, Response

from engine.position import Phase
from tests.browser.windows import DEVICES

pytestmark = pytest.mark.breadth

MOST_BYTES = 150_000
"""Of a page with all that it loads, before they are packed."""
MOST_SHIFT = 0.02
"""Of what browsers call cumulative layout shift; below 0.1 they call it good."""
WATCH_SHIFTS = """
    window.shifted = 0;
    const seen = (list) => list.getEntries().filter((one) => !one.hadRecentInput);
    const add = (list) => seen(list).forEach((one) => { window.shifted += one.value; });
    new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
"""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def weigh(window: Page, link: str) -> dict[str, int]:
    """How many bytes each file has that a page needs, whose visitor has never been here."""
    answers: list[Response] = []
    window.on("response", lambda answer: answers.append(answer))
    window.goto(link)
    window.wait_for_load_state("networkidle")
    loaded = [answer for answer in answers if answer.request.method == "GET"]  # an answer of none has no body
    return {answer.url.rpartition("/")[2][:30]: len(answer.body()) for answer in loaded}


@DEVICES
def test_the_page_of_a_turn_weighs_at_most_150_kb_with_everything(place, visitors, game, ticket, device):
    assert place.table(game).phase is Phase.CARD
    found = weigh(visitors.visitor(device), ticket)
    assert {"style.css", "table.js", "bold.woff2", "italic.woff2"} <= found.keys()
    assert sum(found.values()) <= MOST_BYTES, found


@DEVICES
def test_nothing_moves_while_a_page_comes(place, visitors, game, ticket, device):
    for link in ("/", "/rules", ticket, f"{ticket}/history", place.link(game, seat=1)):
        window = visitors.visitor(device)
        window.add_init_script(WATCH_SHIFTS)
        window.goto(link)
        window.wait_for_load_state("networkidle")
        window.evaluate(DRAWN)
        assert window.evaluate("window.shifted") < MOST_SHIFT, link
