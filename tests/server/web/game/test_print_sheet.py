"""The turn sheet: all that a turn needs, in black ink, on one page of either size."""

import re

import pytest

from emails.picture.board_picture import draw_board
from emails.wording.options import Option, OptionGroup, list_options
from engine.position import view
from server.web.game.readonly_pages import ROOM_LINES, fit_choices, ink_in_black
from tests.server.web.played import known, played


def test_it_tells_what_a_turn_needs(place):
    game = played(place, "Anna", "Ben", turns=5)
    now = known(place, game)
    visitor = place.look(game, "/sheet")
    assert visitor.title.startswith("It is your turn")
    for name, points in zip(now.table.names, now.table.scores, strict=True):
        assert re.search(rf"{name}( \(you\))? {points} \+", visitor.text)
    assert f"{now.table.black} black, {now.table.red} red" in visitor.text
    assert visitor.page.xpath("//figure[@role='img'][@aria-label]//*[local-name()='svg']")
    assert list_options(now)[0].choices[0].title in visitor.text
    assert "Answer the last mail with words such as" in visitor.text


def test_one_who_waits_finds_lines_to_write_on_and_no_choices(place):
    game = played(place, "Anna", "Ben", turns=5)
    visitor = place.look(game, "/sheet", seat=1 - place.table(game).seat)
    assert visitor.status == 200
    assert "Your choices" not in visitor.text
    assert visitor.page.xpath("//div[@class='lines']/i")


def test_the_sheet_of_a_game_that_is_over_can_be_printed_too(place):
    game = played(place, "Anna", "Ben")
    assert place.look(game, "/sheet", seat=0).title.startswith("The game is over")


def test_the_board_is_drawn_in_black_ink_alone(place):
    drawn = ink_in_black(draw_board(view(place.position(played(place, "Anna", "Ben", turns=9)), 0)))
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
