"""What is told of a game after its end: sums that agree with its facts, chances, better turns."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from random import Random

import pytest

from engine.actions import Action, End
from engine.bots.reviews import Verdict, chances, harvests
from engine.events import TaxesLevied
from engine.position import Position
from engine.rules import due, play_out
from tests.bots import adapter
from tests.bots.adapter import Steps
from tests.bots.alike import alike, keen_game, recorded_steps
from tests.bots.ledger import scores_by_levy, totals
from tests.breadth import spread
from tests.engine.players import draw_from

EXACT = 1e-9
FEW = ("points", "three-players", "walls")


def wrong_sums(steps: Steps, last: Position) -> list[str]:
    """Where what the review says of points does not agree with the facts of a game."""
    told = [(one.turn, one.seat, one.place, one.value) for one in harvests(steps)]
    seats = len(last.hands)
    by_turn = defaultdict(list)
    for one in told:
        by_turn[one[0]].append(one)
    sums = {turn: totals(scores, seats) for turn, scores in by_turn.items()}
    levies = [(now.table.turn, event.gains) for now, event in steps if isinstance(event, TaxesLevied)]
    found = []
    if sorted(told) != sorted(scores_by_levy(steps)):
        found.append("other provinces have scored")
    if totals(told, seats) != last.table.scores:
        found.append(f"the sums are {totals(told, seats)}, the scores {last.table.scores}")
    if sums != {turn: gains for turn, gains in levies if any(gains)}:
        found.append("other levies have scored")
    return found


def check_chances(steps: Steps, last: Position) -> None:
    """Make sure that the chances are chances at every step, and at the end the result."""
    for now in [*(now for now, _ in steps), last]:
        found = chances(now)
        assert len(found) == len(now.hands)
        assert all(0 <= one <= 1 for one in found), found
        assert math.isclose(sum(found), 1, abs_tol=EXACT), found
    winners = last.table.winners or ()
    assert chances(last) == tuple(
        pytest.approx(1 / len(winners) if seat in winners else 0) for seat in range(len(last.hands))
    )


@pytest.mark.parametrize("played", [*FEW, *spread(8, range(40))])
def test_points_sum_to_the_scores_and_chances_to_one(played: str | int) -> None:
    """In recorded games, and in forty games by seeds."""
    if isinstance(played, str):
        steps, last = recorded_steps(played)
    else:
        steps, last = [*keen_game(played).steps()], keen_game(played).last
    assert wrong_sums(steps, last) == []
    assert sum(last.table.scores) > 0
    check_chances(steps[::3], last)


# --- the better turn ------------------------------------------------------------------------------------


def before_turn(steps: Steps, turn: int) -> Position:
    """The position in which a turn begins, once the display is full."""
    return next(now for now, _ in steps if now.table.turn == turn and due(now) is None)


def play_on(now: Position, actions: Sequence[Action], dice: Random) -> None:
    """Play actions with cards drawn by dice. Raises `Illegal`."""
    seat = now.table.seat
    for action in actions:
        if now.table.over or now.table.seat != seat:
            assert isinstance(action, End), "it goes on behind its end"
            return
        _, now = play_out(now, seat, action, draw_from(dice))


def check_verdict(steps: Steps, said: Verdict, dice: Random) -> None:
    """Hold what is said of a turn against the rules, whatever was hidden from who played it."""
    now = before_turn(steps, said.turn)
    assert now.table.seat == said.seat
    assert said.cost >= -EXACT, "a better turn that is worse"
    assert said.best or said.cost < EXACT
    if said.best != said.played:  # which went by the cards that came up
        for one in [now, *alike(now, dice, 6)]:
            play_on(one, said.best, dice)


@pytest.mark.parametrize("name", FEW[:1])
def test_the_better_turn_is_legal_whatever_was_hidden(name: str) -> None:
    steps, _ = recorded_steps(name)
    dice = Random(1)
    [said] = adapter.verdicts(steps, range(1, 2))
    check_verdict(steps, said, dice)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_every_verdict_on_a_whole_game(seed: int) -> None:
    steps, dice = [*keen_game(seed).steps()], Random(seed)
    said = adapter.verdicts(steps)
    turns = [now.table.turn for now, _ in steps]
    assert [one.turn for one in said] == sorted(set(turns))
    for one in said:
        check_verdict(steps, one, dice)
        play_on(before_turn(steps, one.turn), one.played[:1], dice)
    costs = [one.cost for one in said]
    assert max(costs) > 0
