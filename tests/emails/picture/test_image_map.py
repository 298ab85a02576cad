"""The image map over the picture of a letter: it lies where the picture has its discs."""

from itertools import combinations
from math import dist

from emails.picture.letter_picture import PICTURE_WIDTH
from tests.emails.picture.test_letter_picture import FEW, letters, sight_of


def circle(words: str) -> tuple[float, float, float]:
    x, y, radius = map(float, words.split(","))
    return x, y, radius


def test_each_circle_lies_on_the_disc_that_it_is_for() -> None:
    for _, pointed, picture in letters(FEW):
        seen, area = sight_of(picture.svg), picture.area
        scale = PICTURE_WIDTH / (area.width + area.frame)
        assert {one.point: one.label for one in picture.areas} == pointed.labels
        for one in picture.areas:
            x, y, radius = circle(one.circle)
            disc = seen.discs[one.label]
            there = (disc[0] - area.left + area.frame) * scale, (disc[1] - area.top + area.frame) * scale
            assert dist((x, y), there) < 1
            assert radius >= 12  # 24 pixels across (WCAG 2.2, 2.5.8)


def test_no_two_circles_overlap() -> None:
    for _, _, picture in letters(FEW):
        for one, other in combinations((circle(area.circle) for area in picture.areas), 2):
            assert dist(one[:2], other[:2]) >= one[2] + other[2] - 1.5
