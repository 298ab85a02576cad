"""The page of a game for those who only watch it."""

from __future__ import annotations

import pytest

from server.store.game_terms import SeatRequest
from tests.server.desk import NOON, open_game, seat_of, start_game
from tests.server.web.account.test_my_games_page import as_player
from tests.server.web.game.test_live_updates import tell
from tests.server.web.played import move, played, position_of, watched


def test_anybody_sees_how_a_public_game_stands(place):
    game = watched(place, played(place, "Anna", "Ben", turns=5))
    visitor = place.visitor().get(f"/g/{game}")
    table = position_of(place, game).table
    assert visitor.status == 200
    assert visitor.title == f"It is {table.names[table.seat]}'s turn"
    assert "What happened last" in visitor.text
    assert visitor.page.xpath("//figure//*[local-name()='svg']")
    assert visitor.links("//nav[@aria-label='This game']/a") == [
        ("Board", f"/g/{game}"),
        ("History", f"/g/{game}/history"),
    ]


def test_there_are_no_hands_no_talk_and_nothing_to_press(place):
    game = watched(place, played(place, "Anna", "Ben", turns=5))
    tell(place, game, 0, None, "just between the players")
    for link in (f"/g/{game}", f"/g/{game}/history"):
        visitor = place.visitor().get(link)
        assert "Your hand" not in visitor.text
        assert "just between" not in str(visitor.answer and visitor.answer.text)
        assert not visitor.page.xpath("//form[@method='post'] | //textarea | //a[contains(@href, '/t/')]")


def test_a_newcomer_sees_who_is_played_by_the_server(place):
    game = watched(place, start_game(place.context, "Anna", "Dirk", "house:easy"))
    for link in (f"/g/{game}", f"/g/{game}/history", place.link(game, seat=0)):
        rows = place.visitor().get(link).page.xpath("//tr/th[.//*[local-name()='svg']]")
        assert ["this server" in row.text_content() for row in rows] == [
            "Philip" in row.text_content() for row in rows
        ]
        assert len(rows) == 3


def test_a_game_that_is_not_open_to_watch_looks_like_none(place):
    game = start_game(place.context, "Anna", "Ben")
    there, nowhere = (place.visitor().get(f"/g/{one}") for one in (game, "zzzzzzzz"))
    assert (there.status, nowhere.status) == (404, 404)
    assert there.answer is not None
    assert nowhere.answer is not None
    assert there.answer.data == nowhere.answer.data
    assert "sign in" in there.text


@pytest.mark.parametrize("name", ["x", "A" * 500, "%00", "..%2F..", "aaaaaaaa'--"])
def test_what_is_no_game_at_all_is_answered_alike(place, name):
    assert place.visitor().get(f"/g/{name}").status == 404


def test_a_player_who_is_signed_in_is_sent_to_his_own_page(place):
    game = start_game(place.context, "Anna", "Ben")
    visitor = as_player(place, "Anna")
    answer = visitor.client.get(f"/g/{game}")
    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/t/")
    visitor.get(f"/g/{game}")
    assert "Anna" in visitor.page.xpath("string(//p[@class='eyebrow'])")
    assert seat_of(place.context, game, "Anna") in (0, 1)


def test_somebody_else_who_is_signed_in_watches_like_anybody(place):
    game = watched(place, start_game(place.context, "Anna", "Ben"))
    start_game(place.context, "Cleo", "Dirk")
    assert as_player(place, "Cleo").client.get(f"/g/{game}").status_code == 200


def test_a_public_game_that_has_not_begun_says_so(place):
    requests = [SeatRequest("Anna", "anna@example.org"), SeatRequest("Ben", "ben@example.org")]
    game = watched(place, open_game(place.context, "Friday", requests, NOON))
    for page in ("", "/history"):
        assert "has not begun" in place.visitor().get(f"/g/{game}{page}").text


def test_the_first_turn_can_be_watched_too(place):
    game = watched(place, start_game(place.context, "Anna", "Ben"))
    assert place.visitor().get(f"/g/{game}").status == 200
    move(place, game)
    assert "What happened last" in place.visitor().get(f"/g/{game}").text
