"""The review of a real game as it is served: held against the log, and told to nobody before the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from engine.position import Position
from server import reviews
from server.store.event_log import list_steps, require_started
from server.store.models import GameReview
from tests.bots.adapter import Steps
from tests.bots.alike import alike
from tests.bots.ledger import scores_by_levy
from tests.bots.test_reviews import before_turn, play_on
from tests.bots.test_seats import game_of
from tests.engine.build import spelled
from tests.paths import GAMES
from tests.server.desk import NOON, Desk
from tests.server.reviewed import play_out
from tests.server.web.bots import bot
from tests.server.web.played import move, watched
from tests.server.web.site import Site, site

ENDINGS = ("points", "points-dutch", "shortage", "stalemate", "two-players", "three-players", "walls")
ROUNDED = 5e-4


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, str]:
    """A site with a game of two people and the house that is over and was looked through."""
    place = site(tmp_path_factory.mktemp("reviewed"), ALEXANDROS_HOUSE_SECONDS="20")
    game = watched(place, play_out(place.context, "Anna", "Ben", "house"))
    while reviews.review_finished_games(place.context, NOON):
        pass
    return place, game


def review_of(place: Site, game: str, name: str = "Anna") -> dict[str, Any]:
    answer = bot(place, game, name).get(f"games/{game}")
    assert answer.status_code == 200
    found = answer.get_json()["review"]
    assert isinstance(found, dict)
    return found


def steps_of(place: Site, game: str) -> tuple[Steps, Position]:
    history = require_started(place.history(game))
    return list_steps(history), history.position


def test_what_is_served_is_what_happened(reviewed: tuple[Site, str]) -> None:
    place, game = reviewed
    said, (steps, last) = review_of(place, game), steps_of(place, game)
    board = last.table.board
    told = sorted((one["turn"], one["seat"], one["place"], one["points"]) for one in said["harvests"])
    known = sorted((turn, seat, board.names[at], value) for turn, seat, at, value in scores_by_levy(steps))
    assert told == known
    sums = [sum(one["points"] for one in said["harvests"] if one["seat"] == seat) for seat in range(3)]
    assert tuple(sums) == last.table.scores
    assert [one["turn"] for one in said["turns"]] == list(range(1, last.table.turn + 1))
    for chances in (said["chances"], *(one["chances"] for one in said["turns"])):
        assert len(chances) == 3
        assert sum(chances) == pytest.approx(1, abs=ROUNDED)
    winners = last.table.winners or ()
    for seat, chance in enumerate(said["turns"][-1]["chances"]):
        assert chance == pytest.approx(1 / len(winners) if seat in winners else 0, abs=ROUNDED)


def test_each_better_turn_that_is_served_could_be_played(reviewed: tuple[Site, str]) -> None:
    place, game = reviewed
    steps, _ = steps_of(place, game)
    dice, better = Random(1), 0
    for one in review_of(place, game)["turns"]:
        now = before_turn(steps, one["turn"])
        assert one["seat"] == now.table.seat
        assert one["cost"] >= 0
        actions = [spelled(text, now.table.board) for text in one["best"]]
        for world in alike(now, dice, 4 if one["best"] != one["played"] else 0):
            play_on(world, actions, dice)
        play_on(now, [spelled(text, now.table.board) for text in one["played"][:1]], dice)
        better += one["cost"] > 0
    assert better


@pytest.mark.parametrize("name", ENDINGS)
def test_each_way_to_end_has_a_turn_for_each_verdict(context: Desk, name: str) -> None:
    """However a game ends, as many turns are judged as were played."""
    game = game_of(context.type_in("import", "-", given=(GAMES / f"{name}.jsonl").read_text("utf-8")))
    table = context.position_of(game).table
    assert table.over
    judged = reviews.list_turns(require_started(context.history(game)))
    assert [turn.known.table.turn for turn, _ in judged] == list(range(1, table.turn + 1))


def test_players_hear_the_same_and_strangers_of_a_hidden_game_nothing(reviewed: tuple[Site, str]) -> None:
    place, game = reviewed
    assert review_of(place, game, "Anna") == review_of(place, game, "Ben")
    hidden = play_out(place.context, "Cleo", "Dirk", "house")
    answers = [bot(place, game, "Anna").get(f"games/{one}") for one in (hidden, "zzzzzzzz")]
    assert [one.status_code for one in answers] == [404, 404]
    assert place.app.test_client().get(f"/api/games/{hidden}").status_code in (401, 404)


def test_nothing_of_a_review_is_told_of_a_game_that_goes_on(tmp_path: Any) -> None:
    """Not even where a row of one lies there, as after a clock that was set back or a restored copy."""
    place = site(tmp_path)
    game = place.start_game("Anna", "Ben")
    for _ in range(4):
        move(place, game)
    turn = {"turn": 1, "seat": 0, "played": ["end"], "best": ["end"], "cost": 9.75, "chances": [0.123, 0.877]}
    said = json.dumps({"chances": [0.123, 0.877], "turns": [turn]})
    with place.changing() as session:
        session.add(GameReview(game=game, said=said, made_at=NOON))
    watched(place, game)
    for answer in everything(place, game):
        assert "0.123" not in answer
        assert "9.75" not in answer


def everything(place: Site, game: str) -> Iterator[str]:
    """What a player, a program and somebody who watches get of a game."""
    client = place.app.test_client()
    seat = place.link(game)
    for path in (seat, f"{seat}/history", f"{seat}/sheet", f"/g/{game}", f"/g/{game}/history"):
        answer = client.get(path)
        assert answer.status_code == 200
        yield answer.text
    api = bot(place, game, "Anna").get(f"games/{game}")
    assert api.get_json().get("review") is None
    yield api.text
