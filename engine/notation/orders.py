"""Orders: the exact spelling of each action, and an order as it was written."""

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


@dataclass(frozen=True, slots=True)
class Usage:
    """What an action is said with."""

    correction: str
    """The sentence for whoever says it otherwise."""
    symbols: tuple[int, int] = (0, 0)
    """The least and the most of them."""
    places: tuple[int, int] = (0, 0)
    """The least and the most of them."""
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
"""What each action is said with."""


@dataclass(frozen=True, slots=True)
class Order:
    """The words of one action, sorted by kind."""

    verb: Verb | None
    """None: a symbol is said alone, and `grammar.expand_order` finds what it can mean."""
    symbols: tuple[Symbol, ...] = ()
    places: tuple[Space, ...] = ()
    points: tuple[Point, ...] = ()
    """The path of a march or a part of it; the last of them is the corner where it ends."""
    short: bool = False
    """Whether a bare symbol was abbreviated."""
    passed: tuple[Point, ...] = ()
    """Points of which it is said only that a march passes them; without `points` its corner is not known."""
    origin: Point | None = None
    """Where a march is said to begin."""
    corner: int | None = None
    """The number of the corner where a march ends, among those to which its card leads, counted from 1."""
    holder: str = ""
    """From whom a province is said to be taken over, in small letters."""

    def can_end_on(self, corner: Point) -> bool:
        """Whether a march as it is said can end on a corner."""
        return self.points[-1:] in ((), (corner,))

    def points_towards(self, corner: Point) -> tuple[Point, ...]:
        """The points that a march as it is said passes on its way to a corner, in order, with the corner.

        The last that is only passed may be that corner: where somebody goes via it, it may be meant.
        """
        last = self.points or (() if self.passed[-1:] == (corner,) else (corner,))
        return (*self.passed, *last)


@dataclass(frozen=True, slots=True)
class OrderLine:
    """A line that somebody wrote, and the orders that it says: parsed once, where it comes in."""

    words: str
    """As it was written."""
    orders: tuple[Order, ...]
    """None where the line cannot be read."""
    refusal: Unreadable | None = None
    """Why it cannot be read."""
    answer: str = ""
    """The letter of a choice, or its number, where the line is that and nothing else; blanks part several."""
    plain_refusal: Unreadable | None = None
    """Where it is told in sentences (clauses.py), why it cannot be read by the words that begin orders."""

    @property
    def is_told(self) -> bool:
        """Whether its orders are told in sentences."""
        return self.plain_refusal is not None

    def without_sentences(self) -> OrderLine:
        """The same line as it is read where nobody tells orders in sentences."""
        return OrderLine(self.words, (), self.plain_refusal) if self.is_told else self

    @property
    def marks(self) -> list[str]:
        """What in it stands for something of the letter that is answered: its answer, and its numbers."""
        return [*self.answer.split(), *_NUMBER.findall(self.words)]


_NUMBER = re.compile(r"(?<![A-Za-z\d])\d+")
