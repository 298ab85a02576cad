"""Several servers on one database: whatever they do at one moment is done once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.bots import stand_in
from server.accounts import sign_in
from server.store.context import Context
from server.store.game_terms import SeatRequest
from server.store.models import Act, Game, Player
from server.store.states import Channel
from server.turns.play import play_turn
from tests.server.accounts.test_sign_in import new_code
from tests.server.desk import NOON, at_once, desk, game_row, open_game, rows_of, start_game

SERVERS = 4


@pytest.fixture
def servers(tmp_path: Path) -> list[Context]:
    return [desk(tmp_path, seed) for seed in range(SERVERS)]


def by_each(servers: list[Context], work: Callable[[Context], object]) -> list[BaseException]:
    return at_once(*(lambda server=one: work(server) for one in servers))


def rows(context: Context, model) -> list:
    return rows_of(context, model)


def test_a_link_signs_one_browser_in(servers):
    start_game(servers[0], "Anna", "Ben")
    code, signed_in = new_code(servers[0]), []
    failed = by_each(
        servers, lambda server: signed_in.append(sign_in.sign_in(server, code, "Firefox; Linux", NOON))
    )
    assert (failed, len(signed_in)) == ([], 1)


def test_a_person_is_one_player_however_their_address_is_written(servers):
    written = ["anna@example.org", "ANNA@example.org", "Anna@Example.org", "anna@EXAMPLE.org"]

    def invite(server: Context, address: str) -> Callable[[], object]:
        seats = [SeatRequest.read(f"Anna <{address}>"), SeatRequest.read("Ben <ben@example.org>")]
        return lambda: open_game(server, "Friday", seats, NOON)

    assert at_once(*map(invite, servers, written)) == []
    assert sorted(one.name for one in rows(servers[0], Player)) == ["Anna", "Ben"]
    assert len(rows(servers[0], Game)) == 4


def test_of_orders_for_one_position_one_is_played(servers):
    games = [start_game(servers[0], "Anna", "Ben") for _ in range(3)]
    before = {game: game_row(servers[0], game) for game in games}

    def play(server: Context, game: str) -> Callable[[], object]:
        return lambda: play_turn(server, game, before[game].after, stand_in, Channel.WEB, NOON)

    assert at_once(*(play(server, game) for game in games for server in servers)) == []
    for game in games:
        acts = sorted(one.seq for one in rows(servers[0], Act) if one.game == game)
        assert acts == list(range(1, len(acts) + 1))
        assert game_row(servers[0], game).seq == before[game].seq + 1
