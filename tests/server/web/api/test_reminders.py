"""A program tells whether its player wants to be reminded of their turns."""

import json

import pytest

from server.outbox.preferences import load_preferences
from server.store.models import Seating
from tests.server.desk import NOON, begin_time, start_game
from tests.server.web.bots import bots, problem


@pytest.fixture
def game(place):
    return begin_time(place.context, start_game(place.context, "Anna", "Ben"), NOON)


def post(program, body):
    return program.place.app.test_client().post(
        "/api/reminders", data=json.dumps(body), content_type="application/json", headers=program.headers()
    )


def test_what_is_told_is_kept_and_shown(place, game):
    first, second = bots(place, game)
    assert first.get("reminders").json == {"reminders": True, "game": None}
    assert post(first, {"reminders": False}).json == {"reminders": False, "game": None}
    assert first.get("reminders").json["reminders"] is False
    assert first.get(f"reminders?game={game}").json == {"reminders": False, "game": game}
    assert second.get("reminders").json["reminders"] is True
    assert post(first, {"reminders": True, "game": game}).json == {"reminders": True, "game": game}
    assert first.get("reminders").json["reminders"] is False
    with place.context.reading() as session:
        player = session.get_one(Seating, (game, 0)).player
        assert load_preferences(session, player, game).reminders
        assert not load_preferences(session, player).reminders


@pytest.mark.parametrize("body", [{}, {"reminders": ["1/2"]}, {"reminders": 2}, {"reminders": None}])
def test_what_is_no_choice_changes_nothing(place, game, body):
    first = bots(place, game)[0]
    problem(post(first, body), 400)
    assert first.get("reminders").json["reminders"] is True


def test_who_does_not_sit_in_a_game_sets_nothing_there(place, game):
    other = start_game(place.context, "Cleo", "Dirk")
    first = bots(place, game)[0]
    for answer in (post(first, {"reminders": False, "game": other}), first.get(f"reminders?game={other}")):
        assert answer.status_code in (403, 404)
    assert post(place_without_key(first), {"reminders": False}).status_code == 401


def place_without_key(program):
    class Nobody:
        place = program.place

        @staticmethod
        def headers():
            return {}

    return Nobody
