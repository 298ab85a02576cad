"""The image map over the picture of a letter: it lies where the picture has its numbers."""

import re
from itertools import combinations
from math import dist

import pytest

from emails.picture.board_picture import draw_board
from emails.picture.image_map import PICTURE_WIDTH, image_map_areas
from emails.picture.overlay import Overlay
from emails.wording.options import number_corners
from engine.evolve import start
from engine.views import view
from tests.emails import sheets
from tests.emails.positions import ODD_BOARDS, board, opening

LABEL = re.compile(r'<g data-label="(\w+)"><circle cx="([\d.]+)" cy="([\d.]+)"')


def circle(words: str) -> tuple[float, float, float]:
    x, y, radius = map(float, words.split(","))
    return x, y, radius


@pytest.mark.parametrize("turn", [0, 10, 20])
def test_each_circle_lies_on_the_number_that_it_is_for(turn: int) -> None:
    seen = sheets.sheet("three-players", *sheets.turns("three-players")[turn]).view
    drawn = draw_board(seen, Overlay(labels=number_corners(seen)))
    shrunk = PICTURE_WIDTH / float(re.findall(r'viewBox="0 0 (\d+)', drawn)[0])
    spots = {point: (float(x) * shrunk, float(y) * shrunk) for point, x, y in LABEL.findall(drawn)}
    numbers, found = number_corners(seen), image_map_areas(seen.table.board, number_corners(seen))
    assert {area.point: area.label for area in found} == numbers
    for area in found:
        x, y, radius = circle(area.circle)
        assert dist((x, y), spots[str(area.point)]) < 1
        assert radius >= 12  # 24 pixels across (WCAG 2.2, 2.5.8)


@pytest.mark.parametrize("name", ODD_BOARDS)
def test_no_two_circles_overlap(name: str) -> None:
    seen = view(start(board(ODD_BOARDS[name]), opening(("Anna", "Ben"))), 0)
    points = dict.fromkeys(seen.table.board.steps, "1")
    for one, other in combinations(
        (circle(area.circle) for area in image_map_areas(seen.table.board, points)), 2
    ):
        assert dist(one[:2], other[:2]) >= one[2] + other[2] - 1
