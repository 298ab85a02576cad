"""The deal: how a game begins (2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.board import Board
from engine.cards import DECK, ONE, Bag, Chance
from engine.events import GameStarted
from engine.position import DISPLAY_SIZE


def deal(board: Board, edition: str, names: Sequence[str], chance: Chance) -> GameStarted:
    """The cards dealt: one to each seat in order, then the display."""
    supply, drawn = DECK, list[Bag]()
    for _ in range(len(names) + DISPLAY_SIZE):
        card = chance(supply)
        supply -= ONE[card]
        drawn.append(ONE[card])
    hands, display = drawn[: len(names)], drawn[len(names) :]
    return GameStarted(board.name, edition, tuple(names), tuple(hands), display[0] + display[1])
