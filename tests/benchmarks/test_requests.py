"""How long the server is at work on one request, once what it keeps is kept: processor time, no network."""

import time

import pytest
from flask.testing import FlaskClient

from engine.position import Phase
from server.accounts import sign_in
from tests.benchmarks.measure import ROUNDS
from tests.browser.served import game_under_way
from tests.server.web.played import say, wanted
from tests.server.web.site import Site, site

TURNS = 20
MOST = "30 ms"


@pytest.fixture
def place(tmp_path) -> Site:
    return site(tmp_path)


@pytest.fixture
def game(place) -> str:
    return game_under_way(place, TURNS)


def spent(browser: FlaskClient, link: str, **headers: str) -> tuple[str, int]:
    """The median of the milliseconds of processor time that a request takes, and the bytes it brings."""
    times = []
    for _ in range(ROUNDS + 2):  # the first two are not counted
        begun = time.process_time()
        answer = browser.get(link, headers=headers)
        times.append(time.process_time() - begun)
        assert answer.status_code == 200, link
    return f"{sorted(times[2:])[ROUNDS // 2] * 1000:.1f} ms", len(answer.get_data())


def test_the_pages_of_a_turn(figure, place, game):
    for phase in (Phase.CARD, Phase.MARCH, Phase.ACTIONS):
        words = wanted(place, game)
        assert place.table(game).phase is phase
        for what, link in (("turn", place.link(game)), ("preview", f"{place.link(game, words)}?look=1")):
            took, size = spent(place.app.test_client(), link)
            figure(f"the page of a {what}, {phase}, {size / 1000:.0f} KB", took, MOST)
        say(place, game, words)


def test_the_other_pages_of_a_game(figure, place, game):
    link = place.link(game)
    for what in ("history", "sheet", "pulse"):
        took, size = spent(place.app.test_client(), f"{link}/{what}")
        figure(f"{what}, {size / 1000:.0f} KB", took, MOST)
    waiting = place.link(game, seat=1 - place.table(game).seat)
    took, size = spent(place.app.test_client(), waiting)
    figure(f"the page of whoever waits, {size / 1000:.0f} KB", took, MOST)


def test_the_pages_for_everybody(figure, place):
    for link in ("/", "/games", "/rules", "/help"):
        took, size = spent(place.app.test_client(), link)
        figure(f"{link}, {size / 1000:.0f} KB", took, MOST)


def test_a_game_for_a_program(figure, place, game):
    player = place.context.player_of(game)
    key = sign_in.create_key(place.context, player, "benchmarks", place.clock())
    for link in (f"/api/games/{game}", f"/api/games/{game}/log"):
        took, size = spent(place.app.test_client(), link, Authorization=f"Bearer {key}")
        figure(f"{link.replace(game, 'ID')}, {size / 1000:.0f} KB", took, MOST)


def test_my_games(figure, place, game):
    took, size = spent(place.as_player().client, "/me")
    figure(f"/me, {size / 1000:.0f} KB", took, MOST)
