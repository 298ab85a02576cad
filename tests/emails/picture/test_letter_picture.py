"""Pictures in letters and on pages: what is offered can be read, and nothing covers anything."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from itertools import combinations
from math import dist, hypot
from random import Random
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops, ImageFont, ImageStat

from emails.letters.parts import GameLetterContext
from emails.picture.board_picture import draw_board
from emails.picture.labels import FONT_FILES
from emails.picture.layers import EMPTY_OVERLAY, Overlay, basemap_of
from emails.picture.letter_picture import PICTURE_WIDTH, LetterPicture, draw_letter_picture, render_png
from emails.wording import phrases, standings
from emails.wording.narration import build_overlay
from emails.wording.options import reachable_targets
from engine import march_rules
from engine.board import Point, Space
from engine.evolve import start
from engine.position import View, view
from tests.breadth import by_run
from tests.emails.picture.test_board_picture import SVG, size
from tests.emails.positions import BOARD, ODD_BOARDS, board, opening, stored_game

SHOWN = 328
"""Pixels: how wide a picture is on a telephone of 360, within the margins of a mail program."""
LEAST = 9.0
"""Pixels of the letters that have to be read there."""
GAMES = ("two-players", "three-players", "walls", "points")
FEW, MANY = 16, 200
LabelBox = tuple[float, float, float, float]


@dataclass(frozen=True)
class Sight:
    """What stands where on a picture, in units of the drawing."""

    unit: float
    names: dict[str, tuple[float, LabelBox]]
    """The size of each name that matters, and what it covers."""
    discs: dict[str, tuple[float, float, float, float]]
    """The middle, half the width and half the height of each disc, by what stands on it."""
    symbols: list[LabelBox]


def sight_of(drawn: str) -> Sight:
    """Measure a drawing as it is written, without what drew it."""
    root = ElementTree.fromstring(drawn)
    width = float(str(root.get("viewBox")).split()[2])
    font = ImageFont.truetype(FONT_FILES[1], 100)
    names = {}
    for text in root.findall(f".//{SVG}g[@class='named']/{SVG}text"):
        high, said = float(str(text.get("font-size"))), str(text.text)
        x, y, half = float(str(text.get("x"))), float(str(text.get("y"))), font.getlength(said) * high / 200
        names[said] = high, (x - half, y - 0.7 * high, x + half, y)
    discs = {}
    for one in root.findall(f".//{SVG}g[@data-label]"):
        [circle] = one.iter(f"{SVG}circle")
        x, y, radius = (float(str(circle.get(part))) for part in ("cx", "cy", "r"))
        half = max([radius, *(float(str(rect.get("width"))) / 2 for rect in one.iter(f"{SVG}rect"))])
        discs[str(one[-1].text)] = x, y, half, radius
    boxes = []
    for use in root.iter(f"{SVG}use"):
        if str(use.get("href")).startswith("#place-") and use.get("x"):
            x, y = float(str(use.get("x"))), float(str(use.get("y")))
            boxes.append((x - 11, y - 11, x + 11, y + 11))
    return Sight(width / SHOWN, names, discs, boxes)


def overlap(one: LabelBox, other: LabelBox) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def covers(disc: tuple[float, float, float, float], box: LabelBox) -> bool:
    """Whether a disc, which may be longer than high, lies over some of a box."""
    x, y, half, radius = disc
    across = max(box[0] - x - (half - radius), 0.0, x - (half - radius) - box[2])
    return hypot(across, max(box[1] - y, 0.0, y - box[3])) < radius - 0.01


def symbol_of(space: Space) -> LabelBox:
    x, y = basemap_of(BOARD).centre_of(space)
    y += 5.5 if space.points_down else -5.5
    return x - 11, y - 11, x + 11, y + 11


def offer(known: View, dice: Random) -> list[tuple[str, str, Point | None]]:
    """Up to five marches, as turns to choose from."""
    goals = [
        (space, corner)
        for space in reachable_targets(known)
        for corner in march_rules.reachable_corners(known.table, space)
    ]
    some = dice.sample(goals, min(5, len(goals)))
    return [
        (letter, f"march {BOARD.names[space]} {corner}", corner)
        for letter, (space, corner) in zip("abcde", some, strict=False)
    ]


def some_turns(dice: Random, many: int) -> Iterator[tuple[GameLetterContext, Overlay]]:
    """So many turns of stored games by chance, with the marks of what happened before them."""
    starts = [(name, *one) for name in GAMES for one in stored_game(name).turn_starts()]
    for name, at, seat in dice.choices(starts, k=many):
        made = stored_game(name).letter_context(at, seat)
        yield made, build_overlay(made.since, made.before, made.view)


@cache
def letters(many: int) -> tuple[tuple[View, Overlay, LetterPicture], ...]:
    """The pictures of so many turns of stored games, each with five turns offered by chance."""
    dice, found = Random(many), []
    for made, marks in some_turns(dice, many):
        pointed = phrases.point_out_turns(marks, BOARD, offer(made.view, dice), made.since)
        found.append((made.view, pointed, draw_letter_picture(made.view, pointed)))
    return tuple(found)


@pytest.mark.parametrize("many", by_run([FEW], [MANY]))
def test_what_is_offered_is_named_large_enough_and_names_cover_nothing(many: int) -> None:
    for known, pointed, picture in letters(many):
        seen = sight_of(picture.svg)
        where = str(known.table.turn)
        assert pointed.targets <= picture.named, where
        assert {BOARD.names[space] for space in pointed.targets} <= set(seen.names), where
        for high, box in seen.names.values():
            assert high / seen.unit >= LEAST, where
            assert not any(overlap(box, symbol) for symbol in seen.symbols), where
        for (_, one), (_, other) in combinations(seen.names.values(), 2):
            assert not overlap(one, other), where


@pytest.mark.parametrize("many", by_run([FEW], [MANY]))
def test_no_disc_covers_what_it_leads_to(many: int) -> None:
    for known, pointed, picture in letters(many):
        seen = sight_of(picture.svg)
        assert set(seen.discs) == set(pointed.labels.values()), known.table.turn
        for point, label in pointed.labels.items():
            disc = seen.discs[label]
            goals = [space for space in BOARD.spaces_at[point] if space in pointed.targets]
            assert goals
            for goal in goals:
                assert not covers(disc, symbol_of(goal)), (known.table.turn, label)
                assert not covers(disc, seen.names[BOARD.names[goal]][1]), (known.table.turn, label)
            assert disc[3] / seen.unit * 2 >= 16


def test_what_can_be_chosen_lies_in_the_picture_and_the_news_at_least_in_its_small_map() -> None:
    chart = basemap_of(BOARD)
    for known, pointed, picture in letters(FEW):
        spots = [chart.locate(point) for point in (known.table.alexander, *pointed.labels)]
        assert all(picture.area.box.holds(*spot) for spot in spots)
        news = [chart.locate(point) for edge in pointed.fresh for point in edge]
        assert picture.overview or all(picture.area.box.holds(*spot) for spot in news)
        assert picture.overview == ('class="overview"' in picture.svg)


def test_a_letter_without_choices_shows_what_happened() -> None:
    made = stored_game("three-players").letter_context(*stored_game("three-players").turn_starts()[30])
    pointed = Overlay(changed=frozenset((Space(1, 5), Space(1, 6))))
    picture = draw_letter_picture(made.view, pointed)
    spots = map(basemap_of(BOARD).centre_of, pointed.changed)
    assert picture.overview or all(picture.area.box.holds(*spot) for spot in spots)


def test_the_whole_board_is_shown_where_it_is_asked_for_or_nearly_all_matters() -> None:
    made = stored_game("two-players").letter_context(*stored_game("two-players").turn_starts()[9])
    asked = draw_letter_picture(made.view, Overlay(), whole=True)
    assert not asked.area.column
    guarded = {space for standing in made.view.table.guards for space in standing}
    assert all(f">{name}</text>" in asked.svg for space, name in BOARD.names.items() if space not in guarded)
    corners = Overlay(labels={min(BOARD.steps): "a", max(BOARD.steps): "b"})
    picture = draw_letter_picture(made.view, corners)
    assert not picture.area.column
    assert not picture.overview


@pytest.mark.parametrize("name", ODD_BOARDS)
def test_any_board_has_a_picture_in_letters(name: str) -> None:
    odd = board(ODD_BOARDS[name])
    known = view(start(odd, opening(("Anna", "Ben", "Cleo", "Dirk"), odd)), 0)
    marks = Overlay(labels={odd.start: "a c"}, targets=frozenset(odd.names), named=tuple(odd.names)[:4])
    picture = draw_letter_picture(known, marks)
    width, height = size(render_png(picture.svg))
    assert width <= 1000
    assert height <= 1400


def test_the_ground_of_a_part_lies_where_it_is_drawn() -> None:
    """What is cut from the ground of the whole board is the same as what is drawn at once."""
    _, _, picture = next(one for one in letters(FEW) if one[2].area.column)
    assert re.search(r"data-ground", picture.svg)
    whole = re.sub(r' data-ground="[^"]*"', "", picture.svg).replace('<g class="provinces">', "<g>", 1)

    def pixels(drawn: str) -> Image.Image:
        with Image.open(BytesIO(render_png(drawn))) as image:
            return image.convert("RGB")

    apart = ImageChops.difference(pixels(picture.svg), pixels(whole)).convert("L")
    assert ImageStat.Stat(apart).mean[0] < 0.2


def test_corners_share_a_disc_where_turns_end_at_one() -> None:
    one, other = Point(0, 2), Point(0, 4)
    turns = (("a", "draw", one), ("b", "draw", other), ("c", "draw", one), ("d", "draw", None))
    assert phrases.point_out_turns(EMPTY_OVERLAY, BOARD, turns).labels == {one: "a c", other: "b"}


def test_orders_tell_their_places() -> None:
    orders = "choose lyre; march Larissa A3-B4-C3; occupy Aegae, Troy; draw"
    found = phrases.point_out_turns(EMPTY_OVERLAY, BOARD, [("a", orders, None)])
    assert [BOARD.names[space] for space in found.named] == ["Larissa", "Aegae", "Troy"]
    assert {BOARD.names[space] for space in found.targets} == {"Larissa"}


def test_sentences_name_what_the_picture_names_and_say_where_the_rest_is() -> None:
    table = letters(FEW)[0][0].table
    troy, larissa = BOARD.places["Troy"], BOARD.places["Larissa"]
    assert phrases.name_place(table, troy) == "Troy"
    with phrases.use_place_names({larissa}):
        assert phrases.name_place(table, larissa) == "Larissa"
        said = phrases.name_place(table, troy)
    assert said == "the horse north of D8"
    assert phrases.name_place(table, troy) == "Troy"
    tips = {(space.points_down, space.row + space.points_down, space.col) for space in BOARD.symbols}
    assert len(tips) == len(BOARD.symbols)


def test_the_words_for_the_picture_say_what_it_shows() -> None:
    known, pointed, picture = letters(FEW)[0]
    said = standings.picture_alt_text(known, pointed, picture)
    assert said.startswith("The board from ")
    assert f"Alexander stands on {known.table.alexander}" in said
    for point, label in pointed.labels.items():
        assert f"{label.replace(' ', ' and ')}: to {point}." in said
    assert ("small map" in said) == picture.overview


def circle(words: str) -> tuple[float, float, float]:
    x, y, radius = map(float, words.split(","))
    return x, y, radius


def test_each_circle_lies_on_the_disc_that_it_is_for_and_on_no_other_circle() -> None:
    for _, pointed, picture in letters(FEW):
        seen, area = sight_of(picture.svg), picture.area
        scale = PICTURE_WIDTH / (area.box.right - area.box.left + area.frame)
        assert {one.point: one.label for one in picture.areas} == pointed.labels
        for one in picture.areas:
            x, y, radius = circle(one.circle)
            disc = seen.discs[one.label]
            there = (
                (disc[0] - area.box.left + area.frame) * scale,
                (disc[1] - area.box.top + area.frame) * scale,
            )
            assert dist((x, y), there) < 1
            assert radius >= 12  # 24 pixels across (WCAG 2.2, 2.5.8)
        for one, other in combinations((circle(area.circle) for area in picture.areas), 2):
            assert dist(one[:2], other[:2]) >= one[2] + other[2] - 1.5


PHONE = 360
"""Pixels: how wide a telephone shows a close-up."""
ROOM = 130
"""Units around the corners in a close-up."""


def chosen_cards(many: int) -> Iterator[tuple[View, Overlay]]:
    """The marks of so many pages on which a card is chosen, by chance one of those that lead somewhere."""
    dice = Random(many)
    for made, pointed in some_turns(dice, many):
        table = made.view.table
        by_symbol: dict[object, list[Space]] = {}
        for space in reachable_targets(made.view):
            by_symbol.setdefault(BOARD.symbols[space], []).append(space)
        targets = dice.choice([*by_symbol.values()]) if by_symbol else []
        corners = sorted({one for space in targets for one in march_rules.reachable_corners(table, space)})
        labels = {corner: str(number) for number, corner in enumerate(corners, 1)}
        if labels:
            yield made.view, replace(pointed, targets=frozenset(targets), labels=labels)


@pytest.mark.parametrize("many", by_run([10], [200]))
def test_discs_leave_free_what_they_lead_to(many: int) -> None:
    chart, named, offered = basemap_of(BOARD), 0, 0
    for known, pointed in chosen_cards(many):
        seen = sight_of(draw_board(known, pointed))
        where = known.table.turn
        assert set(seen.discs) == set(pointed.labels.values()), where
        spots = [chart.locate(point) for point in (*pointed.labels, known.table.alexander)]
        across = max(x for x, _ in spots) - min(x for x, _ in spots) + ROOM
        for point, label in pointed.labels.items():
            x, y, _, radius = seen.discs[label]
            assert (x, y) == chart.locate(point)
            assert 2 * radius * PHONE / across >= 12, (where, across)
            for goal in pointed.targets & set(BOARD.spaces_at[point]):
                assert not covers(seen.discs[label], symbol_of(goal)), (where, label)
                if BOARD.names[goal] in seen.names:
                    assert not covers(seen.discs[label], seen.names[BOARD.names[goal]][1]), (where, label)
        for high, box in seen.names.values():
            assert high * PHONE / across >= 9 or across > 650, (where, across)
            assert not any(overlap(box, symbol) for symbol in seen.symbols), where
        named += len(pointed.targets & {BOARD.places[name] for name in seen.names})
        offered += len(pointed.targets)
    assert named == offered, (named, offered)
