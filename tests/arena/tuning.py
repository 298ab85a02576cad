"""Better weights for the judge, by self-play: `python -m tests.arena.tuning --rounds 300`.

Simultaneous perturbation (Spall 1992): in each round all weights go up or down by chance, the two judges play
each other a few games from both sides, and every weight goes a little in the direction of the winner. What it
prints at the end belongs into engine/bots/judge.py once `python -m tests.arena` has confirmed it.
"""

import argparse
import random
import sys
from collections.abc import Mapping
from dataclasses import fields
from math import exp

from engine.bots.judge import WEIGHTS, Weights
from engine.bots.turns import best_turns
from engine.editions import EDITIONS
from engine.position import Table, View
from tests.arena.matches import Player, play_game

SPREAD, STEP = 0.18, 0.03
"""How far the two judges of a round lie apart, and how far a weight goes; as powers of e."""
FIXED = {"game", "threat"}
"""Weights that only say that winning comes before all else."""


def shifted(weights: Weights, powers: Mapping[str, float]) -> Weights:
    return Weights(
        **{one.name: getattr(weights, one.name) * exp(powers.get(one.name, 0.0)) for one in fields(weights)}
    )


def player(weights: Weights) -> Player:
    def play(known: View) -> object:
        return best_turns(known, weights=weights)[0].actions[0]

    return play  # type: ignore[return-value]


def result(table: Table, seat: int) -> float:
    """How a seat did: winning counts most, and by how much a little."""
    assert table.winners is not None
    best = max(score for other, score in enumerate(table.scores) if other != seat)
    won = (seat in table.winners) / len(table.winners) - 1 / len(table.scores)
    return won + max(-0.3, min(0.3, (table.scores[seat] - best) / 100))


def tune(weights: Weights, rounds: int, games: int, seed: int) -> Weights:
    dice, powers = random.Random(seed), dict.fromkeys((one.name for one in fields(weights)), 0.0)
    for name in FIXED:
        del powers[name]
    for number in range(rounds):
        signs = {name: dice.choice((-1, 1)) for name in powers}
        up = shifted(weights, {name: powers[name] + SPREAD * sign for name, sign in signs.items()})
        down = shifted(weights, {name: powers[name] - SPREAD * sign for name, sign in signs.items()})
        gain, deal = 0.0, seed * 1_000_000 + number * games
        for game in range(games):
            seats = [up, down] if game % 2 else [down, up]
            if number % 3 == 2:
                seats.insert(dice.randrange(3), shifted(weights, powers))
            edition = list(EDITIONS)[number % 4 == 3]
            table = play_game([player(one) for one in seats], deal + game // 2, edition, [[] for _ in seats])
            gain += result(table, seats.index(up)) - result(table, seats.index(down))
        for name, sign in signs.items():
            powers[name] += STEP * sign * gain / games
        if number % 20 == 19:
            sys.stdout.write(f"{number + 1}: {shifted(weights, powers)}\n")
            sys.stdout.flush()
    return shifted(weights, powers)


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.arena.tuning", description=__doc__)
    asked.add_argument("--rounds", type=int, default=300)
    asked.add_argument("--games", type=int, default=4)
    asked.add_argument("--seed", type=int, default=1)
    wanted = asked.parse_args()
    sys.stdout.write(f"{tune(WEIGHTS, wanted.rounds, wanted.games, wanted.seed)}\n")


if __name__ == "__main__":
    main()
