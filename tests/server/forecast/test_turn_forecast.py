"""When a turn comes: later through more seats, never after all time is up, and untold where nobody knows."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import process_time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.forecast.answer_counts import AnswerCounts, count_wait
from server.forecast.rates import KNOWN_OF_ALL, KNOWN_OF_ONE, Rates, fit_mean, fit_rates
from server.forecast.turn_forecast import HORIZON, STEP, SeatAhead, forecast_turn
from tests.server.forecast.habits import ZONES

AMSTERDAM, TOKYO = ZoneInfo("Europe/Amsterdam"), ZoneInfo("Asia/Tokyo")
MONDAY = datetime(2026, 8, 3, 8, tzinfo=UTC)
"""Ten in the morning in Amsterdam."""
DAY = timedelta(days=1)


def counts_of(hour: int, answers: int = 30, zone: ZoneInfo = AMSTERDAM, after: int = 12) -> AnswerCounts:
    """Of somebody who always answers at an hour of theirs what came so many hours before."""
    counts = AnswerCounts()
    for day in range(answers):
        answer = datetime(2026, 6, 1, hour, 30, tzinfo=zone) + day * DAY
        counts = count_wait(counts, answer - timedelta(hours=after), answer, zone, is_answered=True)
    return counts


def seat(
    hour: int, answers: int = 30, zone: ZoneInfo = AMSTERDAM, limit: timedelta | None = 3 * DAY
) -> SeatAhead:
    return SeatAhead(fit_rates(counts_of(hour, answers, zone), Rates()), zone, limit)


def test_ben_answers_in_the_evening() -> None:
    told = forecast_turn([seat(21)], MONDAY, MONDAY + 3 * DAY, MONDAY)
    assert told is not None
    assert told.low <= told.median <= told.high
    assert told.median.astimezone(AMSTERDAM).date() == MONDAY.date()
    assert told.median.astimezone(AMSTERDAM).hour in (21, 22)


def test_the_clock_of_whoever_is_waited_for_counts() -> None:
    told = forecast_turn([seat(21, zone=TOKYO)], MONDAY, MONDAY + 3 * DAY, MONDAY)
    assert told is not None
    assert told.median.astimezone(TOKYO).hour in (21, 22)


def test_two_seats_take_longer_than_one() -> None:
    one, two = (forecast_turn([seat(21)] * number, MONDAY, MONDAY + 3 * DAY, MONDAY) for number in (1, 2))
    assert one is not None
    assert two is not None
    assert two.median - one.median > timedelta(hours=1)
    assert two.high - one.high > timedelta(hours=18)  # the next evening


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_turn_comes_when_all_time_is_up_at_the_latest(number: int) -> None:
    never = SeatAhead(Rates(by_cell=(1e-4,) * 96, is_known=True), AMSTERDAM, DAY)
    told = forecast_turn([never] * number, MONDAY, MONDAY + DAY, MONDAY)
    assert told is not None
    for moment in (told.low, told.high):
        assert abs(moment - (MONDAY + number * DAY)) <= 2 * STEP


HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("begins", "ends", "later"),
    [(0, 20, 0), (0, 30, 6), (30, 54, 24), (46, 58, 12), (49, 60, 0)],
    ids=["before it", "as it comes", "within it", "at its end", "after it"],
)
def test_rest_puts_off_the_end_of_a_turn_that_it_lies_in(begins: int, ends: int, later: int) -> None:
    never = SeatAhead(Rates(by_cell=(1e-4,) * 96, is_known=True), AMSTERDAM, DAY)
    rests = replace(never, rest=[(MONDAY + begins * HOUR, MONDAY + ends * HOUR)])
    told = forecast_turn([never, rests], MONDAY, MONDAY + DAY, MONDAY)
    assert told is not None
    for moment in (told.low, told.high):
        assert abs(moment - (MONDAY + 2 * DAY + later * HOUR)) <= 2 * STEP


def test_who_rests_may_answer_all_the_same() -> None:
    rests = replace(seat(21), rest=[(MONDAY, MONDAY + 3 * DAY)])
    told = forecast_turn([seat(21), rests], MONDAY, MONDAY + 3 * DAY, MONDAY)
    assert told == forecast_turn([seat(21)] * 2, MONDAY, MONDAY + 3 * DAY, MONDAY)


def test_time_that_is_up_is_no_time() -> None:
    told = forecast_turn([seat(21)], MONDAY - 2 * DAY, MONDAY - DAY, MONDAY)
    assert told is not None
    assert told.high - MONDAY <= STEP


def test_of_whom_nothing_is_known_nothing_is_told() -> None:
    asked = MONDAY, MONDAY + 3 * DAY, MONDAY
    assert forecast_turn([], *asked) is None
    assert forecast_turn([seat(21, KNOWN_OF_ONE - 1)], *asked) is None
    assert forecast_turn([seat(21, KNOWN_OF_ONE)], *asked) is not None
    assert forecast_turn([seat(21), seat(21, 0)], *asked) is None


def test_who_is_new_is_taken_to_be_as_all_are() -> None:
    mean = fit_mean(counts_of(21, KNOWN_OF_ALL))
    new = SeatAhead(fit_rates(AnswerCounts(), mean), AMSTERDAM, 3 * DAY)
    told = forecast_turn([new], MONDAY, MONDAY + 3 * DAY, MONDAY)
    assert told is not None
    assert told.median.astimezone(AMSTERDAM).hour in (21, 22)
    few = fit_mean(counts_of(21, KNOWN_OF_ALL - 1))
    assert not fit_rates(AnswerCounts(), few).is_known


def test_without_a_limit_what_lies_beyond_the_horizon_is_not_told() -> None:
    never = SeatAhead(Rates(by_cell=(1e-4,) * 96, is_known=True), AMSTERDAM, None)
    assert forecast_turn([never], MONDAY, None, MONDAY) is None
    assert forecast_turn([seat(21, limit=None)] * 2, MONDAY, None, MONDAY) is not None


@given(
    st.lists(
        st.tuples(st.integers(0, 23), st.sampled_from(ZONES), st.integers(1, 336)), min_size=1, max_size=3
    ),
    st.integers(0, 400),
    st.integers(0, 14 * 24 * 60),
)
def test_a_forecast_is_an_interval_that_begins_now_at_the_earliest(
    seats: list[tuple[int, str, int]], waited: int, left: int
) -> None:
    ahead = [seat(hour, 5, ZoneInfo(zone), timedelta(hours=limit)) for hour, zone, limit in seats]
    until = MONDAY + timedelta(minutes=left)
    asked = ahead, MONDAY - timedelta(hours=waited), until, MONDAY
    told = forecast_turn(*asked)
    if told is not None:
        assert MONDAY <= told.low <= told.median <= told.high
        latest = until + sum((one.limit or DAY for one in ahead[1:]), timedelta()) + 2 * len(ahead) * STEP
        assert told.high <= min(latest, MONDAY + HORIZON * STEP)
        assert told == forecast_turn(*asked)


def test_it_takes_a_few_milliseconds() -> None:
    ahead = [seat(hour, limit=14 * DAY) for hour in (9, 14, 21)]
    began = process_time()
    for _ in range(5):
        assert forecast_turn(ahead, MONDAY, MONDAY + 14 * DAY, MONDAY) is not None
    took = (process_time() - began) / 5
    sys.stdout.write(f"a forecast through three seats of a fortnight each takes {took * 1000:.1f} ms\n")
    assert took < 0.1
