"""While the relay is away nobody's time runs, whatever is done in the meantime."""

from datetime import time, timedelta

import pytest

from emails.wording.requests import MotionKind
from engine import bots
from server.accounts.vacations import store_rest
from server.admin.suspension import resume_game, suspend_game
from server.lobby.games import open_game
from server.lobby.motions import support_motion
from server.store.models import Seating
from server.store.moments import write_moment
from server.store.seats import SeatRequest
from server.store.states import Channel, MomentName
from server.store.turn_clock import end_relay_absence
from server.turns.play import play_turn
from tests.server.desk import NOON, begin_time, committed, game_row

HOUR = timedelta(hours=1)
WENT, CAME = NOON + 5 * HOUR, NOON + 35 * HOUR


@pytest.fixture
def game(context):
    """Twelve hours a turn and 24 in reserve; the relay goes away five hours after the first turn began."""
    seats = [SeatRequest.read(f"{name} <{name.lower()}@example.org>") for name in ("Anna", "Ben")]
    game = open_game(context, "Friday", seats, NOON, hours=12, bank=24, at_once=True)
    begin_time(context, game)
    with context.writing() as session:
        write_moment(session, MomentName.RELAY_AWAY, WENT)
        session.commit()
    return game


def come_back(context):
    with context.writing() as session:
        end_relay_absence(session, CAME)
        session.commit()


def agree(context, game, kind, now):
    for seat in range(2):
        committed(context, now, support_motion, game, seat, kind, Channel.WEB)


def test_a_turn_that_is_played_then_costs_no_reserve_for_it(context, game):
    play_turn(context, game, game_row(context, game).after, bots.stand_in, "web", CAME - HOUR)
    come_back(context)
    begin_time(context, game, CAME)
    play_turn(context, game, game_row(context, game).after, bots.stand_in, "web", CAME + HOUR)
    assert game_row(context, game).bank_left == 24 * 3600


@pytest.mark.parametrize("goes_on", [CAME - 2 * HOUR, CAME + 2 * HOUR])
def test_a_pause_that_begins_then_leaves_what_there_was_when_the_relay_went(context, game, goes_on):
    agree(context, game, MotionKind.PAUSE, WENT + 10 * HOUR)
    if goes_on > CAME:
        come_back(context)
    agree(context, game, MotionKind.RESUME, goes_on)
    if goes_on < CAME:
        come_back(context)
    assert game_row(context, game).deadline == max(goes_on, CAME) + 31 * HOUR


def test_a_halt_by_the_operator_leaves_as_much(context, game):
    committed(context, WENT + 10 * HOUR, suspend_game, game)
    committed(context, WENT + 12 * HOUR, resume_game, game)
    come_back(context)
    assert game_row(context, game).deadline == CAME + 31 * HOUR


def test_who_sleeps_at_another_time_from_then_on_has_as_much(context, game):
    """They would sleep too in what has passed since the relay went."""
    row = game_row(context, game)
    with context.writing() as session:
        player = session.get_one(Seating, (game, row.seat)).player
        store_rest(session, player, (time(17), time(3)), frozenset(), WENT + 11 * HOUR)
        session.commit()
    come_back(context)
    assert game_row(context, game).deadline == CAME + (31 + 4 + 2 * 10) * HOUR
