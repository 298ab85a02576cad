"""Somebody for whom the others wait in vain, though their seat is not kept: others agree on another."""

from __future__ import annotations

from datetime import timedelta

import pytest

from emails.terms import AbsenceRule
from emails.wording.requests import MotionKind, MotionTerms
from server.admin.doctor import examine_stored_acts
from server.lobby.motions import MotionOutcome, decline_motion, support_motion
from server.lobby.open_motions import MotionRefused, list_motions
from server.lobby.substitutes import take_offered_seat
from server.outbox.unit_of_work import open_unit
from server.store.context import Context
from server.store.histories import require_started
from server.store.models import Game
from server.store.states import Channel
from server.store.turn_clock import LONG_AWAITED
from tests.server.desk import Clock, Collector, game_row, kinds, names_of, start_game, work_until_idle
from tests.server.lobby.test_seat_returns import back, kept, lets_pass, opened, plays
from tests.server.lobby.test_substitutes import known, offered

FIRST = MotionTerms(without=0)


def replace_first(context: Context, game: str, seat: int, clock: Clock) -> MotionOutcome:
    with open_unit(context, clock()) as unit:
        found = support_motion(unit, game, seat, MotionKind.REPLACE, Channel.WEB, terms=FIRST)
        unit.commit()
    return found


def can_replace(context: Context, game: str, seat: int, clock: Clock) -> bool:
    with context.reading() as session:
        row = session.get_one(Game, game)
        history = require_started(context.history_of(session, row))
        listed = list_motions(session, row, history, seat, clock())
        return any(one.kind is MotionKind.REPLACE and one.terms == FIRST for one in listed)


@pytest.fixture
def timeless(context: Context, mails: Collector, clock: Clock) -> str:
    """A game of three without a limit of time, as there are from before every game had one."""
    game = start_game(context, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    with context.writing() as session:
        row = session.get_one(Game, game)
        row.turn_minutes, row.deadline = 0, None
        session.commit()
    return game


def test_without_a_limit_of_time_the_others_can_agree_on_somebody_else_after_two_weeks(
    context: Context, timeless: str, mails: Collector, clock: Clock
) -> None:
    clock.now += LONG_AWAITED - timedelta(hours=1)
    assert not can_replace(context, timeless, 1, clock)
    with pytest.raises(MotionRefused, match="more than two weeks"):
        replace_first(context, timeless, 1, clock)
    clock.forward(1)
    assert [can_replace(context, timeless, seat, clock) for seat in range(3)] == [False, True, True]
    with pytest.raises(MotionRefused, match="your own seat"):
        replace_first(context, timeless, 0, clock)
    assert replace_first(context, timeless, 1, clock) is MotionOutcome.ASKED
    with open_unit(context, clock()) as unit, pytest.raises(MotionRefused, match="your own seat"):
        decline_motion(unit, timeless, 0, MotionKind.REPLACE, Channel.API, terms=FIRST)
    work_until_idle(context, mails, clock())
    first, second, third = names_of(context, timeless)
    assert [kinds(mails.to(name)).count("motion") for name in (first, second, third)] == [0, 0, 1]
    assert replace_first(context, timeless, 2, clock) is MotionOutcome.DONE
    assert (kept(context), offered(context)) == ([0], [0])
    work_until_idle(context, mails, clock())
    assert kinds(mails.to(first))[-1] == "absence"
    assert "seat_offered" in kinds(mails.to(second))
    assert game_row(context, timeless).seat == 1  # a caretaker has played
    assert list(examine_stored_acts(context)) == []


@pytest.mark.breadth
def test_who_says_a_word_has_the_seat_again_until_somebody_has_taken_it(
    context: Context, timeless: str, mails: Collector, clock: Clock
) -> None:
    clock.now += LONG_AWAITED
    replace_first(context, timeless, 1, clock)
    replace_first(context, timeless, 2, clock)
    assert back(context, timeless, 0, clock())
    assert (kept(context), offered(context), game_row(context, timeless).seat) == ([], [], 0)
    replace_first(context, timeless, 1, clock.forward(2) and clock)
    replace_first(context, timeless, 2, clock)
    take_offered_seat(context, timeless, known(context, "Dirk", clock), "Dirk", clock())
    work_until_idle(context, mails, clock())
    assert "Dirk" in names_of(context, timeless)
    assert not back(context, timeless, 0, clock())
    assert list(examine_stored_acts(context)) == []


@pytest.mark.breadth
def test_whoever_is_waited_for_each_time_can_be_replaced_after_two_turns_in_a_row(
    context: Context, mails: Collector, clock: Clock
) -> None:
    game = opened(context, AbsenceRule.ALWAYS, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    for missed in range(2):
        assert not can_replace(context, game, 1, clock)
        lets_pass(context, mails, clock)
        for _ in range(2):
            plays(context, game)
            work_until_idle(context, mails, clock.forward(1))
        assert (kept(context), missed) == ([], missed)
    assert can_replace(context, game, 1, clock)
    replace_first(context, game, 1, clock)
    replace_first(context, game, 2, clock)
    assert (kept(context), offered(context)) == ([0], [0])
    assert list(examine_stored_acts(context)) == []
