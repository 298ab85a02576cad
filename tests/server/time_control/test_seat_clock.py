"""The laws of the clock of a seat, against one that is counted minute by minute."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from emails.terms import TurnTime
from server.turn_time import (
    CATCH_UP,
    MOST_PROTECTED,
    TimeControl,
    add_counted,
    clip_intervals,
    count_time,
    deadline_after_change,
    deadline_after_loss,
    within_turn,
)
from tests.breadth import times
from tests.server.time_control.seat_clock import ClockHistory, TurnTaken, due, remaining

NOON, MINUTE, HOUR = datetime(2027, 3, 1, 12, tzinfo=UTC), timedelta(minutes=1), timedelta(hours=1)
CONTROL = TimeControl(grace=60 * MINUTE, bank=90 * MINUTE, refill=5 * MINUTE)


def at(minute):
    return NOON + minute * MINUTE


def spans(most):
    one = st.tuples(st.integers(0, 400), st.integers(1, 60)).map(lambda two: (at(two[0]), at(sum(two))))
    return st.lists(one, max_size=most).map(tuple)


def unavailable_times_of(protected):
    return lambda since, until: clip_intervals(protected, since, until)


@st.composite
def histories(draw):
    """Up to four turns of a seat, the last of which may go on, with time that is nobody's."""
    edges = sorted(draw(st.sets(st.integers(0, 400), min_size=1, max_size=8)))
    turns = []
    for number in range(0, len(edges), 2):
        ended = at(edges[number + 1]) if number + 1 < len(edges) else None
        given_at = draw(st.integers(edges[number], edges[number] + 80))
        gift = draw(st.sampled_from([(), ((at(given_at), 30 * MINUTE),)]))
        turns.append(TurnTaken(at(edges[number]), ended, gift))
    return ClockHistory(CONTROL, tuple(turns), draw(spans(3)), draw(spans(2)))


def counted_by_minutes(history, protected, now):
    """What is left, of the grace and of the bank, by going through all minutes."""
    bank = history.control.bank
    for turn in history.turns:
        grace, minute, before = history.control.grace, turn.began, bank
        until = turn.ended or now
        over = False
        while minute < until and not over:
            grace += sum((time for given_at, time in turn.given if given_at == minute), timedelta(0))
            if any(ends == minute for _, ends in history.down):
                grace = max(grace, CATCH_UP - bank)
            minute += MINUTE
            free = any(a < minute <= b for a, b in (*protected, *history.lost, *history.down))
            if not free and grace:
                grace -= MINUTE
            elif not free and bank:
                bank -= MINUTE
            over = not (grace or bank)
        if not over and minute == until:
            grace += sum((time for given_at, time in turn.given if given_at == minute), timedelta(0))
            if any(ends == minute for _, ends in history.down):
                grace = max(grace, CATCH_UP - bank)
        if turn.ended is None:
            return grace, bank
        bank = history.control.bank_after(before, grace + bank)
    return history.control.grace, bank


@settings(max_examples=times(5))
@given(histories(), spans(4), st.integers(0, 700))
def test_what_is_left_is_what_counting_minutes_leaves(history, protected, minute):
    left = remaining(history, unavailable_times_of(protected), max(at(minute), history.turns[-1].began))
    counted = counted_by_minutes(history, protected, max(at(minute), history.turns[-1].began))
    assert (left.grace, left.bank) == counted


@settings(max_examples=times(3))
@given(histories(), spans(4))
def test_time_is_up_at_the_first_moment_at_which_none_is_left(history, protected):
    unavailable, running = unavailable_times_of(protected), history.turns[-1]
    end = due(history, unavailable, running.began)
    if running.ended is not None:
        assert end is None
        return
    assert remaining(history, unavailable, end).whole == timedelta(0)
    assert end == running.began or remaining(history, unavailable, end - MINUTE).whole > timedelta(0)
    nobodys = (*protected, *history.lost, *history.down)
    assert not any(since < end <= until for since, until in nobodys)


@given(st.lists(st.tuples(st.integers(0, 400), st.booleans()), max_size=20))
def test_a_bank_lies_between_nothing_and_its_first_value_and_refills_for_turns_in_time(turns):
    bank = CONTROL.bank
    for taken, by_player in turns:
        left = max(CONTROL.grace + bank - taken * MINUTE, 0 * MINUTE)
        after = CONTROL.bank_after(bank, left, by_player=by_player)
        back = after - min(bank, left)
        assert 0 * MINUTE <= after <= CONTROL.bank
        assert back == 0 * MINUTE or (by_player and left > 0 * MINUTE and 0 * MINUTE < back <= CONTROL.refill)
        bank = after


@settings(max_examples=times(3))
@given(spans(4), st.integers(1, 150), st.integers(0, 100), st.integers(1, 300))
def test_a_stored_deadline_that_is_moved_is_the_one_that_is_worked_out(protected, minutes, since, lasted):
    unavailable, control = unavailable_times_of(protected), TimeControl(minutes * MINUTE)
    deadline, lost = add_counted(NOON, control.grace, unavailable), (at(since), at(since + lasted))
    if lost[0] < deadline:
        moved = deadline_after_loss(deadline, lost, NOON, unavailable)
        assert moved == due(ClockHistory(control, (TurnTaken(NOON),), (lost,)), unavailable, lost[1])


@given(spans(4), spans(4), st.integers(0, 100), st.integers(1, 300))
def test_changed_availability_leaves_as_much_time_as_there_was(before, after, now, minutes):
    deadline, had, has = at(now + minutes), unavailable_times_of(before), unavailable_times_of(after)
    moved = deadline_after_change(deadline, at(now), NOON, had, has)
    assert count_time(at(now), moved, has) == count_time(at(now), deadline, had)
    assert deadline_after_change(moved, at(now), NOON, has, has) == moved


def always(since, until):
    return ((since, until),)


def test_who_is_always_away_is_waited_for_no_longer_than_the_most():
    protected = within_turn(always, NOON)
    assert add_counted(NOON, 5 * HOUR, protected) == NOON + MOST_PROTECTED + 5 * HOUR
    assert count_time(NOON, NOON + MOST_PROTECTED + 5 * HOUR, protected) == 5 * HOUR
    ends = due(ClockHistory(CONTROL, (TurnTaken(NOON),)), always, NOON)
    assert ends == NOON + MOST_PROTECTED + 150 * MINUTE


long_spans = st.lists(
    st.tuples(st.integers(0, 400), st.integers(1, 92)).map(
        lambda two: (NOON + two[0] * 24 * HOUR, NOON + sum(two) * 24 * HOUR)
    ),
    max_size=4,
).map(tuple)
changes = st.lists(
    st.tuples(st.sampled_from([5 * MINUTE, HOUR, 24 * HOUR, 2000 * HOUR]), long_spans), max_size=8
)


@settings(max_examples=times(5))
@given(long_spans, changes, st.sampled_from([1, 24, 300]), st.integers(0, 2))
def test_no_turn_waits_longer_than_its_bound_however_often_its_player_wishes_otherwise(
    unavailable, others, hours, gifts
):
    """Each change comes a while before the deadline, and leaves no less than there was."""
    control = TimeControl.of(TurnTime.of_hours(hours, bank=hours))
    given = tuple((at(number), HOUR) for number in range(1, gifts + 1))
    history, most = ClockHistory(control, (TurnTaken(NOON, given=given),)), (2 * hours + gifts) * HOUR
    for before, other in others:
        end = due(history, unavailable_times_of(unavailable), at(gifts + 1))
        changed = max(end - before, at(gifts + 1), *(told_at for told_at, _ in history.told), NOON)
        left = remaining(history, unavailable_times_of(unavailable), changed).whole
        if any(told_at == changed for told_at, _ in history.told) or changed >= end:
            continue
        history = replace(history, told=(*history.told, (changed, unavailable_times_of(other))))
        assert remaining(history, unavailable_times_of(unavailable), changed).whole >= left
        assert due(history, unavailable_times_of(unavailable), changed) <= NOON + MOST_PROTECTED + most
