"""The deadline that the server moves step by step is the one that follows from what was done."""

import pytest

from tests.breadth import first
from tests.server.time_control.walks import Walk

STEPS = 60
SEEDS = [7, 10, *range(100, 150)]
"""In the first two the relay goes away amid turns that are played in the meantime."""


@pytest.mark.breadth
@pytest.mark.parametrize("seed", first(1, SEEDS))
def test_at_each_step_of_a_game_its_deadline_and_its_bank_follow_from_what_was_done(context, seed):
    walk = Walk(context, seed)
    for _ in range(STEPS):
        if not walk.step():
            break
