"""Orders: the canonical text of each action, and orders parsed from a player's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, assert_never

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
from engine.cards import Bag, Symbol


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
class Order:
    """The parsed words of one action, possibly incomplete."""

    verb: Verb | None
    """None for a card alone; `grammar.resolve` finds the action."""
    symbols: tuple[Symbol, ...] = ()
    places: tuple[Space, ...] = ()
    points: tuple[Point, ...] = ()
    """Points of a march in order, possibly not all; the last one is its corner."""
    corner: int | None = None
    """Number of the corner, from 1, among the reachable corners of the card's targets in reading order."""

    def can_end_on(self, corner: Point) -> bool:
        return self.points[-1:] in ((), (corner,))


class Usage(NamedTuple):
    """The arguments that a verb takes."""

    correction: str
    """The sentence of the refusal if the arguments are wrong."""
    build: Callable[[tuple[Symbol, ...], tuple[Space, ...], tuple[Point, ...]], Action]
    """Returns the action with these cards, places and points."""
    symbols: range = range(1)
    """The possible numbers of symbols."""
    places: range = range(1)
    """The possible numbers of places."""

    @property
    def takes_only_cards(self) -> bool:
        """True if a word means a card, even if a place is named like a symbol."""
        return max(self.symbols) > 0 and not max(self.places)


ONE = range(1, 2)
GUARDS = range(1, 5)
USAGES: Mapping[Verb, Usage] = {
    Verb.CHOOSE: Usage("say choose and one symbol", lambda cards, *_: Choose(cards[0]), ONE),
    Verb.PLAY: Usage("say play and one symbol", lambda cards, *_: Play(cards[0]), ONE),
    Verb.MARCH: Usage(
        "say march, a place, and the corner or the path",
        lambda _, places, path: March(places[0], path),
        places=range(2),
    ),
    Verb.STAY: Usage(
        "say stay and one symbol of the display", lambda cards, *_: Stay(*cards or (None,)), range(2)
    ),
    Verb.DRAW: Usage("say draw alone", lambda *_: Draw()),
    Verb.TAKE: Usage("say take and one symbol", lambda cards, *_: Take(cards[0]), ONE),
    Verb.OCCUPY: Usage(
        "say occupy and the places of the guards",
        lambda _, places, __: Occupy(tuple(sorted(places))),
        places=GUARDS,
    ),
    Verb.TAKEOVER: Usage(
        "say takeover, the places of the guards, give, the cards for the loser",
        lambda cards, places, _: TakeOver(tuple(sorted(places)), Bag.of(cards)),
        symbols=range(100),
        places=GUARDS,
    ),
    Verb.LEVY: Usage("say levy and one symbol", lambda cards, *_: Levy(cards[0]), range(2)),
    Verb.RECALL: Usage(
        "say recall and the place of the guard", lambda _, places, __: Recall(places[0]), places=ONE
    ),
    Verb.END: Usage("say end alone", lambda *_: End()),
}


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
    return " ".join(filter(None, (said.verb, places, path, *cards)))
