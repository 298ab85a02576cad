"""A turn that is skipped by agreement: whose turn it is and its number change, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.actions import Illegal
from engine.bots.reviews import played_turns
from engine.event_log import InvalidLog, action_of, check, check_log, decode, encode
from engine.events import Event, GameStarted, InvalidEvent, TurnEnded, TurnSkipped
from engine.evolve import evolve, replay
from engine.position import Phase, Position, view
from engine.rules import decide, due, skip_turns
from tests.breadth import times
from tests.engine.laws import positions
from tests.engine.players import BOARDS, draw_from, game, idler


def but_for_the_pointer(now: Position) -> Position:
    return replace(now, table=now.table.but(turn=0, seat=0))


@pytest.mark.breadth
@settings(max_examples=times(8), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(name=st.sampled_from(sorted(BOARDS)), seed=st.integers(0, 200), gone=st.integers(0, 15))
def test_nothing_changes_but_whose_turn_it_is_and_its_number(name: str, seed: int, gone: int) -> None:
    one = game.__wrapped__(name, seed)
    skipped = {seat for seat in range(4) if gone >> seat & 1}
    found = list(positions(one))
    for now in Random(seed).sample(found, min(20, len(found))):
        seats, after = len(now.table.names), now
        turns = skip_turns(now.table, skipped) if due(now) is None else ()
        if now.table.phase is not Phase.CARD or skipped >= set(range(seats)):
            assert turns == ()
        for turn in turns:
            assert decode(json.loads(json.dumps(encode(turn, now.table.board))), now.table.board) == turn
            check(after, turn)
            assert turn.seat == after.table.seat
            after = evolve(after, turn)
            assert due(after) is None
        assert but_for_the_pointer(after) == but_for_the_pointer(now)
        assert after.table.turn == now.table.turn + len(turns)
        assert after.table.seat == (now.table.seat + len(turns)) % seats
        if turns:
            assert {turn.seat for turn in turns} <= skipped
            assert after.table.seat not in skipped
            assert len(turns) < seats


def test_a_turn_that_has_begun_is_not_skipped_nor_that_of_another_nor_one_of_a_game_that_is_over() -> None:
    one = game("alexandros", 0)
    for now in positions(one):
        if due(now) is not None:
            continue
        with pytest.raises(InvalidEvent):
            check(now, TurnSkipped((now.table.seat + 1) % len(now.table.names)))
        if now.table.phase is not Phase.CARD:
            with pytest.raises(InvalidEvent):
                check(now, TurnSkipped(now.table.seat))
    with pytest.raises(InvalidEvent):
        action_of(TurnSkipped(0))


def play_without(name: str, seed: int, gone: set[int]) -> tuple[GameStarted, list[Event], Position]:
    """A game in which the turns of some seats are skipped from the second round on, to its end."""
    one, dice = game(name, seed), Random(seed)
    now, events, chance = one.acts[0].before, list[Event](), draw_from(dice)
    first = [event for before, event in one.steps() if before.table.turn <= len(one.first.seats)]
    for event in first:
        now = evolve(now, event)
        events.append(event)
    while not now.table.over:
        turns = skip_turns(now.table, gone)
        happened = turns or decide(now, now.table.seat, idler(view(now, now.table.seat), dice), chance)
        for event in happened:
            events.append(event)
            now = evolve(now, event)
        assert len(events) < 5000
    return one.first, events, now


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("gone", [{0}, {1}, {0, 2}, {1, 2, 3}])
def test_a_game_without_some_of_its_seats_ends_by_its_rules_and_its_log_is_right(
    seed: int, gone: set[int]
) -> None:
    seed = next(one for one in range(10 * seed, 1000) if len(game("strip", one).first.seats) == 4)
    first, events, last = play_without("strip", seed, gone)
    board = last.table.board
    lines = [json.dumps(encode(event, board)).encode() for event in (first, *events)]
    if game("strip", seed).opening == replay(board, [first]):  # not one with other walls or points
        *_, (_, checked) = check_log(lines, {}, board)
        assert checked == last
    later = [event for event in events if isinstance(event, TurnEnded | TurnSkipped)][4:]
    assert all((event.seat in gone) == isinstance(event, TurnSkipped) for event in later)
    now, steps = game("strip", seed).acts[0].before, list[tuple[Position, Event]]()
    for event in events:
        steps.append((now, event))
        now = evolve(now, event)
    assert not [one for one in list(played_turns(steps))[4:] if one.known.me in gone]


def test_a_skipped_turn_counts_for_no_stalemate() -> None:
    now = next(one for one in positions(game("alexandros", 0)) if one.table.phase is Phase.CARD)
    idle = replace(now, table=now.table.but(idle=10 * len(now.table.names) - 1))
    assert evolve(idle, TurnSkipped(idle.table.seat)).table.idle == idle.table.idle
    assert not evolve(idle, TurnSkipped(idle.table.seat)).table.over


def test_a_log_with_a_wrong_one_is_refused() -> None:
    one = game("alexandros", 0)
    board = one.opening.table.board
    lines = [json.dumps(encode(event, board)).encode() for event in (one.first, TurnSkipped(0))]
    *_, (_, after) = check_log(lines, {}, board)
    assert (after.table.turn, after.table.seat) == (2, 1)
    lines.append(lines[-1])
    with pytest.raises((InvalidLog, Illegal), match="event 3: it is the turn of seat 1"):
        list(check_log(lines, {}, board))
