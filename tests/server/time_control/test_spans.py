"""Spans of time, against the minutes that are in them."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from server.time_control.availability import clip_spans, measure_spans, merge_spans, subtract_spans

NOON, MINUTE = datetime(2027, 3, 1, 12, tzinfo=UTC), timedelta(minutes=1)
SPANS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 60)).map(
        lambda one: (NOON + one[0] * MINUTE, NOON + one[1] * MINUTE)
    ),
    max_size=6,
)


def minutes(spans):
    """The minutes that are in some spans, each by its end."""
    return {number for number in range(62) if any(a < NOON + number * MINUTE <= b for a, b in spans)}


@given(SPANS)
def test_merged_spans_are_the_same_time_in_order_and_do_not_touch(spans):
    merged = merge_spans(spans)
    assert minutes(merged) == minutes(spans)
    edges = [edge for span in merged for edge in span]
    assert edges == sorted(set(edges))
    assert measure_spans(spans) == len(minutes(spans)) * MINUTE


@given(SPANS, SPANS)
def test_what_is_taken_from_spans_is_not_in_them(spans, without):
    rest = subtract_spans(spans, without)
    assert minutes(rest) == minutes(spans) - minutes(without)
    assert rest == merge_spans(rest)


@given(SPANS, st.integers(0, 60), st.integers(0, 60))
def test_clipped_spans_lie_between_two_moments(spans, since, until):
    clipped = clip_spans(spans, NOON + since * MINUTE, NOON + until * MINUTE)
    assert minutes(clipped) == {one for one in minutes(spans) if since < one <= until}
