"""The colours and shapes, told apart by all eyes, in grey and on a small telephone; and names that fit."""

import math
import re
from dataclasses import replace
from io import BytesIO
from itertools import combinations, product
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops

from emails.picture import palette
from emails.picture.board_picture import draw_board
from emails.picture.layers import FRAME_WIDTH, GUARD_OUTLINES, SYMBOL_DRAWINGS, basemap_of, find_red_walls
from emails.picture.letter_picture import render_png
from engine.board import Point, Side
from engine.cards import Symbol
from engine.position import view
from tests.breadth import first
from tests.emails.picture.test_board_picture import busy, found
from tests.emails.positions import BOARD, NAMES, played

EYES = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""What is left of red, green and blue light, by Machado, Oliveira and Fernandes (2009)."""

Lab = tuple[float, float, float]


def light(colour: str) -> list[float]:
    """The red, green and blue light of a colour, 0 to 1."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def lab(rgb: list[float]) -> Lab:
    rows = (
        (0.4124564, 0.3575761, 0.1804375),
        (0.2126729, 0.7151522, 0.0721750),
        (0.0193339, 0.1191920, 0.9503041),
    )
    xyz = [sum(a * b for a, b in zip(row, rgb, strict=True)) for row in rows]
    scaled = [part / white for part, white in zip(xyz, (0.95047, 1, 1.08883), strict=True)]
    x, y, z = (part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116 for part in scaled)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one: Lab, other: Lab) -> float:
    """How far apart two colours look (CIE 142-2001, as Sharma, Wu and Dalal wrote it down)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    grey = 0.5 * (1 - math.sqrt(mean**7 / (mean**7 + 25**7)))
    c1, c2 = math.hypot(a1 * (1 + grey), b1), math.hypot(a2 * (1 + grey), b2)
    h1, h2 = (math.degrees(math.atan2(b, a * (1 + grey))) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    hue = math.radians(h1 + turn / 2 if c1 * c2 else h1 + h2)
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    middle, chroma = ((l1 + l2) / 2 - 50) ** 2, (c1 + c2) / 2
    t = 1 - 0.17 * math.cos(hue - math.radians(30)) + 0.24 * math.cos(2 * hue)
    t += 0.32 * math.cos(3 * hue + math.radians(6)) - 0.2 * math.cos(4 * hue - math.radians(63))
    sl, sc, sh = 1 + 0.015 * middle / math.sqrt(20 + middle), 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    bend = math.radians(60) * math.exp(-(((math.degrees(hue) % 360 - 275) / 25) ** 2))
    rt = -2 * math.sqrt(chroma**7 / (chroma**7 + 25**7)) * math.sin(bend)
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * dc / sc * dh / sh)


def difference(one: str, other: str, eyes: str) -> float:
    seen_by = (
        [min(1, max(0, sum(a * b for a, b in zip(row, light(colour), strict=True)))) for row in EYES[eyes]]
        for colour in (one, other)
    )
    return ciede2000(*map(lab, seen_by))


def test_the_measure_is_right() -> None:
    for one, other, apart in (
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ):
        assert ciede2000(one, other) == pytest.approx(apart, abs=1e-4)


SEATS, TINTS, LINES = palette.SEAT_COLOURS, palette.SEAT_TINTS, (palette.INK, palette.RED_WALL, palette.GLOW)
GROUNDS = (palette.LAND, palette.PAPER, palette.GRID, palette.SEA, *palette.SHALLOWS)
APART = {
    "the land and the tints of the seats": (15, combinations((palette.LAND, *TINTS), 2)),
    "the seats": (15, combinations(SEATS, 2)),
    "walls and all other lines": (15, combinations((*LINES, palette.COAST), 2)),
    "lines and their grounds": (15, product((*LINES, palette.COAST), GROUNDS)),
    "black walls and what they stand out over": (
        40,
        product([palette.INK], (palette.GRID, palette.LAND, *TINTS)),
    ),
    "land, coast and sea": (15, product((palette.LAND, palette.COAST), [palette.SEA])),
    "provinces and the sea, between which is the coast": (11, product(TINTS, [palette.SEA])),
    "guards or numbers and what is written on them": (30, product((*SEATS, palette.CHOICE), ["#ffffff"])),
    "guards and their provinces": (15, zip(SEATS, TINTS, strict=True)),
}
"""How far the colours of pairs are apart, at least."""
PAIRS = {what: (least, [*pairs]) for what, (least, pairs) in APART.items()}


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("what", PAIRS)
def test_colours_are_told_apart_by_all_eyes(what: str, eyes: str) -> None:
    least, pairs = PAIRS[what]
    assert min(difference(*pair, eyes) for pair in pairs) >= least


def test_what_some_eyes_confuse_differs_in_shape() -> None:
    """Green choices are no red seat's for anybody: numbered circles and dashes, where seats have neither.

    New walls glow in an orange that some take for gold or red land: it lies within a light edge.
    """
    root = ElementTree.fromstring(draw_board(*busy(4, 20)))
    layers = {str(one.get("class")): one for one in root.iter() if one.get("class")}
    green = [one for name in ("labels", "preview", "targets") for one in (layers[name], *layers[name].iter())]
    assert {one.get("fill") for one in green} >= {palette.CHOICE, palette.CHOICE_TINT}
    assert all(group[0].tag.endswith("circle") for group in layers["labels"])
    assert layers["preview"][-1].get("stroke-dasharray")
    assert not [one for one in layers["marches"].iter() if one.get("stroke-dasharray")]
    assert all(len(group) == 3 for group in layers["marches"]), "each march has the head of an arrow"
    edge, fresh = layers["edge"], layers["fresh"]
    assert edge.get("d") == fresh.get("d")
    assert float(str(edge.get("stroke-width"))) > float(str(fresh.get("stroke-width")))


def test_all_colours_of_a_picture_are_in_the_palette_of_its_png() -> None:
    drawn = draw_board(*busy(4))
    used = {colour.lower() for colour in re.findall(r"#[0-9a-fA-F]{6}(?![0-9a-fA-F])", drawn)}
    known = {f"#{r:02x}{g:02x}{b:02x}" for r, g, b in palette.FEW_COLOURS}
    assert len(used) > 15
    assert used <= known
    assert len(palette.COLOURS) < 64
    assert palette.COLOURS[: len(palette.FEW_COLOURS)] == palette.FEW_COLOURS


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 reckons it, 1 to 21."""
    bright = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(light, (one, other)))
    return (bright[1] + 0.05) / (bright[0] + 0.05)


def test_what_is_written_stands_out() -> None:
    assert min(contrast(colour, "#ffffff") for colour in (*palette.SEAT_COLOURS, palette.CHOICE)) > 3.5
    written = (*palette.SYMBOL_COLOURS, palette.FAINT_INK)
    assert min(contrast(colour, palette.LAND) for colour in written) > 3.5
    assert contrast(palette.INK, palette.LAND) > 12


def test_symbols_and_seats_differ_in_shape_too() -> None:
    assert len(set(SYMBOL_DRAWINGS.values())) == len(Symbol) == 5
    assert len(set(GUARD_OUTLINES)) == len(set(palette.SEAT_LOOKS)) == len(palette.SEAT_COLOURS) == 4


def test_a_name_is_one_short_line() -> None:
    assert palette.clean_name("a\n\tb\x00\u202ec") == "a bc"
    assert palette.clean_name("x" * 99, 14) == "x" * 13 + "…"


def test_a_name_is_cut_to_the_room_there_is() -> None:
    assert palette.fit_name("Anna", 5) == "Anna"
    assert palette.fit_name("Alexandra the Great", 4) == "Alexa…"
    assert palette.fit_name("WWWWWW", 3) == "WW…"
    assert palette.fit_name("李", 5) == palette.fit_name("Anna", 0.2) == ""
    for name in ("Alexandra the Great", "WWWWWWWWW", "il il il il", "Ωμέγα Ωμέγα"):
        for room in range(2, 9):
            assert palette.estimate_width(palette.fit_name(name, room)) <= room


@pytest.mark.parametrize(
    "names",
    [
        ("House 1", "House 2"),
        ("Alexandra", "Alexander", "Ben"),
        ("Alexandra of Macedon", "Alexandra of Epirus", "Alexandra of Thebes"),
        ("Annabel the second Senior", "Annabel the first Senior"),
    ],
)
def test_names_that_differ_are_not_cut_to_the_same_text(names: tuple[str, ...]) -> None:
    for room in (3, 3.5, 4.5, 6, 20):
        shown = palette.fit_names(names, [room] * len(names))
        assert len(set(shown)) == len(names)
        assert all(palette.estimate_width(one) <= room for one in shown)
        assert all(one[0] == name[0] for one, name in zip(shown, names, strict=True))
    assert palette.fit_names(names, [20] * len(names)) == list(names)


def test_names_that_are_the_same_stay_so() -> None:
    assert palette.fit_names(["Alexandra", "Alexandra"], [4, 4]) == ["Alexa…"] * 2
    assert palette.fit_names(["李", "馬"], [4, 4]) == ["", ""]


SMALL = 320


def small(picture: bytes) -> Image.Image:
    """A picture in grey, as wide as a small telephone."""
    with Image.open(BytesIO(picture)) as image:
        grey = image.convert("L")
    return grey.resize((SMALL, round(grey.height * SMALL / grey.width)), Image.Resampling.LANCZOS)


def strongest(one: Image.Image, other: Image.Image) -> int:
    """The greatest difference of a point's brightness, 0 to 255."""
    _, most = ImageChops.difference(one, other).getextrema()
    assert isinstance(most, int)
    return most


def test_what_one_answers_with_is_written_large_enough_for_a_telephone() -> None:
    drawn = draw_board(*busy(4, 20))
    shrunk = SMALL / float(re.findall(r'viewBox="0 0 (\d+)', drawn)[0])
    for name in ("rim", "labels", "seats", "values"):
        group = ElementTree.tostring(found(drawn, name), encoding="unicode")
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
    drawn = draw_board(*busy(4, 20))
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
    known, pointed = busy(4)
    table, image = known.table, small(render_png(draw_board(known, pointed)))
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
