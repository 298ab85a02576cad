"""Reminders: as many as are wanted, by the time that is counted, and never in what is protected."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.wording.times.reminder_times import USUAL_REMINDERS, ReminderTime
from server.time_control.reminders import list_marked, passed_reminders, reminder_moments
from server.time_control.spans import clip_spans
from server.time_control.turn_time import add_counted, always_available, count_back, count_time

NOON, HOUR = datetime(2027, 3, 1, 12, tzinfo=UTC), timedelta(hours=1)


HALF, QUARTER, EIGHTH, DAY, HOURS = ReminderTime


def moments(whole, deadline, wanted, unavailable):
    return [(one.which, one.at) for one in reminder_moments(whole, deadline, wanted, unavailable)]


@pytest.mark.parametrize(
    ("length", "wanted", "hours"),
    [
        (48, (), []),
        (48, (EIGHTH,), [(EIGHTH, 42)]),
        (48, USUAL_REMINDERS, [(HALF, 24), (EIGHTH, 42)]),
        (48, (QUARTER, DAY, HOURS), [(DAY, 24), (QUARTER, 36), (HOURS, 45)]),
        (8, tuple(ReminderTime), [(HALF, 4), (HOURS, 5), (QUARTER, 6), (EIGHTH, 7)]),
        (3, (DAY, HOURS), []),
        (240, (EIGHTH, DAY), [(EIGHTH, 210), (DAY, 216)]),
    ],
)
def test_those_come_that_are_wanted_and_none_of_more_time_than_the_turn_has(length, wanted, hours):
    found = moments(length * HOUR, NOON + length * HOUR, wanted, always_available)
    assert found == [(which, NOON + hour * HOUR) for which, hour in hours]


def test_what_has_passed_is_kept_by_marks_whether_it_was_wanted_or_not():
    passed = passed_reminders(48 * HOUR, NOON + 48 * HOUR, NOON + 36 * HOUR, always_available)
    assert list_marked(passed) == (HALF, QUARTER, DAY)
    assert [list_marked(old) for old in (1, 2)] == [(HALF,), (EIGHTH,)]


def test_one_that_would_come_at_night_waits_until_the_morning():
    night = ((NOON + 10 * HOUR, NOON + 18 * HOUR),)

    def unavailable(since, until):
        return clip_spans(night, since, until)

    found = moments(20 * HOUR, NOON + 28 * HOUR, USUAL_REMINDERS, unavailable)
    assert found == [(HALF, NOON + 18 * HOUR), (EIGHTH, NOON + 25.5 * HOUR)]


def test_three_hours_before_are_hours_in_which_time_runs():
    night = ((NOON + 10 * HOUR, NOON + 18 * HOUR),)

    def unavailable(since, until):
        return clip_spans(night, since, until)

    [(_, at)] = moments(12 * HOUR, NOON + 20 * HOUR, (HOURS,), unavailable)
    assert at == NOON + 9 * HOUR


@given(
    st.lists(st.tuples(st.integers(-10, 200), st.integers(1, 30)), max_size=5),
    st.integers(-20, 200),
    st.integers(0, 200),
)
def test_time_that_is_counted_back_is_counted_again(nights, since, hours):
    spans = [(NOON + since * HOUR, NOON + (since + lasted) * HOUR) for since, lasted in nights]

    def unavailable(since, until):
        return clip_spans(spans, since, until)

    at = NOON + since * HOUR
    back = count_back(at, hours * HOUR, unavailable)
    assert count_time(back, at, unavailable) == hours * HOUR
    assert count_time(back - HOUR / 60, at, unavailable) >= hours * HOUR
    assert count_time(back + HOUR / 60, at, unavailable) < hours * HOUR or not hours


@given(st.lists(st.tuples(st.integers(-10, 200), st.integers(1, 30)), max_size=5), st.integers(1, 48))
def test_none_lies_in_what_is_protected(nights, hours):
    spans = [(NOON + since * HOUR, NOON + (since + lasted) * HOUR) for since, lasted in nights]

    def unavailable(since, until):
        return clip_spans(spans, since, until)

    deadline = add_counted(NOON, hours * HOUR, unavailable)
    found = [at for _, at in moments(hours * HOUR, deadline, ReminderTime, unavailable)]
    assert found == sorted(found)
    assert not any(since <= at < until for at in found for since, until in spans)
    assert all(NOON < at < deadline for at in found)
