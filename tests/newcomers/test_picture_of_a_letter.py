"""What the words of a letter name, its picture shows: large enough, and under no disc."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Any

import pytest
from lxml import html
from playwright.sync_api import Page

from emails.picture.png import FONT_FOLDER
from engine.position import Position
from tests.newcomers import adapter
from tests.newcomers.counting import told
from tests.newcomers.letters import drawing_of, turns_of_games

SOME = 14
MANY = pytest.mark.parametrize(
    "many", [pytest.param(SOME, marks=pytest.mark.breadth), pytest.param(200, marks=pytest.mark.long)]
)
LEAST_LETTERS = 9.0
"""Pixels of the type of a name that is offered, on a telephone."""
SHOWN_WIDTH = 328
"""Pixels of the picture where a letter is 360 wide: with the margins of mail programs."""
LOST = re.compile(r"(?:[Yy]ou lost|took) ([^:;]*?)(?: from you)?: -\d")
FACES = "".join(
    f"@font-face {{ font-family: 'Source Sans Pro'; font-style: {style}; font-weight: {weight}; "
    f"src: url(data:font/ttf;base64,{b64encode((FONT_FOLDER / name).read_bytes()).decode()}) }}"
    for name, style, weight in (
        ("SourceSansPro-Bold.ttf", "normal", 700),
        ("SourceSansPro-SemiboldIt.ttf", "italic", 600),
    )
)
MEASURED = """(width) => {
    const svg = document.querySelector("svg");
    svg.setAttribute("width", width);
    svg.removeAttribute("height");
    const box = (one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        return [left, top, right, bottom];
    };
    const shown = (one) => {
        for (let it = one; it instanceof SVGElement; it = it.parentNode) {
            const style = getComputedStyle(it);
            if (style.display === "none" || Number(style.opacity) < 0.4) return false;
        }
        return true;
    };
    const ink = (one) => {  // without the room that a font keeps above and below
        const first = one.getStartPositionOfChar(0);
        const last = one.getEndPositionOfChar(one.getNumberOfChars() - 1);
        const high = parseFloat(getComputedStyle(one).fontSize);
        const under = /[gjpqy]/.test(one.textContent) ? 0.21 : 0.01;
        const at = (x, y) => new DOMPoint(x, y).matrixTransform(one.getScreenCTM());
        const [start, end] = [at(first.x, first.y - 0.66 * high), at(last.x, last.y + under * high)];
        return [start.x, start.y, end.x, end.y];
    };
    const size = (one) => parseFloat(getComputedStyle(one).fontSize) * Math.hypot(
        one.getScreenCTM().b, one.getScreenCTM().d);
    return {
        texts: [...svg.querySelectorAll("text")].filter((one) => one.textContent && shown(one)).map((one) =>
            ({ said: one.textContent, size: size(one), box: ink(one),
               disc: Boolean(one.closest("[data-label]")) })),
        discs: [...svg.querySelectorAll("[data-label] circle")].map((one) =>
            ({ said: one.parentNode.textContent.trim(), point: one.closest("[data-label]").dataset.label,
               box: box(one) })),
        symbols: [...svg.querySelectorAll("use[href^='#place-'], use[href^='#guarded-']")].map((one) =>
            ({ box: box(one) })),
    };
}"""


@dataclass(frozen=True)
class Chart:
    """What stands where on a picture, in pixels as a telephone shows it."""

    texts: list[dict[str, Any]]
    discs: list[dict[str, Any]]
    symbols: list[dict[str, Any]]

    def sizes(self, name: str) -> list[float]:
        """The size of the type of a name, wherever it stands."""
        return [one["size"] for one in self.texts if not one["disc"] and one["said"].strip() == name]


def chart_of(window: Page, drawing: str) -> Chart:
    """Show the drawing of a letter as wide as a telephone does, and measure it."""
    window.set_content(f"<style>{FACES}</style><body style='margin:0'>{drawing}</body>", wait_until="load")
    window.evaluate("() => document.fonts.ready")
    return Chart(**window.evaluate(MEASURED, SHOWN_WIDTH))


def goals(now: Position, mail: EmailMessage) -> dict[str, str]:
    """Where the turns that a letter offers march to: the name of the place by the letter of the turn."""
    names = sorted(now.table.board.names.values(), key=len, reverse=True)
    named = "|".join(map(re.escape, names))
    found = {}
    for one in adapter.choices_in(mail):
        march = re.search(rf"march ({named})\b", one.words)
        if march:
            found[one.letter] = march[1]
    return found


def meets(disc: list[float], box: list[float]) -> bool:
    """Whether a circle in a square covers part of a box, by more than half a pixel."""
    left, top, right, bottom = disc
    x, y, radius = (left + right) / 2, (top + bottom) / 2, (right - left) / 2
    across = max(box[0] - x, 0.0, x - box[2])
    down = max(box[1] - y, 0.0, y - box[3])
    return bool((across**2 + down**2) ** 0.5 < radius - 0.5)


def faults(chart: Chart, offered: dict[str, str]) -> list[str]:
    """What a reader could not read of the places that a letter offers."""
    found = []
    for letter, name in offered.items():
        sizes = chart.sizes(name)
        if not sizes:
            found.append(f"{name} ({letter}) is offered and stands nowhere")
        elif max(sizes) < LEAST_LETTERS:
            found.append(f"{name} ({letter}) is set at {max(sizes):.1f} pixels")
        goal = next((one for one in chart.texts if one["said"].strip() == name), None)
        if goal is None:
            continue
        near = min(chart.symbols, key=lambda one: _apart(one["box"], goal["box"]), default=None)
        for disc in chart.discs:
            if letter not in disc["said"].split():
                continue
            if meets(disc["box"], goal["box"]):
                found.append(f"the disc {disc['said']} covers the name {name}")
            if near is not None and meets(disc["box"], near["box"]):
                found.append(f"the disc {disc['said']} covers the symbol of {name}")
    return found


def _apart(one: list[float], other: list[float]) -> float:
    return abs(one[0] + one[2] - other[0] - other[2]) + abs(one[1] + one[3] - other[1] - other[3])


def unnamed(chart: Chart, now: Position, mail: EmailMessage) -> list[str]:
    """The places that the words of a letter name and its picture does not."""
    page = html.document_fromstring(adapter.page_of(mail))
    said = " ".join(str(text) for text in page.xpath("//body//text()[not(ancestor::style)]"))
    shown = {one["said"].strip() for one in chart.texts}
    return [
        name
        for name in now.table.board.names.values()
        if re.search(rf"\b{re.escape(name)}\b", said) and name not in shown
    ]


def look(window: Page, number: int) -> tuple[list[str], list[float]]:
    """What is wrong with the pictures of so many letters, and how large their offered names are set."""
    wrong, sizes = [], list[float]()
    for now, mail in turns_of_games(number):
        chart, offered = chart_of(window, drawing_of(mail)), goals(now, mail)
        found = faults(chart, offered) + [
            f"{name} is named and not shown" for name in unnamed(chart, now, mail)
        ]
        wrong += [f"turn {now.table.turn}: {one}" for one in found]
        sizes += [max(chart.sizes(name), default=0.0) for name in offered.values()]
    return wrong, sizes


@MANY
def test_what_is_offered_can_be_read_on_the_picture(browser, record_property, many):
    window = browser.new_page()
    wrong, sizes = look(window, many)
    window.close()
    assert sizes, "no letter offers a turn with a march"
    record_property("figure", told("type of offered names, pixels", sizes))
    assert not wrong, (len(wrong), wrong[:12])


@MANY
def test_what_was_lost_is_called_by_its_name(many):
    lost = [one for _, mail in turns_of_games(many) for one in LOST.findall(_in_one_line(mail))]
    assert len(lost) > many // 10
    assert [one for one in lost if " of " in one] == []


def _in_one_line(mail: EmailMessage) -> str:
    return " ".join(adapter.words_of(mail).split())


@MANY
def test_every_turn_that_marches_has_a_disc(browser, many):
    window = browser.new_page()
    missing = []
    for now, mail in turns_of_games(many):
        chart, offered = chart_of(window, drawing_of(mail)), goals(now, mail)
        letters = [letter for disc in chart.discs for letter in disc["said"].split()]
        missing += [f"turn {now.table.turn}: {one}" for one in offered if letters.count(one) != 1]
    window.close()
    assert not missing, (len(missing), missing[:12])


# --- controls -------------------------------------------------------------------------------------------

DRAWN = """<svg xmlns="http://www.w3.org/2000/svg" width="656" viewBox="0 0 328 100">
<use href="#place-lyre" x="50" y="40"/><symbol id="place-lyre"><rect width="8" height="8"/></symbol>
<text x="40" y="60" font-size="{size}">Susa</text>
<g data-label="A1"><circle cx="{x}" cy="45" r="9"/><text x="{x}" y="45">a</text></g></svg>"""


@pytest.mark.breadth
@pytest.mark.parametrize(("size", "x", "wrong"), [(10, 150, 0), (6, 150, 1), (10, 52, 2)])
def test_control_small_type_and_a_disc_on_a_symbol_are_noticed(browser, size, x, wrong):
    window = browser.new_page()
    found = faults(chart_of(window, DRAWN.format(size=size, x=x)), {"a": "Susa"})
    window.close()
    assert len(found) == wrong, found
