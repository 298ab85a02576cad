"""Positions at which players are asked, and others that the seat to move cannot tell from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain, count, islice
from random import Random

from engine.bots import play_to_win
from engine.cards import EMPTY, SYMBOLS, Bag
from engine.events import Event
from engine.evolve import start
from engine.position import Position, View
from engine.rules import deal, due
from tests.engine.build import PEOPLE, alexandros
from tests.engine.players import Game, anybody, draw_from, game, governor, play
from tests.gallery.samples import SampleGame
from tests.paths import GAMES

RECORDED = ("points", "points-dutch", "three-players", "two-players", "walls")


def plays_to_win(known: View, dice: Random) -> object:
    return play_to_win(known)


@cache
def keen_game(seed: int) -> Game:
    """A game of two, three or four of whom some play to win, so that provinces are held and taken over."""
    dice = Random(f"keen {seed}")
    seats = 2 + seed % 3
    first = deal(
        alexandros(), ("rio-grande", "identity-games")[seed // 3 % 2], PEOPLE[:seats], draw_from(dice)
    )
    tastes = tuple(dice.choice((plays_to_win, plays_to_win, governor, anybody)) for _ in range(seats))
    return play(start(alexandros(), first), first, tastes, dice)


@cache
def recorded_steps(name: str) -> tuple[list[tuple[Position, Event]], Position]:
    """Each event of a recorded game after the first with the position before it, and the last position."""
    lines = (GAMES / f"{name}.jsonl").read_text("utf-8").splitlines()
    found = SampleGame.from_lines(lines, alexandros())
    return [*zip(found.positions, found.events[1:], strict=False)], found.positions[-1]


@cache
def recorded_positions() -> tuple[Position, ...]:
    """The positions of the recorded games in which a seat has to decide something: at hand at once."""
    return tuple(now for log in RECORDED for now, _ in recorded_steps(log)[0] if due(now) is None)


def few_positions(number: int, *, seed: int = 0) -> list[Position]:
    return Random(seed).sample(recorded_positions(), number)


def asked_positions(number: int, *, each: int = 12, seed: int = 0) -> Iterator[Position]:
    """So many positions in which a seat has to decide something, some of each game; always the same ones."""

    def some_of(one: int) -> list[Position]:
        acts = (game("alexandros", one) if one % 4 == 3 else keen_game(one)).acts
        return [act.before for act in Random(one).sample(acts, min(each, len(acts)))]

    return islice(chain.from_iterable(map(some_of, count(seed))), number)


def beginnings_of_turns(number: int, *, each: int = 6, seed: int = 0) -> Iterator[Position]:
    """So many positions in which a turn begins, of games in which somebody plays to win."""

    def some_of(one: int) -> list[Position]:
        turns = [act.before for act in keen_game(one).acts if act.before.table.phase == "card"]
        return Random(one).sample(turns, min(each, len(turns)))

    return islice(chain.from_iterable(map(some_of, count(seed))), number)


# --- what a seat cannot tell apart ----------------------------------------------------------------------


def hidden_cards(now: Position, me: int) -> Bag:
    """All cards that a seat does not see (8.1)."""
    return sum((hand for seat, hand in enumerate(now.hands) if seat != me), now.supply)


def stacked(now: Position, me: int, best: int) -> Position:
    """The others hold as many as can be of one symbol, then of the next, and the supply has what is left."""
    rest = sorted(hidden_cards(now, me), key=lambda card: (SYMBOLS.index(card) - best) % len(SYMBOLS))
    hands = []
    for seat, hand in enumerate(now.hands):
        own = hand if seat == me else Bag.of(rest[: len(hand)])
        rest = rest if seat == me else rest[len(hand) :]
        hands.append(own)
    return Position(now.table, tuple(hands), Bag.of(rest))


def mixed(now: Position, me: int, dice: Random) -> Position:
    """The others' hands and the supply dealt anew by dice."""
    rest = list(hidden_cards(now, me))
    dice.shuffle(rest)
    hands = [hand if seat == me else Bag.of(rest.pop() for _ in hand) for seat, hand in enumerate(now.hands)]
    return Position(now.table, tuple(hands), Bag.of(rest))


def written_anew(now: Position) -> Position:
    return Position(replace(now.table), now.hands, now.supply)


def alike(now: Position, dice: Random, most: int) -> list[Position]:
    """Some positions that the seat to move cannot tell from this one; the most extreme ones first."""
    me = now.table.seat
    found = [written_anew(now), *(stacked(now, me, best) for best in range(len(SYMBOLS)))]
    while len(found) < most:
        found.append(mixed(now, me, dice))
    dice.shuffle(found)
    assert all(sum(one.hands, one.supply) == sum(now.hands, now.supply) for one in found)
    return found[:most]


def holds_something_hidden(now: Position) -> bool:
    """Whether anybody but the seat to move has a card at all."""
    return any(hand != EMPTY for seat, hand in enumerate(now.hands) if seat != now.table.seat)
