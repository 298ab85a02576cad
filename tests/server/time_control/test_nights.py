"""Reminders, by the time that is counted; and nights, in which no turn ends and no reminder comes."""

from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.clock import tick
from server.lobby.votes import nudge
from server.outbox.queue import open_unit
from server.store.models import OutgoingLetter
from server.store.turn_clock import find_deadline, find_times, rest_from
from server.turn_time import (
    MORNING,
    NIGHT_ENDS,
    Availability,
    Vacation,
    add_counted,
    after_protected,
    always_available,
    clip_intervals,
    count_back,
    count_time,
    list_reminders,
    night_of,
    passed_marks,
    protected_intervals,
    within_turn,
)
from tests.server.desk import NOON

HOUR = timedelta(hours=1)
AMSTERDAM = "Europe/Amsterdam"
ZONES = (AMSTERDAM, "Pacific/Auckland", "America/St_Johns", "Asia/Kathmandu", "America/Santiago")


def is_at_night(moment, zone, begins=time(22), ends=time(8)):
    shown = moment.astimezone(ZoneInfo(zone)).time()
    if begins <= ends:
        return begins <= shown < ends
    return shown >= begins or shown < ends


@pytest.mark.parametrize(
    ("zone", "hours", "ends"),
    [
        (AMSTERDAM, 32, 32),  # begun at 13:00, it ends at 21:00
        (AMSTERDAM, 33, 44),  # 22:00 on the second day: 9:00 on the third
        (AMSTERDAM, 40, 44),
        (AMSTERDAM, 43, 44),  # an hour after the night at the earliest
        (AMSTERDAM, 48, 48),
        (AMSTERDAM, 12, 20),
        (AMSTERDAM, 11, 11),  # short turns go on at night
        ("America/New_York", 12, 12),
        ("America/New_York", 16, 26),
        ("UTC", 36, 36),  # a zone that is not known has no night
    ],
)
def test_a_deadline_at_night_moves_to_the_morning(context, zone, hours, ends):
    game = context.start_game("Anna", "Ben", hours=hours)
    context.set_preferences(game, context.mover(game), everywhere=True, zone=zone)
    context.begin_time(game)
    with context.reading() as session:
        row = context.game_row(game)
        assert find_deadline(session, row, NOON) == NOON + ends * HOUR
        assert find_times(session, row, None, NOON)[0] == NOON + ends * HOUR
    seat = row.seat
    for moment in (hours * HOUR, ends * HOUR - timedelta(seconds=1)):
        tick(context, NOON + min(moment, ends * HOUR - timedelta(seconds=1)))
    assert context.game_row(game).seat == seat
    tick(context, NOON + ends * HOUR)
    assert context.game_row(game).seat != seat


def test_hours_of_sleep_take_the_place_of_the_night():
    owl = Availability(AMSTERDAM, time(3), time(11))
    assert night_of(owl) == night_of(owl, MORNING) == owl
    assert night_of(Availability(AMSTERDAM)) == Availability(AMSTERDAM, time(22), time(8))
    assert night_of(Availability("UTC")) == Availability("UTC")


def test_no_letter_of_a_turn_of_a_week_comes_at_night(context):
    game = context.start_game("Anna", "Ben", hours=61)
    context.set_preferences(game, context.mover(game), everywhere=True, zone=AMSTERDAM)
    context.begin_time(game)
    for hour in (24, 30, 32, 36, 44, 45, 46, 53, 56, 60, 61, 67, 68):
        now = NOON + hour * HOUR
        if hour == 45:
            with open_unit(context, now) as unit:
                nudge(unit, game, 1 - context.game_row(game).seat)
                unit.commit()
        tick(context, now)
    rows = context.rows_of(OutgoingLetter, OutgoingLetter.kind == "reminder")
    assert len(rows) == 3
    assert not any(is_at_night(row.due_at, AMSTERDAM) for row in rows)


@st.composite
def absences(draw):
    first = date(2026, 3, 1) + timedelta(days=draw(st.integers(-5, 40)))
    return Vacation(first, first + timedelta(days=draw(st.integers(0, 30))))


@given(
    st.sampled_from(ZONES),
    st.lists(absences(), max_size=3),
    st.none() | st.tuples(st.integers(0, 23), st.integers(1, 12)),
    st.frozensets(st.integers(0, 6), max_size=5),
    st.integers(0, 60 * 24 * 60),
    st.integers(12, 24 * 14),
)
def test_neither_a_deadline_nor_a_reminder_nor_a_nudge_falls_into_a_night(
    zone, vacations, sleep, days_off, minutes, hours
):
    begins = time(22) if sleep is None else time(sleep[0])
    ends = time(8) if sleep is None else time((sleep[0] + sleep[1]) % 24)
    slept = (None, None) if sleep is None else (begins, ends)
    told = Availability(zone, *slept, days_off=days_off, vacations=tuple(vacations))
    began = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    protected = within_turn(partial(protected_intervals, told), began)
    resting, until_morning = (rest_from(hours * 60, told, began, end) for end in (NIGHT_ENDS, MORNING))
    whole = hours * HOUR
    counted = add_counted(began, whole, protected)
    deadline = after_protected(counted, until_morning)
    reminders = [one.at for one in list_reminders(whole, deadline, protected, resting)]
    assert deadline >= counted, "never earlier than without the night"
    assert deadline >= began + whole
    assert all(began < at < deadline for at in reminders)
    for moment in (deadline, *reminders, after_protected(began, resting)):
        assert not is_at_night(moment, zone, begins, ends)


# --- reminders -------------------------------------------------------------------------------------------


def hours_of(whole, deadline, unavailable, resting):
    return [(one.at - NOON) / HOUR for one in list_reminders(whole, deadline, unavailable, resting)]


def during(*spans):
    moments = [(NOON + begins * HOUR, NOON + ends * HOUR) for begins, ends in spans]
    return lambda since, until: clip_intervals(moments, since, until)


NIGHT, NIGHTS = [(10, 18)], [(10, 20), (34, 44)]


@pytest.mark.parametrize(
    ("length", "ends", "uncounted", "rest", "hours"),
    [
        (48, 48, [], [], [24, 42]),  # at half of the time, and when an eighth is left
        (8, 8, [], [], [4, 7]),
        (240, 240, [], [], [120, 210]),
        (20, 28, NIGHT, NIGHT, [18, 25.5]),  # the first waits for the end of uncounted sleep
        (48, 48, [], NIGHTS, [24, 44]),  # the second would come at six in the morning, with six hours left
        (30, 30, [], NIGHTS, [20, 26.25]),
        (22, 22, [], NIGHTS, [9, 20]),  # in the morning two hours are left: late for the first alone
        (21, 21, [], NIGHTS, [9, 9]),
        (12, 22, [], NIGHTS[:1], [20, 20.5]),  # the turn began at night
    ],
)
def test_two_come_and_at_night_before_it_where_the_morning_is_late(length, ends, uncounted, rest, hours):
    assert hours_of(length * HOUR, NOON + ends * HOUR, during(*uncounted), during(*rest)) == hours


def test_what_has_passed_is_stored_by_marks():
    found = list_reminders(48 * HOUR, NOON + 48 * HOUR, always_available, always_available)
    assert [passed_marks(found, NOON + hour * HOUR) for hour in (23, 24, 41, 42)] == [0, 1, 1, 3]


SPANS = st.lists(st.tuples(st.integers(-10, 200), st.integers(1, 30)), max_size=5)


@given(SPANS, st.integers(-20, 200), st.integers(0, 200))
def test_time_that_is_counted_back_is_counted_again(nights, since, hours):
    unavailable = during(*((since, since + lasted) for since, lasted in nights))
    at = NOON + since * HOUR
    back = count_back(at, hours * HOUR, unavailable)
    assert count_time(back, at, unavailable) == hours * HOUR
    assert count_time(back - HOUR / 60, at, unavailable) >= hours * HOUR
    assert count_time(back + HOUR / 60, at, unavailable) < hours * HOUR or not hours


@given(SPANS, st.integers(1, 48))
def test_none_lies_in_what_is_protected(nights, hours):
    spans = [(since, since + lasted) for since, lasted in nights]
    unavailable = during(*spans)
    deadline = add_counted(NOON, hours * HOUR, unavailable)
    found = hours_of(hours * HOUR, deadline, unavailable, unavailable)
    assert found == sorted(found)
    assert not any(since <= at < until for at in found for since, until in spans)
    assert all(0 < at < (deadline - NOON) / HOUR for at in found)
