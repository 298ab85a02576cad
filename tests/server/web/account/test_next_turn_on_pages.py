"""Who waits sees when their turn comes: among their games, on the page of the game, and in the API."""

from __future__ import annotations

from tests.server.desk import begin_time
from tests.server.web.account.test_my_games_page import as_player, entry, give_turn, opened
from tests.server.web.bots import bot

TOLD = "Your turn: by Wednesday at the latest."


def test_it_stands_where_somebody_waits_and_nowhere_else(place):
    game = begin_time(place.context, opened(place, "Friday", "Anna", "Ben"))
    give_turn(place, game, "Ben")
    begin_time(place.context, game, place.clock())
    waiting = as_player(place).get("/me")
    assert TOLD in entry(waiting, "Friday")
    assert TOLD in waiting.click("Friday").text
    other = as_player(place, "Ben").get("/me")
    assert "Your turn:" not in entry(other, "Friday")
    assert "Your turn:" not in other.click("Friday").text
    waits, moves = (bot(place, game, name).get(f"games/{game}").json for name in ("Anna", "Ben"))
    assert waits["next_turn"] == {"not_before": None, "latest": waits["deadline"], "words": TOLD}
    assert moves["next_turn"] is None
