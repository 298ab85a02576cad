"""Whatever the board, the hand and what is left: everybody finds something legal within a time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

import pytest

from engine import march_rules
from engine.actions import Action
from engine.bots.advice import suggest_turns
from engine.cards import DECK, EMPTY, Bag
from engine.position import Phase, Position, view
from engine.rules import play_out
from tests.bots import adapter
from tests.bots.alike import few_positions
from tests.bounded import quickest
from tests.breadth import spread
from tests.engine.build import alexandros, everything_but, position
from tests.engine.players import BOARDS, draw_from, game

PLANNERS = {name: player for name, player in adapter.players().items() if name != "advice"}
QUICK = [name for name in PLANNERS if not adapter.is_slow(name)]
STRONG = [name for name in PLANNERS if adapter.is_slow(name)]
LONGEST = 5.0
"""Seconds of processor time for a turn, whatever the position."""


def planned(name: str, now: Position) -> tuple[Action, ...]:
    """What somebody would do next, one action or several."""
    found = adapter.asked(PLANNERS[name], now)
    return found if isinstance(found, tuple) else (found,)  # type: ignore[return-value]


def follow(now: Position, actions: Sequence[Action], dice: Random) -> Position:
    """The position after a plan, with all that is due then; each action must be legal. Raises `Illegal`."""
    seat, turn = now.table.seat, now.table.turn
    for action in actions:
        assert not now.table.over
        assert (now.table.seat, now.table.turn) == (seat, turn), "it plans beyond its turn"
        _, now = play_out(now, seat, action, draw_from(dice))
    return now


def finish_turn(name: str, now: Position, dice: Random) -> Position:
    """The position once somebody has played the rest of a turn."""
    seat, turn = now.table.seat, now.table.turn
    for _ in range(12):
        now = follow(now, planned(name, now), dice)
        if now.table.over or now.table.turn != turn:
            return now
        assert now.table.seat == seat
    raise AssertionError("the turn does not end")


def odd_positions(board: str, seeds: range, each: int) -> Iterator[Position]:
    """Positions of random games: hoarded hands, few walls, scores close to the end."""
    for seed in seeds:
        acts = game(board, seed).acts
        dice = Random(seed)
        yield from (act.before for act in dice.sample(acts, min(each, len(acts))))


def hoards() -> Iterator[Position]:
    """Positions in which somebody holds nearly all cards, at each step of a turn."""
    for spare in ("lyre horse temple temple", "lyre horse", "lyre horse amphora soldier temple"):
        hand = everything_but(spare)
        for phase, chosen in (("card", None), ("march", "lyre"), ("actions", None)):
            supply = " ".join(spare.split()[2:])
            step = {"phase": phase, "chosen": chosen, "display": "lyre horse", "supply": supply}
            yield position(alexandros(), hands=(hand, ""), **step)


def with_hoard(now: Position) -> Position:
    """The same, but whoever is to move holds what was in the supply and in other hands."""
    table, me = now.table, now.table.seat
    rest = DECK - table.display - table.discard
    hands = tuple(rest if seat == me else EMPTY for seat in range(len(now.hands)))
    return Position(table, hands, Bag())


@pytest.mark.parametrize("name", QUICK)
def test_a_turn_in_a_few_recorded_positions(name: str) -> None:
    for now in few_positions(2, seed=9):
        finish_turn(name, now, Random(1))


@pytest.mark.parametrize(("board", "name"), spread(20, product(BOARDS, QUICK)))
def test_a_turn_on_every_board(name: str, board: str) -> None:
    for now in odd_positions(board, range(12), 4):
        finish_turn(name, now, Random(1))


@pytest.mark.parametrize("board", [name for name in BOARDS if name != "alexandros"])
def test_the_strong_on_every_other_board(board: str) -> None:
    for now in odd_positions(board, range(8), 2):
        finish_turn(STRONG[0], now, Random(1))


@pytest.mark.parametrize("name", [*QUICK, *STRONG[:1]])
def test_who_holds_nearly_all_cards_plays_within_a_time(name: str) -> None:
    held = [*hoards(), *(with_hoard(now) for now in few_positions(12, seed=4))]
    for now in held:
        if now.table.phase is Phase.CARD and not any(
            march_rules.targets(now.table, card, from_display=True) for card in now.table.display
        ):
            continue
        took = quickest(lambda now=now: planned(name, now), LONGEST / 2)
        assert took < LONGEST, (name, took, now.table.phase)
        finish_turn(name, now, Random(1))


def test_advice_in_odd_positions() -> None:
    """Each suggestion can be played whatever is drawn, and no two are the same."""
    asked = [*hoards(), *(now for board in BOARDS for now in odd_positions(board, range(4), 2))]
    for now in asked:
        began = time.process_time()
        found = suggest_turns(view(now, now.table.seat), adapter.ADVISED)
        assert time.process_time() - began < LONGEST
        assert found
        assert len({one.actions for one in found}) == len(found)
        for one in found:
            for seed in range(3):
                follow(now, one.actions, Random(seed))
