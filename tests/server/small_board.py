"""A small board on which the plan that the letters name can be played whole: Memphis is its only horse."""

from __future__ import annotations

import random

import pytest

from engine.board import Board
from server.store import context as store_context
from server.store.context import Context
from tests.server.desk import start_game

SMALL = Board.read(
    'name = "Alexandros"\nstart = "C7"\nrows = ["...........", " ....h......", "..........l"]\n'
    'places = [[], ["Memphis"], ["Troy"]]\n'
)
HORSE, NO_HORSE = 12, 29
"""Seeds of games in which the display has a horse after the first turn, or only a lyre."""
PLANS = {
    "en": "plan: if the display has a horse: horse; march Memphis; occupy. otherwise: lyre; draw",
    "nl": "plan: als er een paard open ligt: paard; marcheer Memphis; bezet. anders: harp; trek",
}
PLAYED = {
    HORSE: "choose horse; march Memphis C11-C9-C7; occupy Memphis",
    NO_HORSE: "choose lyre; march Memphis C11-C9-C7; draw",
}


def play_on_small_board(patch: pytest.MonkeyPatch) -> None:
    """Let all games be played on it."""
    patch.setattr(store_context, "load_boards", lambda: {SMALL.name: SMALL})


def start_small_game(context: Context, seed: int) -> str:
    """A game of Anna and Ben on it."""
    context.rng = random.Random(seed)
    return start_game(context, "Anna", "Ben")
