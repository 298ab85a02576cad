"""How an action is written: the one exact spelling of each, which `read` (grammar.py) understands again."""

from __future__ import annotations

from enum import StrEnum
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


class Verb(StrEnum):
    """The word with which the canonical text of an action begins."""

    CHOOSE = "choose"
    PLAY = "play"
    MARCH = "march"
    STAY = "stay"
    DRAW = "draw"
    TAKE = "take"
    OCCUPY = "occupy"
    TAKEOVER = "takeover"
    LEVY = "levy"
    RECALL = "recall"
    END = "end"


def write(action: Action, board: Board) -> str:
    """The canonical text of an action."""
    match action:
        case Choose(card):
            return f"{Verb.CHOOSE} {card}"
        case Play(card):
            return f"{Verb.PLAY} {card}"
        case March(target, path):
            return f"{Verb.MARCH} {board.names[target]} {'-'.join(str(point) for point in path)}"
        case Stay(card):
            return Verb.STAY.value if card is None else f"{Verb.STAY} {card}"
        case Draw():
            return Verb.DRAW.value
        case Take(card):
            return f"{Verb.TAKE} {card}"
        case Occupy(guards):
            return f"{Verb.OCCUPY} {_join_places(guards, board)}"
        case TakeOver(guards, given):
            give = f" give {given}" if len(given) else ""
            return f"{Verb.TAKEOVER} {_join_places(guards, board)}{give}"
        case Levy(card):
            return f"{Verb.LEVY} {card}"
        case Recall(place):
            return f"{Verb.RECALL} {board.names[place]}"
        case End():
            return Verb.END.value
        case _:
            assert_never(action)


def _join_places(guards: tuple[Space, ...], board: Board) -> str:
    return "+".join(board.names[place] for place in guards)
