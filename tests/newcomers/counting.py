"""How much a letter asks of its reader: words of its plain part, pixels of its HTML on a telephone."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from math import ceil
from statistics import median

from playwright.sync_api import Page

from tests.newcomers import adapter

PHONE_WIDTH, PHONE_HEIGHT = 360, 640
RULER = re.compile(r"(?m)^(?: +\d)* *\n +\d(?: \d){5,} *$")
"""The first two lines of the drawn map: tens and ones. No language, no wording changes them."""
HEADING = re.compile(r"(?m)^== .+ ==$")


def count_words(text: str) -> int:
    return len(text.split())


def before_board(text: str) -> str:
    """What stands before the section in which the board is drawn; all of it where none is."""
    ruler = RULER.search(text)
    if ruler is None:
        return text
    headings = [one.start() for one in HEADING.finditer(text) if one.start() < ruler.start()]
    return text[: headings[-1]] if headings else text[: ruler.start()]


def ninth(numbers: Iterable[float]) -> float:
    """The ninetieth percentile: nine of ten are no more."""
    found = sorted(numbers)
    return found[max(0, ceil(len(found) * 0.9) - 1)]


def told(what: str, numbers: Sequence[float]) -> str:
    """Median, ninetieth percentile and most, as a figure that a run prints."""
    return (
        f"{what}: median {median(numbers):g}, 90% {ninth(numbers):g}, most {max(numbers):g} ({len(numbers)})"
    )


# --- pixels ---------------------------------------------------------------------------------------------

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
    for name, png in adapter.pictures_of(mail).items():
        page = page.replace(f"cid:{name}", "data:image/png;base64," + b64encode(png).decode())
    return page


def measure(window: Page, mail: EmailMessage) -> Measures:
    """Show the HTML of a letter as a phone does, and measure it."""
    window.set_content(with_pictures(mail), wait_until="load")
    return Measures(**window.evaluate(WHERE))
