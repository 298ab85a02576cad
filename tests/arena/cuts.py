"""How often the cuts of the judge's list lose the best turn: `python -m tests.arena.cuts --positions 500`."""

import argparse
import random
import sys

from engine.bots import turns
from engine.bots.strengths import plan_steadily
from engine.evolve import start
from engine.position import Phase, View, view
from engine.rules import deal, play_out
from tests.arena.matches import dice
from tests.engine.build import PEOPLE, alexandros

EVERY = 10**9


def sampled(number: int, seed: int) -> list[View]:
    """Views at the beginning of turns, some from each of several games of Steady."""
    found: list[View] = []
    taken = random.Random(seed)
    while len(found) < number:
        chance = dice((seed, len(found)))
        now = start(alexandros(), deal(alexandros(), "rio-grande", PEOPLE[: taken.randint(2, 4)], chance))
        while not now.table.over:
            known = view(now, now.table.seat)
            if now.table.phase is Phase.CARD and taken.random() < 0.25:
                found.append(known)
            _, now = play_out(now, now.table.seat, plan_steadily(known).actions[0], chance)
    return found[:number]


def lost(known: View) -> float:
    """The points that the best turn of the list is worth less than the best of the full one."""
    cut = turns.best_turns(known)[0].worth
    kept = turns.MOST_PATHS, turns.MOST_CONQUESTS
    turns.MOST_PATHS, turns.MOST_CONQUESTS = EVERY, EVERY
    try:
        return turns.best_turns(known, EVERY)[0].worth - cut
    finally:
        turns.MOST_PATHS, turns.MOST_CONQUESTS = kept


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.arena.cuts", description=__doc__)
    asked.add_argument("--positions", type=int, default=500)
    asked.add_argument("--seed", type=int, default=1)
    wanted = asked.parse_args()
    losses = [lost(known) for known in sampled(wanted.positions, wanted.seed)]
    missed = [loss for loss in losses if loss > 0.01]
    sys.stdout.write(
        f"{len(missed)} of {len(losses)} ({len(missed) / len(losses):.1%}) lose the best turn, "
        f"{sum(losses) / len(losses):.2f} points on the average, {max(losses):.1f} at most\n"
    )


if __name__ == "__main__":
    main()
