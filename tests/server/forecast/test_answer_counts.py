"""What is counted of a turn that waited: hours by the clock of its player, and neither moments nor words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from server.forecast.answer_counts import (
    CELLS,
    FRESH,
    HOURS,
    LONGEST_COUNTED,
    MOST_ANSWERS,
    AnswerCounts,
    add_counts,
    count_wait,
    cut_wait,
    find_cell,
)

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
AMSTERDAM = ZoneInfo("Europe/Amsterdam")
MOMENTS = st.integers(0, 700 * 24 * 60).map(lambda minutes: BEGIN + timedelta(minutes=minutes))
ZONES = st.sampled_from(("Europe/Amsterdam", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns"))
WAITS = st.timedeltas(timedelta(0), timedelta(days=40))


def cell_of(day: int, hour: int, *, is_fresh: bool = False) -> int:
    return find_cell(datetime(2026, 8, day, hour, tzinfo=AMSTERDAM), is_fresh)


def test_anna_answers_on_a_saturday_evening_what_came_in_the_afternoon() -> None:
    came = datetime(2026, 8, 1, 14, 30, tzinfo=UTC)  # 16:30 for her
    counts = count_wait(
        AnswerCounts(), came, came + timedelta(hours=3, minutes=50), AMSTERDAM, is_answered=True
    )
    assert [cell for cell, number in enumerate(counts.answers) if number] == [cell_of(1, 20)]
    waited = {cell: number for cell, number in enumerate(counts.quarters) if number}
    fresh = {cell_of(1, hour, is_fresh=True): 2 for hour in (16, 17)}
    later = {cell_of(1, hour): n for hour, n in ((17, 2), (18, 4), (19, 4))}
    assert waited == fresh | later | {cell_of(1, 20): 1}


def test_a_turn_whose_time_ran_out_was_waited_for_and_not_answered() -> None:
    came = datetime(2026, 8, 3, 8, tzinfo=UTC)
    counts = count_wait(AnswerCounts(), came, came + timedelta(hours=24), AMSTERDAM, is_answered=False)
    assert counts.total == 0
    assert sum(counts.quarters) == 4 * 24


def test_workdays_and_weekends_differ_and_days_of_the_week_do_not() -> None:
    monday, friday, sunday = (datetime(2026, 8, day, tzinfo=AMSTERDAM) for day in (3, 7, 9))
    assert find_cell(monday, False) == find_cell(friday, False) != find_cell(sunday, False)
    cells = {
        find_cell(day + timedelta(hours=n), new)
        for day in (monday, sunday)
        for n in range(24)
        for new in (0, 1)
    }
    assert {one % HOURS for one in cells} == set(range(HOURS))
    assert max(cells) < CELLS


@given(MOMENTS, WAITS, ZONES)
def test_the_pieces_of_a_wait_are_the_whole_of_it(since: datetime, wait: timedelta, zone: str) -> None:
    pieces = list(cut_wait(since, since + wait, ZoneInfo(zone)))
    assert sum((length for _, length in pieces), timedelta()) == min(wait, LONGEST_COUNTED)
    assert all(timedelta() <= length <= FRESH for _, length in pieces)
    assert len(pieces) <= LONGEST_COUNTED / FRESH + 3


@given(st.lists(st.tuples(MOMENTS, WAITS, st.booleans()), max_size=5), ZONES)
def test_no_count_is_negative_and_at_most_one_answer_is_added(waits: list, zone: str) -> None:
    counts = AnswerCounts()
    for since, wait, answered in waits:
        more = count_wait(counts, since, since + wait, ZoneInfo(zone), is_answered=answered)
        assert more.total - counts.total == (answered and wait <= LONGEST_COUNTED)
        counts = more
    assert min((*counts.answers, *counts.quarters)) >= 0


def test_a_clock_that_went_back_counts_as_no_wait() -> None:
    at = datetime(2026, 8, 3, 8, tzinfo=UTC)
    counts = count_wait(AnswerCounts(), at, at - timedelta(hours=2), AMSTERDAM, is_answered=True)
    assert (counts.total, sum(counts.quarters)) == (1, 1)


def test_counts_stay_small_and_newer_habits_count_for_more() -> None:
    counts, morning = AnswerCounts(), datetime(2026, 8, 3, 6, tzinfo=UTC)
    for _ in range(MOST_ANSWERS):
        counts = count_wait(counts, morning, morning + timedelta(hours=3), AMSTERDAM, is_answered=True)
    assert counts.total == MOST_ANSWERS
    for _ in range(MOST_ANSWERS):
        counts = count_wait(counts, morning, morning + timedelta(hours=13), AMSTERDAM, is_answered=True)
    assert counts.total <= MOST_ANSWERS
    at = {hour: counts.answers[cell_of(3, hour)] for hour in (10, 20)}
    assert at[20] > 2 * at[10] > 0


def test_those_of_all_are_those_of_each() -> None:
    at = datetime(2026, 8, 3, 8, tzinfo=UTC)
    one = count_wait(AnswerCounts(), at, at + timedelta(hours=5), AMSTERDAM, is_answered=True)
    both = add_counts([one, one])
    assert both.total == 2
    assert both.quarters == tuple(2 * number for number in one.quarters)
    assert add_counts([]) == AnswerCounts()
