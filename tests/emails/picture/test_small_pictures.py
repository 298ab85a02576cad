"""The picture on a small telephone and in grey: what must be read there can be, what must differ does."""

import re
from dataclasses import replace
from io import BytesIO
from itertools import combinations
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops

from emails.picture.basemap import FRAME_WIDTH, basemap_of
from emails.picture.board_picture import draw_board
from emails.picture.overlay import find_red_walls
from emails.picture.png import render_png
from engine.board import Point, Side
from engine.position import view
from tests.breadth import first
from tests.emails.positions import BOARD, NAMES, marks, played

SMALL = 320
"""Pixels: the width of a small telephone."""


def small(picture: bytes) -> Image.Image:
    """A picture in grey, as wide as a small telephone."""
    with Image.open(BytesIO(picture)) as image:
        grey = image.convert("L")
    return grey.resize((SMALL, round(grey.height * SMALL / grey.width)), Image.Resampling.LANCZOS)


def layer(drawn: str, name: str) -> str:
    """What stands in the layer with this class."""
    found = ElementTree.fromstring(drawn).find(f".//*[@class='{name}']")
    assert found is not None
    return ElementTree.tostring(found, encoding="unicode")


def strongest(one: Image.Image, other: Image.Image) -> int:
    """The greatest difference of a point's brightness, 0 to 255."""
    _, most = ImageChops.difference(one, other).getextrema()
    assert isinstance(most, int)
    return most


def test_what_one_answers_with_is_written_large_enough_for_a_telephone() -> None:
    position, log = played(NAMES, 4, 20)
    drawn = draw_board(view(position, 0), marks(position, log))
    shrunk = SMALL / float(re.findall(r'viewBox="0 0 (\d+)', drawn)[0])
    for name in ("rim", "labels", "seats", "values"):
        group = layer(drawn, name)
        written = max(float(one) for one in re.findall(r'font-size="([\d.]+)"', group))
        assert written * shrunk >= 7, name


def test_the_rim_is_as_high_as_it_should_be_on_a_telephone() -> None:
    """The ink of a digit is two thirds of its size."""
    known = view(played(NAMES[:2], 0, 0)[0], 0)
    chart = basemap_of(BOARD)
    image = small(render_png(draw_board(known)))
    shrunk = SMALL / chart.width
    x, y = chart.width - FRAME_WIDTH / 2, chart.locate(Point(2, 8))[1]  # the letter C
    box = [round(one * shrunk) for one in (x - 14, y - 22, x + 14, y + 22)]
    rows = [image.crop((box[0], row, box[2], row + 1)).getextrema()[0] for row in range(box[1], box[3])]
    assert sum(isinstance(row, int) and row < 170 for row in rows) >= 5


@pytest.mark.parametrize(
    ("part", "before", "after"),
    first(
        3,
        [
            ("labels", ">3</text>", ">8</text>"),
            ("rim", ">H</text>", ">E</text>"),
            ("guards", ">A</text>", ">B</text>"),
            ("guards", ">C</text>", ">D</text>"),
            ("values", ">(6)</text>", ">(8)</text>"),
            ("seats", "Anna 6<", "Anna 5<"),
        ],
    ),
)
def test_a_change_shows_on_a_telephone_too(part: str, before: str, after: str) -> None:
    position, log = played(NAMES, 4, 20)
    drawn = draw_board(view(position, 0), marks(position, log))
    at = drawn.index(before, drawn.index(f'<g class="{part}"'))
    changed = drawn[:at] + drawn[at:].replace(before, after, 1)
    assert strongest(small(render_png(drawn)), small(render_png(changed))) >= 30


def test_the_guards_of_two_seats_differ_in_grey_on_a_telephone_even_with_one_initial() -> None:
    known = view(played(NAMES, 4, 21)[0], 0)
    space = BOARD.places["Babylon"]
    chart = basemap_of(BOARD)
    x, y = (one * SMALL / chart.width for one in chart.centre_of(space))
    crops = []
    for holder in range(4):
        standing = tuple(BOARD.grid.space_bits[space] if seat == holder else 0 for seat in range(4))
        table = replace(known.table, standing=standing, names=("Xa", "Xb", "Xc", "Xd"))
        image = small(render_png(draw_board(replace(known, table=table))))
        crops.append(image.crop((round(x) - 6, round(y) - 7, round(x) + 6, round(y) + 7)))
    for one, other in combinations(crops, 2):
        assert strongest(one, other) >= 60


def test_red_and_black_walls_differ_in_grey_on_a_telephone() -> None:
    position, log = played(NAMES, 4)
    table, pointed = position.table, marks(position, log)
    image = small(render_png(draw_board(view(position, 0), pointed)))
    chart = basemap_of(BOARD)
    red = find_red_walls(table, pointed)

    def along(edge: Side) -> list[int]:
        (x, y), (right, down) = (chart.locate(point) for point in edge)
        steps = ((x + (right - x) * part / 20, y + (down - y) * part / 20) for part in range(7, 14))
        spots = ((int(one * SMALL / chart.width), int(other * SMALL / chart.width)) for one, other in steps)
        return [int(str(image.getpixel(spot))) for spot in spots]

    assert red
    assert min(max(along(edge)) for edge in red) > 120
    black = sorted(max(along(edge)) for edge in table.walls - red)
    assert black[len(black) // 2] < 90
