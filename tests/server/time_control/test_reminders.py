"""Reminders: two, by the time that is counted, and never while their reader rests."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.time_control.availability import clip_intervals
from server.time_control.turn_time import (
    add_counted,
    always_available,
    count_back,
    count_time,
    list_reminders,
    passed_marks,
)

NOON, HOUR = datetime(2027, 3, 1, 12, tzinfo=UTC), timedelta(hours=1)


def hours_of(whole, deadline, unavailable, resting):
    return [(one.at - NOON) / HOUR for one in list_reminders(whole, deadline, unavailable, resting)]


def during(*spans):
    moments = [(NOON + begins * HOUR, NOON + ends * HOUR) for begins, ends in spans]
    return lambda since, until: clip_intervals(moments, since, until)


@pytest.mark.parametrize(("length", "hours"), [(48, [24, 42]), (8, [4, 7]), (240, [120, 210])])
def test_one_comes_at_half_of_the_time_and_one_when_an_eighth_is_left(length, hours):
    found = hours_of(length * HOUR, NOON + length * HOUR, always_available, always_available)
    assert found == hours


def test_what_has_passed_is_stored_by_marks():
    found = list_reminders(48 * HOUR, NOON + 48 * HOUR, always_available, always_available)
    assert [passed_marks(found, NOON + hour * HOUR) for hour in (23, 24, 41, 42)] == [0, 1, 1, 3]


def test_one_that_would_come_in_uncounted_sleep_waits_until_its_end():
    night = during((10, 18))
    assert hours_of(20 * HOUR, NOON + 28 * HOUR, night, night) == [18, 25.5]


@pytest.mark.parametrize(
    ("length", "hours"),
    [
        (48, [24, 44]),  # the second would come at six in the morning, with six hours left
        (30, [20, 26.25]),
        (22, [9, 20]),  # in the morning two hours are left: late for the first, in time for the second
        (21, [9, 9]),
    ],
)
def test_one_that_would_come_at_night_comes_before_it_where_the_morning_is_late(length, hours):
    nights = during((10, 20), (34, 44))
    assert hours_of(length * HOUR, NOON + length * HOUR, always_available, nights) == hours


def test_a_turn_that_began_at_night_is_reminded_of_in_the_morning():
    assert hours_of(12 * HOUR, NOON + 22 * HOUR, always_available, during((10, 20))) == [20, 20.5]


@given(
    st.lists(st.tuples(st.integers(-10, 200), st.integers(1, 30)), max_size=5),
    st.integers(-20, 200),
    st.integers(0, 200),
)
def test_time_that_is_counted_back_is_counted_again(nights, since, hours):
    unavailable = during(*((since, since + lasted) for since, lasted in nights))
    at = NOON + since * HOUR
    back = count_back(at, hours * HOUR, unavailable)
    assert count_time(back, at, unavailable) == hours * HOUR
    assert count_time(back - HOUR / 60, at, unavailable) >= hours * HOUR
    assert count_time(back + HOUR / 60, at, unavailable) < hours * HOUR or not hours


@given(st.lists(st.tuples(st.integers(-10, 200), st.integers(1, 30)), max_size=5), st.integers(1, 48))
def test_none_lies_in_what_is_protected(nights, hours):
    spans = [(since, since + lasted) for since, lasted in nights]
    unavailable = during(*spans)
    deadline = add_counted(NOON, hours * HOUR, unavailable)
    found = hours_of(hours * HOUR, deadline, unavailable, unavailable)
    assert found == sorted(found)
    assert not any(since <= at < until for at in found for since, until in spans)
    assert all(0 < at < (deadline - NOON) / HOUR for at in found)
