"""The deadline that the server moves step by step is the one that follows from what was done."""

import pytest

from tests.breadth import first, spread
from tests.server.time_control.walks import Walk

STEPS, FEW_STEPS = 60, 20
SEEDS = [7, 10, *range(100, 150)]
"""In the first two the relay goes away amid turns that are played in the meantime."""


@pytest.mark.parametrize("seed", first(1, SEEDS[:3]))
def test_deadline_and_bank_do_so_in_the_first_steps_of_a_few_games(context, seed):
    walk = Walk(context, seed)
    walk.compare()
    for _ in range(FEW_STEPS):
        if not walk.step():
            break
    assert len(walk.done) >= FEW_STEPS / 2


@pytest.mark.parametrize("seed", [*spread(2, SEEDS[:2]), *spread(8, SEEDS[2:])])
def test_at_each_step_of_a_game_its_deadline_and_its_bank_follow_from_what_was_done(context, seed):
    walk = Walk(context, seed)
    for _ in range(STEPS):
        if not walk.step():
            break
