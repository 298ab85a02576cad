"""How an action is written: the one exact spelling of each, which `read` (grammar.py) understands again."""

from __future__ import annotations

from typing import assert_never

from engine.actions import (
    Action,
    Choose,
    Draw,
    End,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
    TakeOver,
)
from engine.board import Board
from engine.lattice import Space


def write(action: Action, board: Board) -> str:
    """The canonical text of an action."""
    match action:
        case Choose(card):
            return f"choose {card}"
        case Play(card):
            return f"play {card}"
        case March(target, path):
            return f"march {board.names[target]} {'-'.join(str(point) for point in path)}"
        case Stay(card):
            return "stay" if card is None else f"stay {card}"
        case Draw():
            return "draw"
        case Take(card):
            return f"take {card}"
        case Occupy(guards):
            return f"occupy {_join_places(guards, board)}"
        case TakeOver(guards, given):
            give = f" give {given}" if len(given) else ""
            return f"takeover {_join_places(guards, board)}{give}"
        case Levy(card):
            return f"levy {card}"
        case Recall(place):
            return f"recall {board.names[place]}"
        case End():
            return "end"
        case _:
            assert_never(action)


def _join_places(guards: tuple[Space, ...], board: Board) -> str:
    return "+".join(board.names[place] for place in guards)
