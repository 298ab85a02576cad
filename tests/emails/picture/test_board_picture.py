"""The picture: what it shows, and that it is well-formed, small and the same every time."""

from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from PIL import Image

from emails.i18n import Locale, use_locale
from emails.picture import palette
from emails.picture.board_picture import ZOOM, draw_board
from emails.picture.labels import FONT_FILES
from emails.picture.layers import FRAME_WIDTH, Overlay, basemap_of, find_red_walls, join_sides
from emails.picture.letter_picture import MAX_BYTES, render_png
from emails.wording.narration import build_overlay
from engine.board import Point, Side, Space, side, sides_of_path
from engine.cards import EMPTY
from engine.events import AlexanderMarched
from engine.evolve import start
from engine.position import View, view
from engine.provinces import provinces
from tests.breadth import by_run, first
from tests.emails.positions import (
    BOARD,
    NAMES,
    NASTY_NAMES,
    ODD_BOARDS,
    board,
    marks,
    opening,
    played,
    stored_game,
)

SVG = "{http://www.w3.org/2000/svg}"
WIDTH, HEIGHT = 876, 538


def seen(seats: int, seed: int, turns: int) -> View:
    return view(played(NAMES[:seats], seed, turns)[0], 0)


def layer(drawn: str, name: str) -> ElementTree.Element | None:
    """The group or path with a class, read as XML."""
    return ElementTree.fromstring(drawn).find(f".//*[@class='{name}']")


def found(drawn: str, name: str) -> ElementTree.Element:
    element = layer(drawn, name)
    assert element is not None, f"there is no layer {name}"
    return element


def busy(seed: int, turns: int = 999) -> tuple[View, Overlay]:
    """A game of four after so many turns, with all marks that a picture can have at once."""
    position, log = played(NAMES, seed, turns)
    return view(position, 0), marks(position, log)


def size(picture: bytes) -> tuple[int, int]:
    with Image.open(BytesIO(picture)) as image:
        return image.size


# --- what it shows --------------------------------------------------------------------------------------


def test_the_opening_shows_every_symbol_with_its_name_and_the_rim() -> None:
    drawn = draw_board(seen(2, 0, 0))
    assert [text.text for text in found(drawn, "names")] == list(BOARD.names.values())
    assert [use.get("href") for use in found(drawn, "symbols")] == [
        f"#place-{symbol}" for symbol in BOARD.symbols.values() if symbol
    ]
    rows, rows_again, columns, columns_again = found(drawn, "rim")
    assert [text.text for text in rows] == list("ABCDEFGHIJK")
    assert [text.text for text in columns] == [str(column) for column in range(2, 35)]
    for part, again in ((rows, rows_again), (columns, columns_again)):
        assert again.get("href") == f"#{part.get('id')}"
    assert float(rows_again.get("x", 0)) == basemap_of(BOARD).width - FRAME_WIDTH
    assert float(columns_again.get("y", 0)) == basemap_of(BOARD).height - FRAME_WIDTH


def test_a_wide_board_numbers_every_other_column() -> None:
    odd = board(ODD_BOARDS["wide"])
    drawn = draw_board(view(start(odd, opening(NAMES[:2], odd)), 0))
    numbers = [int(str(text.text)) for text in found(drawn, "rim")[2]]
    assert {later - sooner for sooner, later in pairwise(numbers)} == {2}


def test_nothing_is_drawn_that_nobody_sees() -> None:
    drawn = draw_board(*busy(4, 27))
    assert "pointer-events" not in drawn
    assert len(drawn) < 40_000


def test_a_guard_shows_its_seat_and_its_symbol_and_replaces_the_name() -> None:
    known = seen(4, 4, 21)
    guards = found(draw_board(known), "guards")
    standing = [(seat, space) for seat, places in enumerate(known.table.guards) for space in places]
    assert len(standing) > 8
    assert [text.text for text in guards.iter(f"{SVG}text")] == [NAMES[seat][0] for seat, _ in standing]
    shown = [use.get("href") for use in guards.iter(f"{SVG}use")]
    assert shown[::2] == [f"#guarded-{BOARD.symbols[space]}" for _, space in standing]
    assert shown[1::2] == [f"#guard-{seat}" for seat, _ in standing]
    names = [text.text for text in found(draw_board(known), "names")]
    assert not {BOARD.names[space] for _, space in standing} & set(names)


def test_held_provinces_are_tinted_and_show_their_value_and_others_only_when_enclosed() -> None:
    for seed in range(4):
        known = seen(4, seed, 24)
        parts = {str(part.first): part for part in provinces(known.table)}
        largest = max(parts.values(), key=lambda part: len(part.spaces))
        drawn = draw_board(known)
        tints = {path.get("data-province"): path.get("fill") for path in found(drawn, "provinces")}
        held = {first: part.holder for first, part in parts.items() if part.holder is not None}
        assert tints == {first: palette.SEAT_TINTS[holder] for first, holder in held.items()}
        values = {text.get("data-province"): text.text for text in found(drawn, "values")}
        assert values == {
            first: f"({part.value})" if len(part.guards) > 1 else str(part.value)
            for first, part in parts.items()
            if part.places and (part.holder is not None or part is not largest)
        }


def test_every_wall_is_drawn_once() -> None:
    known = seen(4, 4, 999)
    path = str(found(draw_board(known), "wall").get("d"))
    chart = basemap_of(BOARD)
    at = {chart.locate(point): point for point in BOARD.steps}
    drawn: list[Side] = []
    for run in path.split("M")[1:]:
        points = [at[int(x), int(y)] for x, y in (spot.split() for spot in run.split("L"))]
        drawn += [side(*pair) for pair in pairwise(points)]
    assert sorted(drawn) == sorted(known.table.walls)


def test_the_seats_are_named_beneath_with_scores_and_whose_turn_it_is() -> None:
    known = seen(3, 1, 16)
    seats = found(draw_board(known), "seats")
    assert [list(seat.iter(f"{SVG}text"))[1].text for seat in seats if seat.get("data-seat")] == [
        f"{name} {points}" for name, points in zip(NAMES, known.table.scores, strict=False)
    ]
    pointed = [seat for seat in seats if seat.find(f"{SVG}path[@d='M17-7L26 0 17 7z']") is not None]
    assert [seat.get("data-seat") for seat in pointed] == [str(known.table.seat)]
    assert seats[-1].text == f"{known.table.black} black walls left"


def test_a_picture_shows_nothing_of_the_cards() -> None:
    position, log = played(NAMES, 3, 20)
    bare = replace(position, hands=(EMPTY,) * 4, supply=EMPTY)
    assert draw_board(*busy(3, 20)) == draw_board(view(bare, None), marks(position, log))


# --- marks ----------------------------------------------------------------------------------------------


def test_each_mark_has_its_layer_and_none_has_one_without_marks() -> None:
    known, all_of_them = busy(4, 20)
    layers = {
        name: layer(draw_board(known, all_of_them), name)
        for name in "labels targets marches fresh changed preview".split()
    }
    assert all(found is not None for found in layers.values())
    assert not [name for name in layers if layer(draw_board(known), name) is not None]
    labels = {group.get("data-label"): group[1].text for group in layers["labels"]}
    assert labels == {str(point): label for point, label in all_of_them.labels.items()}
    assert {path.get("data-space") for path in layers["targets"]} == set(map(str, all_of_them.targets))


def test_marches_over_the_same_sides_are_drawn_side_by_side_in_the_colours_of_their_seats() -> None:
    path = tuple(BOARD.point_names[name] for name in ("C9", "D10", "D12", "E13"))
    marches = Overlay(marches=((1, path), (2, path), (3, path[::-1])))
    drawn = found(draw_board(seen(4, 0, 4), marches), "marches")
    lines = [group[1].get("d") for group in drawn]
    assert [group[1].get("stroke") for group in drawn] == list(palette.SEAT_COLOURS[1:])
    assert len(set(lines)) == 3


def test_a_path_that_turns_back_or_goes_nowhere_is_drawn_all_the_same() -> None:
    there, back = BOARD.point_names["C9"], BOARD.point_names["D10"]
    for path in ((there, back, there), (there, back), (there,), ()):
        drawn = draw_board(seen(2, 0, 3), Overlay(marches=((0, path),), preview=path))
        assert "nan" not in drawn
        assert "inf" not in drawn.replace("infinite", "")
        assert size(render_png(drawn))[0] == WIDTH


@pytest.mark.parametrize("seat", range(4))
def test_every_reader_sees_the_red_walls_from_the_last_march_to_the_end_of_the_game(seat: int) -> None:
    log = stored_game("walls").events
    laid, last = next(
        (number, event)
        for number, event in enumerate(log, 1)
        if isinstance(event, AlexanderMarched) and event.red
    )
    red = set(last.walls[-last.red :])
    assert len(log) > laid
    for at in range(laid, len(log) + 1):
        made = stored_game("walls").letter_context(at, seat)
        pointed = build_overlay(made.since, made.before, made.view)
        assert find_red_walls(made.view.table, pointed) == red
        assert layer(draw_board(made.view, pointed), "dashes") is not None
    before = stored_game("walls").letter_context(laid - 1, seat)
    assert not find_red_walls(before.view.table, build_overlay(before.since, before.before, before.view))


def test_red_walls_are_not_guessed_where_the_marks_do_not_tell() -> None:
    known, told = busy(4)
    for less in (Overlay(), replace(told, fresh=frozenset()), replace(told, marches=told.marches[:-1])):
        assert not find_red_walls(known.table, less)
    assert not find_red_walls(busy(4, 20)[0].table, told)


def test_the_fonts_are_there_and_free_to_use() -> None:
    assert all(Path(name).stat().st_size > 50_000 for name in FONT_FILES)
    assert "SIL OPEN FONT LICENSE" in Path(FONT_FILES[0]).with_name("LICENSE.txt").read_text("utf-8")


# --- always the same, small, well-formed ----------------------------------------------------------------


def test_the_same_view_and_marks_give_the_same_bytes() -> None:
    known, given = busy(4, 27)
    turned = Overlay(
        labels=dict(sorted(given.labels.items(), reverse=True)),
        targets=frozenset(sorted(given.targets, reverse=True)),
        marches=given.marches,
        fresh=frozenset(sorted(given.fresh, reverse=True)),
        changed=frozenset(sorted(given.changed, reverse=True)),
        preview=given.preview,
    )
    one = draw_board(known, given)
    basemap_of.cache_clear()
    assert draw_board(known, turned) == one
    assert render_png(one) == render_png(one)


def check_size(known: View, pointed: Overlay) -> None:
    picture = render_png(draw_board(known, pointed))
    assert size(picture) == (WIDTH, HEIGHT), known.table.turn
    assert len(picture) <= MAX_BYTES, known.table.turn


@pytest.mark.parametrize("seed", [0, 7, 16])
def test_a_busy_picture_is_small(seed: int) -> None:
    check_size(*busy(seed, 29))


LARGEST = [(name, [(at, 0)]) for name, at in (("walls", 197), ("points-dutch", 230), ("three-players", 220))]
EVERY = [
    (
        name,
        (
            *stored_game(name).turn_starts(),
            *stored_game(name).action_starts(),
            *((-1, seat) for seat in range(2)),
        ),
    )
    for name in ("two-players", "three-players", "walls", "points", "points-dutch", "shortage")
]


@pytest.mark.parametrize(("name", "moments"), by_run(LARGEST, long=EVERY))
def test_pictures_of_the_stored_games_are_not_shrunk(name: str, moments: list[tuple[int, int]]) -> None:
    for at, seat in moments:
        made = stored_game(name).letter_context(at % (len(stored_game(name).events) + 1), seat)
        check_size(made.view, build_overlay(made.since, made.before, made.view))


def test_no_drawing_whatever_makes_a_larger_png() -> None:
    dice = Random(1)
    spots = (
        f'<rect x="{dice.randrange(876)}" y="{dice.randrange(538)}" width="5" height="4" '
        f'fill="#{dice.randrange(1 << 24):06x}"/>'
        for _ in range(14_000)
    )
    wild = f'<svg xmlns="http://www.w3.org/2000/svg" width="876" height="538">{"".join(spots)}</svg>'
    picture = render_png(wild)
    assert len(picture) <= MAX_BYTES
    width, height = size(picture)
    assert 100 < width < 876
    assert height / width == pytest.approx(538 / 876, abs=0.01)
    assert render_png(wild) == picture


def test_the_main_colours_survive_the_palette() -> None:
    known, chart = seen(2, 0, 0), basemap_of(BOARD)
    bare = next(space for space, symbol in BOARD.symbols.items() if not symbol)
    with Image.open(BytesIO(render_png(draw_board(known)))) as image:
        for (x, y), colour in (
            ((chart.locate(Point(0, 12))[0] - 10, chart.locate(Point(1, 11))[1] - 10), palette.SEA),
            (chart.centre_of(bare), palette.LAND),
            ((FRAME_WIDTH / 2, 6), palette.PAPER),
        ):
            shown = image.convert("RGB").getpixel((round(x * ZOOM), round(y * ZOOM)))
            assert isinstance(shown, tuple)
            wanted = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
            assert list(shown) == wanted


@pytest.mark.parametrize(
    "names", [NASTY_NAMES, ("", " ", "\u0301", "\u05d0\u05d1"), ("ß", "İ", "ﬁ", "\U0010ffff")]
)
def test_no_name_breaks_the_document(names: tuple[str, ...]) -> None:
    position, log = played(NAMES, 4, 20)
    nasty = replace(position, table=replace(position.table, names=names))
    drawn = draw_board(view(nasty, 0), replace(marks(position, log), labels={BOARD.start: "<b>\x00"}))
    root = ElementTree.fromstring(drawn)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= set("svg title desc defs g path circle rect text use pattern".split())
    attributes = {name: value for element in root.iter() for name, value in element.items()}
    assert not [name for name in attributes if name.startswith("on")]
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(ids)) == len(ids)
    assert {use.get("href", "") for use in root.iter(f"{SVG}use")} <= {f"#{name}" for name in ids}
    assert size(render_png(drawn)) == (WIDTH, HEIGHT)


@pytest.mark.parametrize("name", first(2, ODD_BOARDS))
def test_any_board_has_a_picture_of_bounded_size(name: str) -> None:
    odd = board(ODD_BOARDS[name])
    for seats in (2, 4):
        known = view(start(odd, opening(NAMES[:seats], odd)), 0)
        drawn = draw_board(known, Overlay(labels={odd.start: "1"}, targets=frozenset(odd.names)))
        width, height = size(render_png(drawn))
        assert width <= 1000
        assert height <= 1400
        box = [float(number) for number in str(ElementTree.fromstring(drawn).get("viewBox")).split()]
        chart = basemap_of(odd)
        spots = [chart.locate(point) for point in odd.steps]
        assert all(0 < x < box[2] and 0 < y < box[3] for x, y in spots)
        assert width in (1000, round(box[2] * ZOOM))


def test_the_picture_has_words_for_those_who_hear_it() -> None:
    known = seen(2, 0, 9)
    root = ElementTree.fromstring(draw_board(known))
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == f"Alexandros, turn {known.table.turn}"
    assert root[1].tag == f"{SVG}desc"
    assert str(root[1].text).startswith(f"Alexander stands on {known.table.alexander}. Anna, blue circle: ")
    with use_locale(Locale("nl")):
        words = " ".join(ElementTree.fromstring(draw_board(known)).itertext())
    assert f"Alexandros, beurt {known.table.turn}" in words
    assert f"Alexander staat op {known.table.alexander}. Anna, blauwe cirkel: " in words
    assert f"nog {known.table.black} zwarte muren" in words


# --- where things lie --------------------------------------------------------------------------------


def test_a_space_is_drawn_where_its_corners_are() -> None:
    chart = basemap_of(BOARD)
    for space in (Space(0, 3), Space(3, 14)):
        x, y = chart.centre_of(space)
        corner_x = [chart.locate(point)[0] for point in BOARD.steps if space in BOARD.spaces_at[point]]
        corner_y = [chart.locate(point)[1] for point in BOARD.steps if space in BOARD.spaces_at[point]]
        assert x == pytest.approx(sum(corner_x) / 3)
        assert y == pytest.approx(sum(corner_y) / 3, abs=0.5)


def test_runs_walk_each_side_once_with_as_few_loose_ends_as_can_be() -> None:
    dice = Random(5)
    for many in (0, 1, 2, 5, 30, 75, 200, len(BOARD.spaces_on)):
        edges = dice.sample(list(BOARD.spaces_on), many)
        found = join_sides(frozenset(edges))
        assert sorted(edge for run in found for edge in sides_of_path(run)) == sorted(edges)
        ends = [point for edge in edges for point in edge]
        odd = {point for point in ends if ends.count(point) % 2}
        loose = [run for run in found if run[0] != run[-1]]
        assert len(loose) * 2 == len(odd)
        assert list(found[: len(loose)]) == loose
