"""Writes down whole games by players who choose at random: `python -m tests.engine.record NAME`.

Each game of `games/` beside the two examples was made so. They are kept: a rule that is mended may refuse a
new game like them, but these must replay for ever.
"""

import json
import sys
from random import Random

from engine.event_log import describe, encode
from engine.evolve import start
from engine.rules import deal
from tests.engine.build import PEOPLE
from tests.engine.players import BOARDS, TASTES, Game, draw_from, play
from tests.paths import GAMES

RECORDED = {
    "points": ("alexandros", "rio-grande", 3, "governors", 70),
    "points-dutch": ("alexandros", "identity-games", 4, "governors", 73),
    "walls": ("alexandros", "rio-grande", 4, "masons", 18),
    "shortage": ("alexandros", "identity-games", 2, "hoarders", 60),
    "stalemate": ("alexandros", "rio-grande", 2, "idlers", 14),
    "no-march": ("lake", "rio-grande", 3, "anybody", 12),
}
"""What each game was played by: board, edition, seats, the players' taste, and the seed of all chance."""


def recorded(name: str) -> Game:
    board, edition, seats, taste, seed = RECORDED[name]
    dice = Random(seed)
    first = deal(BOARDS[board], edition, PEOPLE[:seats], draw_from(dice))
    return play(start(BOARDS[board], first), first, TASTES[taste], dice)


def write_down(name: str) -> None:
    """Write a game's log and the position it ends in."""
    game = recorded(name)
    board = game.opening.table.board
    events = [game.first, *(event for _, event in game.steps())]
    lines = [json.dumps(encode(event, board)) for event in events]
    (GAMES / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    (GAMES / f"{name}.final.json").write_text(json.dumps(describe(game.last)) + "\n")


if __name__ == "__main__":
    for name in sys.argv[1:] or RECORDED:
        write_down(name)
