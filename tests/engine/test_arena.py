"""The arena: every deal from every seat, and the same games by the same seed."""

from collections import deque

import pytest

from tests.arena.matches import Record, play_match, schedule, seatings
from tests.arena.players import PLAYERS, named


def test_everybody_sits_everywhere() -> None:
    assert seatings(["a", "b"]) == [(0, 1), (1, 0)]
    assert len(seatings(["a", "b", "b"])) == 3
    deals = list(schedule(["a", "b", "b"], 7))
    assert [deal for deal, _ in deals] == [0, 0, 0, 1, 1, 1, 2]
    assert {order.index(0) for _, order in deals[:3]} == {0, 1, 2}


def test_a_seed_gives_the_same_games() -> None:
    played = [
        deque(play_match(["greedy", "caretaker"], named, 2, 5, "rio-grande"), maxlen=1)[0] for _ in range(2)
    ]
    (one, ends), (other, same_ends) = played
    assert ends == same_ends
    assert [(r.wins, r.points) for r in one.values()] == [(r.wins, r.points) for r in other.values()]
    assert sum(record.wins for record in one.values()) == 2


def test_the_interval_is_wilsons() -> None:
    low, high = Record(wins=191, games=200).interval()
    assert (low, high) == (pytest.approx(0.917, abs=0.001), pytest.approx(0.976, abs=0.001))


def test_profiles_may_play() -> None:
    assert {"philip", "roxana", "darius"} <= PLAYERS.keys()
