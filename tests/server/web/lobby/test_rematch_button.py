"""The button with which a player of a finished game plays again."""

import pytest

from engine.bots import play_to_win
from engine.notation.orders import write
from engine.position import view
from server.lobby.rematches import find_rematch
from tests.server.desk import NOON, game_row, play, seat_of, start_game
from tests.server.web.account.test_sign_in_pages import signed_in
from tests.server.web.site import Site, site

BUTTON = "//form[contains(@action, '/rematch')]"


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Site:
    return site(tmp_path_factory.mktemp("rematch"))


@pytest.fixture(scope="module")
def over(place) -> str:
    game = start_game(place.context, "Anna", "Ben")
    while (row := game_row(place.context, game)).status != "over":
        known = view(place.history(game).position, row.seat)
        play(
            place.context,
            game,
            row.seat,
            row.after,
            [write(play_to_win(known), known.table.board)],
            "web",
            NOON,
        )
    return game


def test_a_game_that_goes_on_has_no_such_button_and_its_address_does_nothing(place):
    game = start_game(place.context, "Anna", "Ben")
    visitor = place.visitor().get(place.link(game))
    assert not visitor.page.xpath(BUTTON)
    assert visitor.post(f"{place.link(game)}/rematch", nonce="x").status == 400


def test_one_presses_and_is_in_and_the_other_presses_and_takes_his_seat(place, over):
    bearer = place.visitor().get(place.link(over, seat=seat_of(place.context, over, "Anna")))
    assert not bearer.page.xpath(BUTTON)
    assert "Sign in to play again" in bearer.text
    anna, ben = (
        signed_in(place, f"{name.lower()}@example.org").get(
            place.link(over, seat=seat_of(place.context, over, name))
        )
        for name in ("Anna", "Ben")
    )
    assert "Play again with the same people" in anna.text
    _, action, fields = anna.form(BUTTON)
    assert anna.client.post(action, data={"nonce": fields["nonce"] + "x"}).status_code == 400
    with place.context.reading() as session:
        assert find_rematch(session, over) is None
    anna.send(BUTTON)
    assert (anna.title, "Friday, again" in anna.text) == ("You are in, Anna", True)
    assert anna.client.post(action, data=fields).status_code == 303  # pressed twice
    anna.get(place.link(over, seat=seat_of(place.context, over, "Anna")))
    assert anna.click("To the next game").title == "You are in, Anna"
    ben.get(place.link(over, seat=seat_of(place.context, over, "Ben")))
    assert "is open already" in ben.text
    assert "turn" in ben.send(BUTTON).title
    with place.context.reading() as session:
        made = find_rematch(session, over)
    assert made.status == "running"
