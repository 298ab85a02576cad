"""The layout of every page in the windows of telephones, of a desktop, and of one enlarged to 200%."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.served import game_under_way
from tests.browser.walk import walk

pytestmark = pytest.mark.breadth
VIEWPORTS = (375, 553), (360, 640), (390, 664), (412, 732), (1280, 720), (640, 360)
FIND_FAULTS = Path(__file__).with_name("layout.js").read_text("utf-8")
EXCEPTIONS = {
    "svg": "a picture: its names and links lie close together, and the controls beside it offer the same",
    ".skip": "the link past the header shows when it has the focus",
    ".dock .whole": "the dock, to be redesigned, has a fixed height for whole turns and cuts off longer ones",
}
"""What is not judged, by its selector, and why."""
SPOILING_RULES = {
    ".turns { height: 6.4rem; }": "is printed over",
    ".turns { max-height: 3rem; overflow: hidden; }": "is cut off",
    "#run { position: relative; left: -100vw; }": "“PlayStop” is out of reach",
    "#run { position: relative; left: 100vw; }": "“PlayStop” is out of reach",
    ".foot { position: fixed; inset: 0; z-index: 9; }": "“PlayStop” is out of reach",
}


def faults(window: Page) -> list[str]:
    """The faults in each viewport."""
    found = []
    for width, height in VIEWPORTS:
        window.set_viewport_size({"width": width, "height": height})
        judged = window.evaluate(FIND_FAULTS, [width, ", ".join(EXCEPTIONS)])
        found += [f"{width}x{height}: {fault}" for fault in judged]
    return found


def test_text_is_readable_and_controls_are_in_reach_on_every_page(place, visitors):
    window = visitors.visitor()
    visitors.watches[-1].allowed |= set(range(400, 500))  # pages that say what went wrong
    wrong = []
    for stop in walk(place, "en"):
        stop.show(window)
        wrong += [f"{stop.name}: {fault}" for fault in faults(window)]
    assert not wrong, "\n".join(wrong)


def test_a_rule_that_spoils_the_history_is_found(place, visitors):
    window = visitors.at(f"{place.link(game_under_way(place, 12))}/history")
    assert faults(window) == []
    for rule, fault in SPOILING_RULES.items():
        window.evaluate(
            "rule => document.styleSheets[0].insertRule(rule, document.styleSheets[0].cssRules.length)", rule
        )
        found = faults(window)
        assert any(fault in one for one in found), (rule, found)
        window.evaluate("document.styleSheets[0].deleteRule(document.styleSheets[0].cssRules.length - 1)")
