"""Corners called by their numbers, as the document of the API says, and letters, which belong to mails."""

import pytest

from emails.wording.options import number_corners
from engine.actions import Choose
from engine.position import view
from server.web.api.api_routes import DESCRIPTION
from tests.server.desk import start_game
from tests.server.web.bots import bot, problem
from tests.server.web.played import position_of


@pytest.fixture
def game(place) -> str:
    return start_game(place.context, "Anna", "Ben")


def mover(place, game):
    table = position_of(place, game).table
    return bot(place, game, table.names[table.seat]), view(position_of(place, game), table.seat)


def test_a_corner_is_called_by_its_number(place, game):
    program, known = mover(place, game)
    card = next(iter(known.table.display.kinds()))
    numbers = number_corners(known, Choose(card))
    for point, number in numbers.items():
        for lines in ([f"choose {card}, march {number}"], [f"choose {card}", f"march {number}"]):
            answer = program.act(game, *lines, preview=True)
            if answer.status_code == 200:
                told = answer.json["events"]
                assert [one["path"][-1] for one in told if one["type"] == "alexander_marched"] == [str(point)]
            else:
                assert all(f"{point}" in one for one in problem(answer, 422)["candidates"])


def test_a_letter_of_a_mail_means_nothing(place, game):
    program, _ = mover(place, game)
    assert problem(program.act(game, "b"), 422)["detail"]


def test_both_are_said_in_the_document():
    assert "**Corners have numbers:**" in DESCRIPTION
    assert "**Letters are" in DESCRIPTION
