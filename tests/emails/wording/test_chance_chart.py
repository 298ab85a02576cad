"""The chart of the chances: a line of its own kind for each seat, within its frame, and names at its end."""

import re
from xml.etree import ElementTree

import pytest

from emails.picture import palette
from emails.picture.png import render_png
from emails.wording.review_text import FOOT, LEFT, LINE_GAP, RIGHT, SEAT_DASHES, TOP, draw_chance_chart
from engine.bots.reviews import Review, ReviewedTurn, Verdict
from tests.emails.positions import NAMES, NASTY_NAMES
from tests.emails.wording.test_score_chart import SVG, lines, root_of


def review_of(*course: tuple[float, ...]) -> Review:
    """A review in which the chances went so, from before the first turn on."""
    turns = enumerate(course[1:], 1)
    return Review(course[0], tuple(ReviewedTurn(Verdict(turn, 0, (), (), 0.0), now) for turn, now in turns))


REVIEWS = {
    "three": (review_of((0.3, 0.3, 0.4), (0.2, 0.5, 0.3), (0.0, 1.0, 0.0)), NAMES[:3]),
    "two": (review_of(*((turn / 99, 1 - turn / 99) for turn in range(100))), NAMES[:2]),
    "four alike": (review_of(*((0.25,) * 4 for _ in range(9))), NASTY_NAMES),
    "no turn": (review_of((0.5, 0.5)), NAMES[:2]),
}


def drawn(name: str) -> str:
    review, names = REVIEWS[name]
    return draw_chance_chart(review, names, "turns", "chances")


@pytest.mark.parametrize("name", REVIEWS)
def test_each_seat_has_a_line_of_its_own_kind_within_the_frame(name: str) -> None:
    review, names = REVIEWS[name]
    found = lines(root_of(drawn(name)))
    assert sorted(found) == list(range(len(names)))
    for seat, line in found.items():
        assert line.get("stroke") == palette.SEAT_COLOURS[seat]
        assert line.get("stroke-dasharray", "") == SEAT_DASHES[seat]
        spots = [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", str(line.get("d")))]
        assert (spots[0][0], spots[-1][0]) == (LEFT, RIGHT)
        assert len(spots) == max(2, len(review.turns) + 1)
        assert all(TOP - 2 * LINE_GAP <= y <= FOOT + 2 * LINE_GAP for _, y in spots)


@pytest.mark.parametrize("name", REVIEWS)
def test_it_is_a_plain_document_with_the_names(name: str) -> None:
    root = root_of(drawn(name))
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= set("svg g path circle rect text".split())
    assert render_png(drawn(name))
    ends: ElementTree.Element | None = root.find(f".//{SVG}g[@class='ends']")
    assert ends is not None
    said = [str(list(group)[-1].text) for group in ends.findall(f"{SVG}g")]
    assert len(said) == len(REVIEWS[name][1])
    if name != "four alike":
        assert sorted(said) == sorted(REVIEWS[name][1])


def test_who_wins_stands_at_the_top() -> None:
    said = re.findall(r'<text x="17" y="7">(\w+)</text>', drawn("three"))
    assert said[0] == NAMES[1]
