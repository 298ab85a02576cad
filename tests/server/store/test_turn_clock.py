"""The time for a turn: when it begins, and what is not counted of it."""

from datetime import timedelta

import pytest
from sqlmodel import text, update

from server.store import schedule, turn_clock
from server.store.models import OutgoingLetter
from server.store.schedule import AT_ONCE, games_due
from server.store.states import MomentName
from tests.server.desk import NOON

HOUR = timedelta(hours=1)


@pytest.fixture
def game(context):
    game = context.start_game("Anna", "Ben", hours=48)
    context.change_game(game, turn_began_at=None, deadline=None, due_at=None)
    return game


def do(context, work, *arguments, **named):
    with context.changing() as session:
        return work(session, *arguments, **named)


def begin(context, game, seat=0, turn=1, at=NOON + HOUR):
    return do(context, turn_clock.begin_turn_clock, game, seat, turn, at)


def times(context, game):
    row = context.game_row(game)
    return row.turn_began_at, row.deadline


def test_the_time_for_a_turn_begins_once(context, game):
    assert begin(context, game)
    assert times(context, game) == (NOON + HOUR, NOON + 49 * HOUR)
    assert context.game_row(game).due_at == AT_ONCE
    assert not begin(context, game, at=NOON + 2 * HOUR)
    assert times(context, game) == (NOON + HOUR, NOON + 49 * HOUR)


@pytest.mark.parametrize("other", [{"turn": 2}, {"seat": 1}])
def test_a_letter_of_another_turn_begins_nothing(context, game, other):
    assert not begin(context, game, **other)
    assert times(context, game) == (None, None)


@pytest.mark.parametrize("values", [{"suspended_at": NOON}, {"turn_minutes": 0}, {"turn_began_at": NOON}])
def test_no_time_begins_where_none_runs(context, game, values):
    context.change_game(game, **values)
    assert not begin(context, game)
    assert context.game_row(game).deadline is None


def test_a_turn_that_began_in_lost_time_has_its_whole_time_after_it(context, game):
    begin(context, game, at=NOON + 2 * HOUR)
    do(context, turn_clock.give_back, (NOON + HOUR, NOON + 60 * HOUR))
    assert times(context, game) == (NOON + 60 * HOUR, NOON + 108 * HOUR)


@pytest.mark.file
@pytest.mark.parametrize("stored", ["'some day'", "CAST(x'ff' AS TEXT)"])
def test_a_moment_that_cannot_be_read_is_none_and_written_anew(context, stored):
    context.note_moment(MomentName.HEARTBEAT)
    with context.changing() as session:
        session.execute(text(f"UPDATE moment SET at = {stored}"))
    assert do(context, schedule.read_moment, MomentName.HEARTBEAT) is None
    context.note_moment(MomentName.HEARTBEAT)
    assert do(context, schedule.read_moment, MomentName.HEARTBEAT) == NOON


@pytest.mark.file
def test_a_game_whose_id_is_no_text_hides_no_other(context, game, caplog):
    begin(context, game)
    schedule.log_once.cache_clear()
    with context.changing() as session:
        session.execute(text("PRAGMA foreign_keys=OFF"))
        other = dict(session.execute(text("SELECT * FROM game")).mappings().one())
        names = ", ".join(other)
        values = ", ".join("CAST(x'ff' AS TEXT)" if name == "id" else name for name in other)
        session.execute(text(f"INSERT INTO game ({names}) SELECT {values} FROM game"))
    for _ in range(2):
        assert do(context, games_due, NOON) == [game]
    assert caplog.text.count("cannot be read") == 1
    do(context, turn_clock.give_back, (NOON, NOON + 2 * HOUR))
    do(context, turn_clock.give_grace, NOON + 60 * HOUR)
    assert times(context, game) == (NOON + 2 * HOUR, NOON + 60 * HOUR)


@pytest.mark.file
def test_a_limit_that_is_no_number_stops_no_other_clock(context, game):
    begin(context, game)
    other = context.start_game("Cleo", "Dirk", hours=48)
    begin(context, other)
    with context.changing() as session:
        session.execute(text("UPDATE game SET turn_minutes = 'many' WHERE id = :id"), {"id": other})
    do(context, turn_clock.give_back, (NOON, NOON + 2 * HOUR))
    assert times(context, game) == (NOON + 2 * HOUR, NOON + 50 * HOUR)
    do(context, turn_clock.give_grace, NOON + 60 * HOUR)
    assert times(context, game) == (NOON + 2 * HOUR, NOON + 60 * HOUR)


@pytest.mark.parametrize("days", [10, -10])
def test_what_letters_wait_for_moves_with_the_wall_clock(context, game, days):
    """There and back: as it was."""
    by, later = timedelta(days=days), NOON + HOUR
    with context.changing() as session:
        session.execute(update(OutgoingLetter).values(due_at=NOON + 3 * HOUR))
    second = timedelta(seconds=1)
    do(context, schedule.shift_waiting, by, (later + by - second, later + by))
    assert due(context) == {NOON + 3 * HOUR + by}
    do(context, schedule.shift_waiting, -by, (later, later + second))
    assert due(context) == {NOON + 3 * HOUR}


def test_a_clock_that_is_set_ahead_makes_no_letter_older(context, game):
    by, later = timedelta(days=10), NOON + HOUR
    do(context, schedule.shift_waiting, by, (later + by, later + by))
    assert set(context.rows_of(OutgoingLetter.queued_at)) == {NOON + by}


def due(context):
    return set(context.rows_of(OutgoingLetter.due_at))
