"""How long the server is at work on one request, once what it keeps is kept: processor time, no network."""

import statistics
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


def spent(browser: FlaskClient, link: str, **headers: str) -> str:
    """The median of the milliseconds of processor time that a request takes, and the kilobytes it brings."""
    times = []
    for _ in range(ROUNDS + 2):  # the first two are not counted
        begun = time.process_time()
        answer = browser.get(link, headers=headers)
        times.append(time.process_time() - begun)
        assert answer.status_code == 200, link
    return f"{statistics.median(times[2:]) * 1000:.1f} ms, {len(answer.get_data()) / 1000:.0f} KB"


def test_the_pages_of_a_turn(figure, place, game):
    for phase in (Phase.CARD, Phase.MARCH, Phase.ACTIONS):
        words = wanted(place, game)
        assert place.table(game).phase is phase
        preview = f"{place.link(game, words)}?look=1"
        for what, link, aim in (("turn", place.link(game), "10 ms"), ("preview", preview, MOST)):
            figure(f"the page of a {what}, {phase}", spent(place.app.test_client(), link), aim)
        say(place, game, words)


def test_the_other_pages_of_a_game(figure, place, game):
    link = place.link(game)
    for what in ("history", "sheet", "pulse"):
        figure(what, spent(place.app.test_client(), f"{link}/{what}"), MOST)
    waiting = place.link(game, seat=1 - place.table(game).seat)
    figure("the page of whoever waits", spent(place.app.test_client(), waiting), MOST)


def test_the_pages_for_everybody(figure, place):
    for link in ("/", "/games", "/rules", "/help"):
        figure(link, spent(place.app.test_client(), link), MOST)


def test_a_game_for_a_program(figure, place, game):
    player = place.context.player_of(game)
    key = sign_in.create_key(place.context, player, "benchmarks", place.clock())
    for link in (f"/api/games/{game}", f"/api/games/{game}/log"):
        took = spent(place.app.test_client(), link, Authorization=f"Bearer {key}")
        figure(link.replace(game, "ID"), took, MOST)


def test_my_games(figure, place, game):
    figure("/me", spent(place.as_player().client, "/me"), "5 ms")


def test_from_a_press_to_a_committed_act(figure, place, game):
    """The button below a preview, pressed for decision after decision."""
    times = []
    for _ in range(3 * ROUNDS):
        visitor = place.visitor().get(f"{place.link(game, wanted(place, game))}?look=1")
        before = place.history(game).seq
        _, action, fields = visitor.form("//form[@method='post'][.//input[@name='nonce']]")
        begun = time.process_time()
        answer = visitor.client.post(action, data=fields)
        times.append(time.process_time() - begun)
        assert answer.status_code == 303
        assert place.history(game).seq > before
    figure("from a POST to a committed act", f"{statistics.median(times) * 1000:.1f} ms")
