"""Games keep the exact time that they were opened with when its columns come to hold minutes."""

import pytest
from click.testing import CliRunner

from server.cli import main
from tests.server.store.old_database import environment, execute, query, restore

pytestmark = pytest.mark.file

CLOCKS = {"With the house": (36, 10, 3), "Offered": (48, 96, 0)}
"""Of games in that database: hours for a turn, in reserve, and back."""
KEPT = "deadline, turn_began_at, bank_left, time_left, reminded"


def test_each_game_keeps_its_time_its_reserve_and_its_deadline(tmp_path):
    file = restore(tmp_path)
    for name, (hours, bank, refill) in CLOCKS.items():
        execute(
            file, f"UPDATE game SET hours = {hours}, bank = {bank}, refill = {refill} WHERE name = '{name}'"
        )
    execute(file, "UPDATE opening SET vacation_days = 5")
    before = query(file, f"SELECT id, {KEPT} FROM game ORDER BY id")
    away = query(file, "SELECT * FROM vacation")
    assert CliRunner(env=environment(file)).invoke(main, ["migrate"]).exit_code == 0
    found = query(file, "SELECT name, turn_minutes, bank_minutes, refill_minutes FROM game")
    assert {name: tuple(clock) for name, *clock in found if name in CLOCKS} == {
        name: tuple(60 * one for one in clock) for name, clock in CLOCKS.items()
    }
    assert query(file, f"SELECT id, {KEPT} FROM game ORDER BY id") == before
    assert query(file, "SELECT * FROM vacation") == away
    assert query(file, "SELECT DISTINCT vacation_days FROM opening") == [(5,)]
