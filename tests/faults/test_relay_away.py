"""The relay is away: that time is nobody's, and a turn has no clock before its letter has left."""

from collections import Counter

import pytest

from tests.faults.rooms import AwayRelay, Collector, Server
from tests.faults.times import HOUR, MINUTE, SECOND

STEP = 5 * SECOND
"""How often a server that works step by step looks at the clock."""
UNNOTICED = 7 * HOUR
"""A relay is found to be away when a letter is due; here that is after six hours."""


def test_a_turn_has_no_clock_before_its_letter_has_left(tmp_path):
    server = Server(tmp_path, relay=AwayRelay())
    game = server.start("Anna", "Ben", hours=24)
    server.work()
    assert server.left(game) == 24 * HOUR
    server.relay.is_away = True
    server.take_turn(game)
    server.work()
    assert not server.has_begun(game)
    server.open_turn_page(game)
    assert not server.has_begun(game), "a page that is looked at changes nothing"
    server.work_for(3 * HOUR, HOUR)
    server.relay.is_away = False
    server.work_for(MINUTE, STEP)
    assert server.has_begun(game)
    assert 24 * HOUR - 2 * MINUTE < server.left(game) <= 24 * HOUR


def test_a_turn_has_a_clock_once_its_player_has_acted(tmp_path):
    server = Server(tmp_path, relay=AwayRelay())
    game = server.start("Anna", "Ben", hours=24)
    server.work()
    server.relay.is_away = True
    server.take_turn(game)
    server.work_for(HOUR, 10 * MINUTE)
    server.open_turn_page(game, f"choose {server.card(game)}").press()
    assert server.has_begun(game)
    assert server.left(game) == 24 * HOUR
    server.work_for(10 * HOUR, HOUR)
    server.relay.is_away = False
    server.work_for(2 * MINUTE, STEP)
    assert 13 * HOUR < server.left(game) <= 24 * HOUR, "nobody has more time than a turn has"


def weekend(server: Server, games: list[str], hours: int = 60) -> Counter[tuple[str, str]]:
    """So many hours with turns taken on pages; the letters that left right after, by reader and game."""
    for number in range(hours // 2):
        if number in (3, 23):
            for game in games[:2]:
                server.take_turn(game)
            server.work()
        server.work_for(2 * HOUR, 2 * HOUR)
    sent = len(server.relay.mails)
    server.relay.is_away = False
    server.work_for(2 * MINUTE, STEP)
    return Counter((str(mail["To"]), server.game_of(mail)) for mail in server.relay.mails[sent:])


def check_no_turn_lost(server: Server, games: list[str]) -> None:
    assert [server.timeouts(game) for game in games] == [0] * len(games)
    assert all(server.left(game) > 24 * HOUR - UNNOTICED for game in games)


@pytest.mark.breadth
def test_sixty_hours_without_a_relay_lose_no_turn_and_each_reader_gets_one_letter(tmp_path, figure):
    server = Server(tmp_path, relay=AwayRelay())
    tables = ("Anna", "Ben"), ("Ben", "Cleo", "house"), ("Dirk", "Anna")
    games = [server.start(*people, hours=24) for people in tables]
    server.work()
    server.work_for(MINUTE, STEP)
    server.relay.is_away = True
    letters = weekend(server, games)
    check_no_turn_lost(server, games)
    assert max(letters.values()) == 1
    assert {game for _, game in letters} >= set(games[:2]), "whoever is to move was told"
    for game in games[:2]:
        assert server.left(game) > 24 * HOUR - 3 * MINUTE, "its time began when the letter left"
    figure(f"60 h without relay: lost 0 turns, {len(letters)} letters, one to each reader of a game")


@pytest.mark.breadth
def test_a_relay_that_takes_letters_and_loses_them_costs_turns(tmp_path):
    """The control: to the server all is well, and the check finds the turns that were lost."""
    server = Server(tmp_path, relay=Collector())
    games = [server.start("Anna", "Ben", hours=24), server.start("Ben", "Cleo", hours=24)]
    server.work()
    server.relay.is_away = True  # which changes nothing for this one
    weekend(server, games, hours=36)
    with pytest.raises(AssertionError):
        check_no_turn_lost(server, games)


@pytest.mark.breadth
@pytest.mark.parametrize("hours", [1, 24])
def test_the_relay_is_away_and_then_the_server_is_down_too(tmp_path, hours):
    """Both at once are no more than the longer of them."""
    server = Server(tmp_path, relay=AwayRelay())
    game, long = server.start("Anna", "Ben", hours=1), server.start("Cleo", "Dirk", hours=48)
    server.work()
    before = server.left(long)
    server.relay.is_away = True
    server.take_turn(game)
    server.work()
    server.work_for(HOUR, 10 * MINUTE)
    server.stop()
    server.times.go_on(hours * HOUR)
    server = server.again()
    server.work_for(HOUR, 10 * MINUTE)
    server.relay.is_away = False
    server.work_for(2 * MINUTE, STEP)
    assert server.timeouts(game) == 0
    assert HOUR - 3 * MINUTE < server.left(game) <= HOUR
    assert before - 3 * MINUTE < server.left(long) < before + 3 * MINUTE
