"""Reminders: as many as are wanted, by the time that is counted, and never in what is protected."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.time_control.reminders import reminder_moments
from server.time_control.spans import clip_spans
from server.time_control.turn_time import add_counted, always_there, count_back, count_time

NOON, HOUR = datetime(2027, 3, 1, 12, tzinfo=UTC), timedelta(hours=1)


@pytest.mark.parametrize(("most", "hours"), [(0, {}), (1, {2: 42}), (2, {1: 24, 2: 42})])
def test_as_many_come_as_are_wanted(most, hours):
    found = dict(reminder_moments(48 * HOUR, NOON + 48 * HOUR, most, always_there))
    assert found == {number: NOON + hour * HOUR for number, hour in hours.items()}


def test_one_that_would_come_at_night_waits_until_the_morning():
    night = ((NOON + 10 * HOUR, NOON + 18 * HOUR),)

    def wishes(since, until):
        return clip_spans(night, since, until)

    found = dict(reminder_moments(20 * HOUR, NOON + 28 * HOUR, 2, wishes))
    assert found == {1: NOON + 18 * HOUR, 2: NOON + 25.5 * HOUR}


@given(
    st.lists(st.tuples(st.integers(-10, 200), st.integers(1, 30)), max_size=5),
    st.integers(-20, 200),
    st.integers(0, 200),
)
def test_time_that_is_counted_back_is_counted_again(nights, since, hours):
    spans = [(NOON + since * HOUR, NOON + (since + lasted) * HOUR) for since, lasted in nights]

    def wishes(since, until):
        return clip_spans(spans, since, until)

    at = NOON + since * HOUR
    back = count_back(at, hours * HOUR, wishes)
    assert count_time(back, at, wishes) == hours * HOUR
    assert count_time(back - HOUR / 60, at, wishes) >= hours * HOUR
    assert count_time(back + HOUR / 60, at, wishes) < hours * HOUR or not hours


@given(st.lists(st.tuples(st.integers(-10, 200), st.integers(1, 30)), max_size=5), st.integers(1, 48))
def test_none_lies_in_what_is_protected(nights, hours):
    spans = [(NOON + since * HOUR, NOON + (since + lasted) * HOUR) for since, lasted in nights]

    def wishes(since, until):
        return clip_spans(spans, since, until)

    deadline = add_counted(NOON, hours * HOUR, wishes)
    moments = [at for _, at in reminder_moments(hours * HOUR, deadline, 2, wishes)]
    assert moments == sorted(moments)
    assert not any(since <= at < until for at in moments for since, until in spans)
    assert all(NOON < at < deadline for at in moments)
