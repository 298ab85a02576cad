"""A letter of a turn is one screen of a telephone: its pixels, counted as its reader meets them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from tempfile import mkdtemp

import pytest
from playwright.sync_api import Page

from tests.breadth import by_run
from tests.newcomers import adapter
from tests.newcomers.person import told

PHONE_WIDTH, PHONE_HEIGHT = 360, 640
MOST_HEIGHT, MOST_IN_DUTCH = 2000, 2100
"""Pixels of a letter after long turns of three others; Dutch words are longer."""
PEOPLE = ("Anna", "Ben", "Cleo", "Dirk")


def letters_of_games(turns: int, *, dutch: bool = False) -> Iterator[EmailMessage]:
    """All letters of so many turns in games of two, three and four."""
    left, number = turns, 0
    while left > 0:
        people = PEOPLE[: 2 + number % 3]
        post = adapter.open_post(Path(mkdtemp()), *people, seed=number)
        if dutch:
            adapter.want(post, *people, language="nl")
        while not post.over and left > 0:
            yield from post.deliver()
            post.play_turn()
            left -= 1
        number += 1


WHERE = """() => {
    const top = (one) => one ? one.getBoundingClientRect().top + scrollY : -1;
    const bottom = (one) => one ? one.getBoundingClientRect().bottom + scrollY : -1;
    const coloured = (one) => !["transparent", "rgba(0, 0, 0, 0)"].includes(
        getComputedStyle(one).backgroundColor);
    const alone = (cell) => cell !== null && cell.children.length === 1;
    const filled = (one) => coloured(one) || alone(one.closest("td")) && coloured(one.closest("td"));
    const links = [...document.querySelectorAll("a[href*='/t/']")];
    const button = links.find((one) => filled(one) && one.getBoundingClientRect().height >= 32);
    const picture = document.querySelector("img");
    return {
        height: document.documentElement.scrollHeight, width: document.documentElement.scrollWidth,
        picture: top(picture), picture_end: bottom(picture), button: top(button), links: links.length,
    };
}"""


@dataclass(frozen=True)
class Measures:
    """Of the HTML of a letter, in pixels from its top; -1 for what is not there."""

    height: float
    width: float
    picture: float
    picture_end: float
    button: float
    links: int


def with_pictures(mail: EmailMessage) -> str:
    """The HTML of a letter with its pictures in it."""
    page = adapter.page_of(mail)
    for part in mail.walk():
        if part.get_content_type() == "image/png":
            name, drawn = str(part["Content-ID"]).strip("<>"), b64encode(part.get_content()).decode()
            page = page.replace(f"cid:{name}", f"data:image/png;base64,{drawn}")
    return page


def measure(window: Page, mail: EmailMessage) -> Measures:
    """Show the HTML of a letter as a phone does, and measure it."""
    window.set_content(with_pictures(mail), wait_until="load")
    return Measures(**window.evaluate(WHERE))


def pixels_over(found: list[Measures], most: int) -> list[str]:
    """The letters that are too high, or whose picture or button is not on the first screen."""
    return [
        str(one)
        for one in found
        if one.height > most
        or not 0 <= one.picture < PHONE_HEIGHT
        or one.button < 0
        or one.width > PHONE_WIDTH
    ]


@pytest.mark.parametrize("dutch", [False, True], ids=["en", "nl"])
@pytest.mark.parametrize("many", by_run(breadth=[8], long=[200]))
def test_many_letters_are_one_screen_on_a_phone(record_property, browser, dutch, many):
    window = browser.new_page(viewport={"width": PHONE_WIDTH, "height": PHONE_HEIGHT})
    mails = (mail for mail in letters_of_games(many, dutch=dutch) if adapter.is_turn_letter(mail))
    found = [measure(window, mail) for mail in mails]
    window.close()
    for name in ("height", "picture", "picture_end", "button", "links"):
        record_property("figure", told(f"{name} at {PHONE_WIDTH} px", [getattr(one, name) for one in found]))
    over = pixels_over(found, MOST_IN_DUTCH if dutch else MOST_HEIGHT)
    assert not over, (len(over), over[:5])
