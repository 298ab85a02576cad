"""No turn waits longer than its stated bound, whatever its player tells of days away and of sleep."""

from datetime import time, timedelta

import pytest

from server.accounts.vacations import end_vacations, store_rest, take_vacation
from server.admin.interventions import lift_suspension, suspend_game
from server.clock import give_back_downtime, tick
from server.store.models import Seating
from server.store.schedule import write_moment
from server.store.states import MomentName
from server.time_control.turn_time import MOST_PROTECTED
from tests.server.desk import NOON, committed, game_row, start_timed_game

HOUR, DAY, MINUTE = timedelta(hours=1), timedelta(days=1), timedelta(minutes=1)
BOUND = NOON + MOST_PROTECTED + 24 * HOUR


def tell(context, game, now, change):
    """Let whoever is to move wish something else, and give the deadline that they have then."""
    row = game_row(context, game)
    with context.writing() as session:
        change(session, session.get_one(Seating, (game, row.seat)).player, now)
        session.commit()
    return game_row(context, game).deadline


def go_away(session, player, now):
    take_vacation(session, player, now.date(), now.date() + 85 * DAY, now)


def come_back(session, player, now):
    end_vacations(session, player, now)


def sleep(session, player, now):
    store_rest(session, player, (time(now.hour), time((now.hour + 12) % 24)), frozenset(), now)


def stay_awake(session, player, now):
    store_rest(session, player, None, frozenset(), now)


@pytest.fixture
def game(context):
    return start_timed_game(context, "Anna", "Ben", hours=24)


def test_who_tells_more_days_away_before_each_deadline_is_waited_for_no_longer_than_the_bound(context, game):
    ends = game_row(context, game).deadline
    for _ in range(6):
        ends = tell(context, game, ends - 5 * MINUTE, go_away)
    assert ends == NOON + MOST_PROTECTED + 5 * MINUTE < BOUND, "what was left when they told it first"
    tick(context, ends - timedelta(seconds=1))
    assert game_row(context, game).turn == 1
    tick(context, ends)
    assert game_row(context, game).turn == 2


@pytest.mark.parametrize("changes", [(go_away, come_back), (sleep, stay_awake)])
def test_who_goes_and_comes_back_before_each_deadline_is_waited_for_no_longer(context, game, changes):
    """Each time there are six hours in which to come back."""
    for day in (0, 85):
        tell(context, game, NOON + day * DAY + HOUR, go_away)
    tell(context, game, NOON + 117 * DAY, come_back)
    now = NOON + 117 * DAY
    for number in range(200):
        ends = game_row(context, game).deadline
        now = max(now + MINUTE, ends - 5 * MINUTE)
        if now >= ends:
            break
        assert tell(context, game, now, changes[number % 2]) <= BOUND
    assert now >= ends, "then nothing moves it any more"


def test_a_server_that_starts_again_and_again_begins_the_bound_anew_for_nobody(context, game):
    """What it was down for stands outside."""
    ends, down = game_row(context, game).deadline, timedelta(0)
    for _ in range(6):
        ends = tell(context, game, ends - 5 * MINUTE, go_away)
        with context.writing() as session:
            write_moment(session, MomentName.HEARTBEAT, ends - 2 * MINUTE)
            session.commit()
        give_back_downtime(context, ends - MINUTE)
        ends, down = game_row(context, game).deadline, down + MINUTE
    assert ends <= BOUND + down + 6 * 10 * MINUTE


def test_a_game_that_was_halted_has_its_nights_and_its_bound_after_it(context, game):
    tell(context, game, NOON + HOUR, go_away)
    committed(context, NOON + 2 * HOUR, suspend_game, game)
    committed(context, NOON + 200 * DAY, lift_suspension, game)
    ends = tell(context, game, NOON + 200 * DAY, go_away)
    assert ends > NOON + 285 * DAY
    ends = tell(context, game, NOON + 284 * DAY, go_away)
    assert ends == BOUND + 200 * DAY - 3 * HOUR, "two hours were no part of the halt, and one was counted"
