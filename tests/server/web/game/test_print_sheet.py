"""The turn sheet: all that a turn needs, in black ink, on one page of either size."""

from __future__ import annotations

import re

import pytest

from emails.picture.board_picture import draw_board
from emails.wording.options import Option, OptionGroup, list_options
from engine.position import Phase, view
from server.web.game.readonly_pages import ROOM_LINES, fit_choices, ink_in_black
from tests.server.web.played import move, played, position_of
from tests.server.web.site import Visitor


def sheet(place, game, seat: int | None = None) -> Visitor:
    return place.visitor().get(f"{place.link(game) if seat is None else place.link(game, seat=seat)}/sheet")


def until(place, game, phase: Phase) -> None:
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
    first = list_options(known)[0].choices[0]
    assert first.title in visitor.text
    assert "Answer the last mail with words such as" in visitor.text


def test_one_who_waits_finds_lines_to_write_on_and_no_choices(place):
    game = played(place, "Anna", "Ben", turns=5)
    visitor = sheet(place, game, 1 - position_of(place, game).table.seat)
    assert visitor.status == 200
    assert "Your choices" not in visitor.text
    assert visitor.page.xpath("//div[@class='lines']/i")


def test_the_sheet_of_a_game_that_is_over_can_be_printed_too(place):
    assert sheet(place, played(place, "Anna", "Ben"), 0).title.startswith("The game is over")


def test_the_board_is_drawn_in_black_ink_alone(place):
    drawn = ink_in_black(draw_board(view(position_of(place, played(place, "Anna", "Ben", turns=9)), 0)))
    for colour in set(re.findall(r"#[0-9a-f]{3,6}\b", drawn)):
        parts = re.findall("..", colour[1:]) if len(colour) == 7 else list(colour[1:])
        assert len(set(parts)) == 1, f"{colour} is no grey"
    used = set(re.findall(r'fill="url\(#([\w-]+)\)"', drawn))
    assert used
    assert used <= set(re.findall(r'<pattern id="([\w-]+)"', drawn))


def groups(*sizes: int, words: str = "a choice") -> list[OptionGroup]:
    return [OptionGroup("heading", tuple(Option("x", words) for _ in range(size))) for size in sizes]


@pytest.mark.parametrize("sizes", [(), (3,), (100,), (24, 24, 24), (1,) * 60, (40, 1, 2), (0, 3)])
def test_as_many_choices_as_find_room_and_the_others_are_counted(sizes):
    offer = fit_choices(groups(*sizes))
    kept = sum(len(group.choices) for group in offer.groups)
    assert kept + offer.more == sum(sizes)
    assert kept + len(offer.groups) <= ROOM_LINES
    assert kept or not sum(sizes)


def test_long_choices_take_more_room():
    assert fit_choices(groups(30, words="long " * 40)).more > fit_choices(groups(30)).more
