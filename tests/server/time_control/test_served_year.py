"""A year on the server itself: nobody is timed out in time that is not theirs, and nobody waits in vain."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.server.time_control.served_year import ServedYear

HOUR = timedelta(hours=1)
SIZES = [
    pytest.param(24, 3, 16, 96 * HOUR, marks=pytest.mark.breadth, id="24"),
    pytest.param(128, 6, 120, 48 * HOUR, marks=pytest.mark.long, id="128"),
]
"""Players, the turns of each, how often the server is down, and how often all turns are looked at."""


@pytest.mark.parametrize(("players", "turns", "stops", "look_every"), SIZES)
def test_on_the_server_nobody_is_timed_out_in_time_that_is_not_theirs(
    tmp_path, record_property, players, turns, stops, look_every
):
    year = ServedYear(tmp_path, players, turns=turns, stops=stops, look_every=look_every)
    year.play()
    told = f"{year.turns} turns, {year.timed_out} timed out, {year.looks} looks at what is left"
    record_property("figure", f"{players} players: {told}")
    assert not year.wrong
    assert year.turns >= turns * players
    assert year.timed_out > year.turns / 8
    assert year.kept


def small_year(folder: Path, **changed: bool) -> list[str]:
    """What was wrong in a year of one player in each zone."""
    year = ServedYear(folder, 24, turns=6, stops=24, look_every=96 * HOUR, **changed)
    year.play()
    return year.wrong


@pytest.mark.long
def test_the_control_a_server_that_forgets_its_heartbeat_counts_time_in_which_it_was_down(tmp_path):
    assert "too early" in small_year(tmp_path, knows_heartbeat=False)


@pytest.mark.long
def test_the_control_a_server_that_is_not_told_when_they_sleep_takes_turns_meanwhile(tmp_path):
    assert {"too early", "in protected time"} <= set(small_year(tmp_path, knows_wishes=False))
