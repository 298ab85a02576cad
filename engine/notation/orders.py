"""Orders: the canonical text of each action, and orders parsed from a player's text."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
    Unreadable,
)
from engine.board import Board, Point, Space
from engine.cards import Symbol


class Verb(StrEnum):
    """The first word of each action in canonical text."""

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


@dataclass(frozen=True, slots=True)
class Usage:
    """The arguments that a verb takes."""

    correction: str
    """The sentence of the refusal if the arguments are wrong."""
    symbols: tuple[int, int] = (0, 0)
    """Lowest and highest number of symbols."""
    places: tuple[int, int] = (0, 0)
    """Lowest and highest number of places."""
    points: bool = False


USAGES = {
    Verb.CHOOSE: Usage("say choose and one symbol", symbols=(1, 1)),
    Verb.PLAY: Usage("say play and one symbol", symbols=(1, 1)),
    Verb.MARCH: Usage("say march, a place, and the corner or the path", places=(0, 1), points=True),
    Verb.STAY: Usage("say stay and one symbol of the display", symbols=(0, 1)),
    Verb.DRAW: Usage("say draw alone"),
    Verb.TAKE: Usage("say take and one symbol", symbols=(1, 1)),
    Verb.OCCUPY: Usage("say occupy and the places of the guards", places=(1, 4)),
    Verb.TAKEOVER: Usage(
        "say takeover, the places of the guards, give, the cards for the loser",
        symbols=(0, 99),
        places=(1, 4),
    ),
    Verb.LEVY: Usage("say levy and one symbol", symbols=(0, 1)),
    Verb.RECALL: Usage("say recall and the place of the guard", places=(0, 1)),
    Verb.END: Usage("say end alone"),
}


@dataclass(frozen=True, slots=True)
class Order:
    """The parsed words of one action, possibly incomplete."""

    verb: Verb | None
    """None for a card alone; `grammar.expand_order` adds the verb."""
    symbols: tuple[Symbol, ...] = ()
    places: tuple[Space, ...] = ()
    points: tuple[Point, ...] = ()
    """The path of a march or the last part of it; the last point is the corner."""
    short: bool = False
    """True if the order is a card alone, abbreviated."""
    passed: tuple[Point, ...] = ()
    """Points that the march must pass, such as those after "via"; the march may end at another point."""
    origin: Point | None = None
    """The stated start of a march."""
    corner: int | None = None
    """Number of the corner, from 1, among the reachable corners of the card's targets in reading order."""

    def can_end_on(self, corner: Point) -> bool:
        return self.points[-1:] in ((), (corner,))

    def points_towards(self, corner: Point) -> tuple[Point, ...]:
        """Return the points that a march to `corner` must pass, in order, ending with `corner`."""
        last = self.points or (() if self.passed[-1:] == (corner,) else (corner,))
        return (*self.passed, *last)


@dataclass(frozen=True, slots=True)
class OrderLine:
    """A player's line and its orders, parsed once when the mail arrives."""

    words: str
    orders: tuple[Order, ...] = ()
    """Empty for an unreadable line."""
    refusal: Unreadable | None = None
    answer: str = ""
    """The marks of choices, separated by blanks, if the line contains nothing else."""

    @property
    def marks(self) -> list[str]:
        """The choice letters and numbers in the line; each may mean a choice in the answered letter."""
        return [*self.answer.split(), *_NUMBER.findall(self.words)]


_NUMBER = re.compile(r"(?<![A-Za-z\d])\d+")
