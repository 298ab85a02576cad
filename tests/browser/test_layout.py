"""The layout of every page on telephones and desktops, enlarged to 200%, and of the turn sheet on paper."""

import dataclasses
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from engine.cards import Bag, Symbol
from engine.position import Phase
from tests.browser.served import walk
from tests.server.web.played import advance, move

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
    found = []
    for width, height in VIEWPORTS:
        window.set_viewport_size({"width": width, "height": height})
        judged = window.evaluate(FIND_FAULTS, [width, ", ".join(EXCEPTIONS)])
        found += [f"{width}x{height}: {fault}" for fault in judged]
    return found


def test_text_is_readable_and_controls_are_in_reach_on_every_page(place, visitors, window):
    visitors.watches[-1].allowed |= set(range(400, 500))  # pages that say what went wrong
    wrong = []
    for stop in walk(place, "en"):
        stop.show(window)
        wrong += [f"{stop.name}: {fault}" for fault in faults(window)]
    assert not wrong, "\n".join(wrong)


def test_a_rule_that_spoils_the_history_is_found(visitors, ticket):
    window = visitors.at(f"{ticket}/history")
    assert faults(window) == []
    for rule, fault in SPOILING_RULES.items():
        window.evaluate(
            "rule => document.styleSheets[0].insertRule(rule, document.styleSheets[0].cssRules.length)", rule
        )
        found = faults(window)
        assert any(fault in one for one in found), (rule, found)
        window.evaluate("document.styleSheets[0].deleteRule(document.styleSheets[0].cssRules.length - 1)")


# --- on paper --------------------------------------------------------------------------------------------


PAPER = {"A4": (703, 1031), "Letter": (725, 965)}
"""What is left of each within its margins of 12 mm, in pixels."""


def printed(window: Page, link: str) -> None:
    """One page of either size, on which nothing is cut off."""
    window.goto(link)
    for size, (width, height) in PAPER.items():
        pages = re.findall(rb"/Type\s*/Page\b", window.pdf(format=size))
        window.emulate_media(media="print")
        window.set_viewport_size({"width": width, "height": height})
        cut = window.evaluate(
            """() => {
                const sheet = document.querySelector(".sheet").getBoundingClientRect();
                const outside = (box) => box.bottom > sheet.bottom + 1 || box.right > sheet.right + 1;
                return [...document.querySelectorAll(".sheet :not(i, svg *)")]
                    .filter((one) => outside(one.getBoundingClientRect()))
                    .map((one) => one.outerHTML.slice(0, 80));
            }"""
        )
        assert not cut, size
        assert len(pages) == 1, f"{len(pages)} pages of {size}"
        lines = "() => document.querySelector('.lines').getBoundingClientRect().height"
        assert window.evaluate(lines) > 40, "room to write one line at least"
        window.emulate_media(media="null")


def test_the_sheet_is_one_page_from_the_first_turn_to_the_end(place, window):
    game = place.start_game("Anna", "Ben", "Cleo", "Dirk")
    printed(window, f"{place.link(game)}/sheet")
    for turn in (12, 24):
        advance(place, game, lambda now, turn=turn: now.table.turn >= turn)
        printed(window, f"{place.link(game)}/sheet")
        until(place, game, Phase.ACTIONS)
        printed(window, f"{place.link(game)}/sheet")
    advance(place, game, lambda now: now.table.over)
    printed(window, f"{place.link(game, seat=1)}/sheet")


def until(place, game, phase: Phase) -> None:
    move(place, game)
    advance(place, game, lambda now: now.table.phase is phase)


def test_the_sheet_is_one_page_with_a_full_hand_and_long_names(place, window):
    names = [f"{letter}{'w' * 38}" for letter in "ABCD"]
    game = place.start_game(*names)
    for name in names:
        place.context.set_preferences(game, name, everywhere=True, language="nl")
    advance(place, game, lambda now: now.table.turn >= 14)
    for phase in (Phase.CARD, Phase.ACTIONS):
        if place.table(game).phase is not phase:
            until(place, game, phase)
        position, history = place.position(game), place.history(game)
        full = Bag.of([*Symbol] * 4)
        rich = dataclasses.replace(position, hands=(full,) * 4)
        place.context.history_cache.put(game, dataclasses.replace(history, position=rich))
        printed(window, f"{place.link(game)}/sheet")
        place.context.history_cache.put(game, history)
