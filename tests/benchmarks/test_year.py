"""A year of 1,000 games on each database system: how it grows, how long backup and return take (year.py)."""

import pytest

from tests.benchmarks.year import GAMES, tell_year
from tests.server.storage import POSTGRESQL, SQLITE, choose


@pytest.mark.long
@pytest.mark.parametrize("system", [SQLITE, POSTGRESQL])
def test_a_year_of_games(figure, system):
    try:
        for line in tell_year(system, GAMES):
            figure(line, "")
    finally:
        choose(SQLITE)
