"""The laws of laws.py and laws_of_logs.py in random games of two to four players on nine boards."""

from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.actions import Illegal
from engine.notation.orders import write
from engine.position import view
from engine.rules import decide, legal
from tests.breadth import BREADTH, first, times
from tests.engine.brute import Judge, universe
from tests.engine.build import spelled
from tests.engine.laws import LAWS, Law, some
from tests.engine.laws_of_logs import LAWS_OF_LOGS
from tests.engine.players import BOARDS, game

GAMES = 30
SEEDS = [range(12), range(12, GAMES)]
"""Those that the gate looks at, and the others."""
ALL = (*LAWS, *LAWS_OF_LOGS)
TINY = sorted(set(BOARDS) - {"alexandros"})


@pytest.mark.parametrize("seeds", first(1, SEEDS), ids=str)
@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("law", ALL, ids=[law.__name__ for law in ALL])
def test_law(law: Law, name: str, seeds: range) -> None:
    for seed in seeds:
        law(game(name, seed))


@settings(max_examples=times(2), suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(sorted(BOARDS)), seed=st.integers(GAMES, 2**32))
def test_every_law_in_whatever_game_is_found(name: str, seed: int) -> None:
    """The same games each time; `pytest --hypothesis-profile=anew` looks for others."""
    one = game.__wrapped__(name, seed)
    for law in ALL:
        law(one)


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("hundred", range(10))
def test_every_law_in_a_hundred_more_games(hundred: int, name: str) -> None:
    for seed in range(100 * hundred + GAMES, 100 * (hundred + 1) + GAMES):
        one = game.__wrapped__(name, seed)
        for law in ALL:
            law(one)


@pytest.mark.parametrize("seeds", first(1, SEEDS), ids=str)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=BREADTH) if name == "strip" else name for name in TINY]
)
def test_the_offers_are_those_of_the_rules_written_again(name: str, seeds: range) -> None:
    for seed in seeds:
        for act in some(game(name, seed), 6):
            now = act.before
            found = list(islice(legal(view(now, now.table.seat)), 3000))
            if len(found) < 3000:
                assert {write(action, now.table.board) for action in found} == Judge(now).legal()


@pytest.mark.parametrize("name", ["hexagon", "two", "towers"])
def test_whatever_anybody_could_say_is_done_if_and_only_if_it_is_offered(name: str) -> None:
    for seed in range(3):
        for act in some(game(name, seed), 3):
            now = act.before
            known = view(now, now.table.seat)
            found = set(legal(known))
            for line in universe(now):
                action = spelled(line, now.table.board)
                try:
                    decide(now, now.table.seat, action, lambda cards: next(iter(cards)))
                    done = True
                except Illegal:
                    done = False
                assert done == (action in found), line
