"""The HTML of every kind of letter, judged by html-validate, caniemail, axe and a browser."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import html

from tests.gallery.letter_files import Specimen
from tests.judges.court import gallery, node, program

EXTRAS = {
    "<body> element": "the ground's colour, which a table within has too",
    "<style> element": "dark colours, and no image map where the picture is narrow",
    "@media": "the same: elsewhere a letter is light",
    "Image maps": "the buttons do what they do",
    "aria-hidden attribute": "an initial, heard before the name that it begins",
    "aria-label attribute": "says more than the words that are seen, which mean the same",
    "border-radius": "round corners",
    "display:none": "hides the preview's line, which has no height either",
    "height property": "auto, which pictures have by themselves",
    "lang attribute": "where it is dropped, what is heard has the language of the mail program",
    "mailto: links": "the second way, beside the link and the reply",
    "overflow": "hides the preview's line, which is not displayed either",
    "role attribute": "where it is dropped, layout is heard as a table of one column",
    "text-decoration": "buttons without an underline",
    "width attribute": "for Outlook on Windows; the others take the width from the style",
    "word-break": "long addresses in a line of their own width; where it is dropped one is scrolled to",
    "<small> element": "contents of provinces a little smaller",
}
"""What a letter can do without, by the names that caniemail gives it, and what it is for."""


@pytest.mark.breadth
def test_the_form_is_right_and_no_mail_program_lacks_what_a_letter_needs(tmp_path: Path) -> None:
    for name, one in gallery().items():
        (tmp_path / f"{name}.html").write_text(one.letter.html, "utf-8")
    verdicts = node("read.mjs", str(tmp_path))
    assert isinstance(verdicts, dict)
    assert len(verdicts) == len(gallery())
    wrong = [f"{file}: {one}" for file, verdict in verdicts.items() for one in verdict["form"]]
    assert not wrong, "\n".join(wrong)
    lacking = {feature: who for verdict in verdicts.values() for feature, who in verdict["clients"].items()}
    assert {feature: who for feature, who in lacking.items() if feature not in EXTRAS} == {}
    assert EXTRAS.keys() - lacking.keys() == set(), "no mail program lacks these"


@pytest.mark.parametrize(
    "every", [pytest.param(6, marks=pytest.mark.breadth), pytest.param(1, marks=pytest.mark.long)]
)
def test_axe_and_a_browser_have_nothing_to_say(tmp_path: Path, every: int) -> None:
    """`every`: of how many letters one is judged."""
    judged = list(gallery().items())[::every]
    for name, one in judged:
        html = one.letter.html
        for picture in one.letter.pictures:
            file = f"{name}-{picture.name}.svg"
            (tmp_path / file).write_text(picture.svg, "utf-8")
            html = html.replace(f"cid:{picture.name}", file)
        (tmp_path / f"{name}.html").write_text(html, "utf-8")
    verdicts = node("browse.mjs", str(tmp_path), program("chromium", "chromium-browser", package="chromium"))
    assert isinstance(verdicts, dict)
    assert len(verdicts) == len(judged)
    wrong = [f"{file}: {one}" for file, said in verdicts.items() for one in said]
    assert not wrong, "\n".join(wrong)


DRAWN = ("The board", "Het bord")
"""What stands in the text in words, and in the HTML as a picture."""


def test_the_html_says_things_in_the_order_of_the_text() -> None:
    for name, one in gallery().items():
        headings = [str(heading.text_content()) for heading in page(one).iter("h2")]
        in_text = re.findall("^== (.*) ==$", one.letter.text, re.MULTILINE)
        assert headings == [one for one in in_text if one not in DRAWN], name


def test_headings_go_down_one_step_at_a_time() -> None:
    for name, one in gallery().items():
        levels = [int(heading.tag[1]) for heading in page(one).iter("h1", "h2", "h3", "h4", "h5", "h6")]
        assert levels[0] == 1, name
        assert levels.count(1) == 1, name
        assert all(low <= high + 1 for high, low in pairwise(levels)), name


def page(one: Specimen) -> html.HtmlElement:
    return html.document_fromstring(one.letter.html)
