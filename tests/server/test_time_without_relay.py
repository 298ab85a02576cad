"""While the relay is away nobody's time runs, whatever is done in the meantime."""

from datetime import time, timedelta

import pytest

from engine import bots
from server.accounts.vacations import store_rest
from server.admin.interventions import lift_suspension, suspend_game
from server.clock import give_back_downtime
from server.lobby.votes import EXTENSION_HOURS, ask_extension
from server.outbox.outages import end_absence
from server.store.game_terms import SeatRequest
from server.store.models import Game, Seating
from server.store.schedule import write_moment
from server.store.states import Channel, MomentName
from server.store.stored_availability import unavailable_spans_of
from server.store.turn_clock import protection_of, time_left
from server.turns.play import play_turn
from tests.server.desk import NOON, begin_time, committed, game_row, open_game
from tests.server.lobby.voting import all_pause, lift_pause

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
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
        end_absence(context, session, MomentName.RELAY_AWAY, CAME)
        session.commit()


def test_a_turn_that_is_played_then_costs_no_reserve_for_it(context, game):
    play_turn(context, game, game_row(context, game).after, bots.stand_in, "web", CAME - HOUR)
    come_back(context)
    begin_time(context, game, CAME)
    play_turn(context, game, game_row(context, game).after, bots.stand_in, "web", CAME + HOUR)
    assert game_row(context, game).bank_left == 24 * 3600


@pytest.mark.parametrize("goes_on", [CAME - 2 * HOUR, CAME + 2 * HOUR])
def test_a_pause_that_begins_then_leaves_what_there_was_when_the_relay_went(context, game, goes_on):
    all_pause(context, game, WENT + 10 * HOUR)
    if goes_on > CAME:
        come_back(context)
    lift_pause(context, game, goes_on)
    if goes_on < CAME:
        come_back(context)
    assert game_row(context, game).deadline == max(goes_on, CAME) + 31 * HOUR


def test_a_halt_by_the_operator_leaves_as_much(context, game):
    committed(context, WENT + 10 * HOUR, suspend_game, game)
    committed(context, WENT + 12 * HOUR, lift_suspension, game)
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


def let_sleep(context, game):
    """Let whoever is to move sleep for eight hours, at night."""
    with context.writing() as session:
        player = session.get_one(Seating, (game, game_row(context, game).seat)).player
        store_rest(session, player, (time(22), time(6)), frozenset(), NOON)
        session.commit()


def give_more_time(unit, game):
    """The other player gives whoever is to move more time."""
    other = 1 - unit.session.get_one(Game, game).seat
    ask_extension(unit, game, other, Channel.WEB)


def unavailable_spans_of_mover(context, row):
    with context.reading() as session:
        return protection_of(row, unavailable_spans_of(session, row.id, row.seat), CAME)


def go_down(context, since, until):
    with context.writing() as session:
        write_moment(session, MomentName.HEARTBEAT, since)
        session.commit()
    give_back_downtime(context, until)


@pytest.mark.parametrize("down", [(WENT + 2 * HOUR, WENT + 9 * HOUR), (WENT + 20 * HOUR, CAME - HOUR)])
@pytest.mark.parametrize("sleeps", [False, True])
def test_a_server_that_is_down_in_the_meantime_gives_that_time_once(context, game, down, sleeps):
    if sleeps:
        let_sleep(context, game)
    go_down(context, *down)
    come_back(context)
    asleep = (7 + 8) * HOUR if sleeps else 0 * HOUR  # it goes on at 23:00, for 31 hours by day
    assert game_row(context, game).deadline == CAME + 31 * HOUR + asleep


def test_a_turn_that_was_nearly_over_then_has_ten_minutes_and_not_the_time_before_the_server_was_down(
    context, game
):
    """It is caught up once all are there again, by which nobody gains what has passed before."""
    with context.writing() as session:
        session.get_one(Game, game).deadline = WENT + 2 * MINUTE
        session.commit()
    go_down(context, WENT + 10 * HOUR, WENT + 20 * HOUR)
    come_back(context)
    assert game_row(context, game).deadline == CAME + 10 * MINUTE


@pytest.mark.parametrize("is_down", [False, True])
@pytest.mark.parametrize("sleeps", [False, True])
def test_time_that_others_give_to_a_turn_which_began_then_stays_given(context, game, sleeps, is_down):
    play_turn(context, game, game_row(context, game).after, bots.stand_in, "web", WENT + HOUR)
    if sleeps:
        let_sleep(context, game)
    begin_time(context, game, WENT + 2 * HOUR)  # on the page
    before = game_row(context, game).deadline
    committed(context, WENT + 3 * HOUR, give_more_time, game)
    hours = EXTENSION_HOURS * HOUR
    assert game_row(context, game).deadline - before >= hours
    if is_down:
        go_down(context, WENT + 10 * HOUR, WENT + 20 * HOUR)
    come_back(context)
    row = game_row(context, game)
    assert row.turn_began_at == CAME
    assert time_left(row, CAME, unavailable_spans_of_mover(context, row)) == 36 * HOUR + hours
