"""The turn sheet: all that a turn needs, in black ink, on one page of either size."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from emails.choices import Choice, Group, choices
from emails.numbers import numbered
from emails.picture import svg
from engine.cards import Bag, Symbol
from engine.position import Phase
from engine.views import view
from server.web.sheet import INKS, ROOM, fitting, inked
from tests.browser.served import Served, served
from tests.browser.windows import chromium
from tests.server.desk import start_game, wish
from tests.server.web.played import move, played, position_of
from tests.server.web.site import Site, Visitor, site

SIZES = {"A4": (703, 1031), "Letter": (725, 965)}
"""What is left of each within its margins of 12 mm, in pixels."""


@pytest.fixture
def place(tmp_path) -> Site:
    return site(tmp_path)


def sheet(place: Site, game: str, seat: int | None = None) -> Visitor:
    return place.visitor().get(f"{place.link(game) if seat is None else place.link(game, seat=seat)}/sheet")


def until(place: Site, game: str, phase: Phase) -> None:
    """On to a turn that waits for this."""
    move(place, game)
    while position_of(place, game).table.phase is not phase:
        move(place, game)


# --- what stands on it ----------------------------------------------------------------------------------


def test_it_tells_what_a_turn_needs(place):
    game = played(place, "Anna", "Ben", turns=5)
    position = position_of(place, game)
    known = view(position, position.table.seat)
    visitor = sheet(place, game)
    assert visitor.title.startswith("It is your turn")
    for name, points in zip(known.table.names, known.table.scores, strict=True):
        assert re.search(rf"{name}( \(you\))? {points} \+", visitor.text)
    assert f"{known.table.black} black, {known.table.red} red" in visitor.text
    assert visitor.page.xpath("//figure[@role='img'][@aria-label]//*[local-name()='svg']")
    first = choices(known)[0].choices[0]
    assert first.title in visitor.text
    assert "Answer the last letter with words such as" in visitor.text


def test_its_numbers_are_those_of_the_letter(place):
    game = played(place, "Anna", "Ben", turns=5)
    until(place, game, Phase.ACTIONS)
    position = position_of(place, game)
    offered = numbered(choices(view(position, position.table.seat)))
    shown = sheet(place, game).page.xpath("//div[@class='offer']//li/text()")
    assert shown
    assert {str(one).strip().rstrip(":") for one in shown} <= {
        one.title for group in offered for one in group.choices
    }
    assert "Answer the last letter with such a number" in sheet(place, game).text


def test_one_who_waits_finds_lines_to_write_on_and_no_choices(place):
    game = played(place, "Anna", "Ben", turns=5)
    visitor = sheet(place, game, 1 - position_of(place, game).table.seat)
    assert visitor.status == 200
    assert "Your choices" not in visitor.text
    assert visitor.page.xpath("//div[@class='lines']/i")


def test_the_sheet_of_a_game_that_is_over_can_be_printed_too(place):
    assert sheet(place, played(place, "Anna", "Ben"), 0).title.startswith("The game is over")


def test_the_board_is_drawn_in_black_ink_alone(place):
    drawn = inked(svg(view(position_of(place, played(place, "Anna", "Ben", turns=9)), 0)))
    for colour in set(re.findall(r"#[0-9a-f]{3,6}\b", drawn)):
        parts = re.findall("..", colour[1:]) if len(colour) == 7 else list(colour[1:])
        assert len(set(parts)) == 1, f"{colour} is no grey"
    used = set(re.findall(r'fill="url\(#([\w-]+)\)"', drawn))
    assert used
    assert used <= set(re.findall(r'<pattern id="([\w-]+)"', drawn))


def test_every_colour_of_the_pictures_has_an_ink():
    from emails import palette

    named = {one for one in vars(palette).values() if isinstance(one, str) and one.startswith("#")}
    several = (palette.SHALLOWS, palette.SYMBOL_COLOURS, palette.SEAT_COLOURS, palette.SEAT_TINTS)
    assert named | {one for group in several for one in group} <= INKS.keys() | {palette.WHITE}


# --- how much finds room --------------------------------------------------------------------------------


def groups(*sizes: int, words: str = "a choice") -> list[Group]:
    return [Group("heading", tuple(Choice("x", words) for _ in range(size))) for size in sizes]


@pytest.mark.parametrize("sizes", [(), (3,), (100,), (24, 24, 24), (1,) * 60, (40, 1, 2), (0, 3)])
def test_as_many_choices_as_find_room_and_the_others_are_counted(sizes):
    offer = fitting(groups(*sizes))
    kept = sum(len(group.choices) for group in offer.groups)
    assert kept + offer.more == sum(sizes)
    assert kept + len(offer.groups) <= ROOM
    assert kept or not sum(sizes)


def test_long_choices_take_more_room():
    assert fitting(groups(30, words="long " * 40)).more > fitting(groups(30)).more


# --- on paper -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def printed(window: Page, link: str) -> None:
    """One page of either size, on which nothing is cut off."""
    window.goto(link)
    for size, (width, height) in SIZES.items():
        pages = re.findall(rb"/Type\s*/Page\b", window.pdf(format=size))
        window.emulate_media(media="print")
        window.set_viewport_size({"width": width, "height": height})
        cut = window.evaluate(
            """() => {
                const sheet = document.querySelector(".sheet").getBoundingClientRect();
                const outside = (box) => box.bottom > sheet.bottom + 1 || box.right > sheet.right + 1;
                return [...document.querySelectorAll(".sheet :not(i, svg *)")]
                    .filter((one) => outside(one.getBoundingClientRect()))
                    .map((one) => one.outerHTML.slice(0, 80));
            }"""
        )
        assert not cut, size
        assert len(pages) == 1, f"{len(pages)} pages of {size}"
        lines = "() => document.querySelector('.lines').getBoundingClientRect().height"
        assert window.evaluate(lines) > 40, "room to write one line at least"
        window.emulate_media(media="null")


@pytest.fixture
def paper(tmp_path, browser) -> Iterator[tuple[Served, Page]]:
    with served(tmp_path) as place:
        window = browser.new_page(base_url=place.address)
        yield place, window
        window.close()


def test_it_is_one_page_from_the_first_turn_to_the_end(paper):
    place, window = paper
    game = start_game(place.office, "Anna", "Ben", "Cleo", "Dirk")
    printed(window, f"{place.link(game)}/sheet")
    for turn in (12, 24):
        while position_of(place, game).table.turn < turn:
            move(place, game)
        printed(window, f"{place.link(game)}/sheet")
        until(place, game, Phase.ACTIONS)
        printed(window, f"{place.link(game)}/sheet")
    while not position_of(place, game).table.over:
        move(place, game)
    printed(window, f"{place.link(game, seat=1)}/sheet")


def test_it_is_one_page_with_a_full_hand_and_long_names(paper):
    place, window = paper
    names = [f"{letter}{'w' * 38}" for letter in "ABCD"]
    game = start_game(place.office, *names)
    for name in names:
        wish(place.office, game, name, everywhere=True, language="nl")
    while position_of(place, game).table.turn < 14:
        move(place, game)
    for phase in (Phase.CARD, Phase.ACTIONS):
        if position_of(place, game).table.phase is not phase:
            until(place, game, phase)
        position, history = position_of(place, game), place.history(game)
        full = Bag.of([*Symbol] * 4)
        rich = dataclasses.replace(position, hands=(full,) * 4)
        place.office.shelf.put(game, dataclasses.replace(history, position=rich))
        printed(window, f"{place.link(game)}/sheet")
        place.office.shelf.put(game, history)
