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


CARD_VERBS = frozenset((Verb.CHOOSE, Verb.PLAY, Verb.STAY, Verb.TAKE, Verb.LEVY))
"""Verbs after which a word means a card, even if a place is named like a symbol."""


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
class Order:
    """The parsed words of one action, possibly incomplete."""

    verb: Verb | None
    """None for a card alone; `grammar.expand_order` adds the verb."""
    symbols: tuple[Symbol, ...] = ()
    places: tuple[Space, ...] = ()
    points: tuple[Point, ...] = ()
    """The path of a march or the last part of it; the last point is the corner."""
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
    """The mark of a choice, if the line contains nothing else."""

    @property
    def marks(self) -> list[str]:
        """The choice letters and numbers in the line; each may mean a choice in the answered letter."""
        return [self.answer] * bool(self.answer) + _NUMBER.findall(self.words)


_NUMBER = re.compile(r"(?<![A-Za-z\d])\d+")


def spell_out(said: Order, board: Board) -> str:
    """Format an order in full words; an order that is only a card stays without verb."""
    cards = list(map(str, said.symbols))
    if said.verb == Verb.TAKEOVER and cards:
        cards = ["give", "+".join(cards)]
    places = "+".join(board.names[place] for place in said.places)
    path = "-".join(map(str, said.points)) if said.corner is None else f"{said.corner}"
    if said.passed:
        path = f"via {'-'.join(map(str, said.passed))}{' to ' if path else ''}{path}"
    if said.origin is not None:
        path = f"from {said.origin} {path}"
    return " ".join(filter(None, (said.verb, places, path.strip(), *cards)))
