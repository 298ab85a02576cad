"""Whoever waits sees when their turn probably comes: among their games, and on the page of the game."""

from __future__ import annotations

from tests.server.desk import begin_time
from tests.server.turns.test_next_turns import answers_in_the_evening
from tests.server.web.account.test_my_games_page import as_player, entry, give_turn, opened

TOLD = "Your turn: probably Monday evening."


def test_it_stands_where_somebody_waits_and_nowhere_else(place):
    game = begin_time(place.context, opened(place, "Friday", "Anna", "Ben"))
    give_turn(place, game, "Ben")
    begin_time(place.context, game, place.clock())
    assert "probably" not in entry(as_player(place).get("/me"), "Friday")
    answers_in_the_evening(place.context, "Ben")
    place.context.mean_rates = None
    waiting = as_player(place).get("/me")
    assert TOLD in entry(waiting, "Friday")
    assert TOLD in waiting.click("Friday").text
    other = as_player(place, "Ben").get("/me")
    assert "probably" not in entry(other, "Friday")
    assert "probably" not in other.click("Friday").text
