"""When a player's clock stands still: by the clock of their zone, over both changes of summer time."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.turn_time import (
    LONGEST_LOOK_AHEAD,
    Availability,
    Interval,
    Vacation,
    came_home,
    clip_intervals,
    count_time,
    covered_days,
    last_day,
    merge_intervals,
    protected_intervals,
)

ZONES = """
    UTC Europe/Amsterdam America/New_York America/Sao_Paulo America/St_Johns America/Havana
    Africa/Casablanca Asia/Kathmandu Asia/Tehran Australia/Lord_Howe Pacific/Apia Pacific/Kiritimati
    """.split()
AMSTERDAM = ZoneInfo("Europe/Amsterdam")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

times = st.builds(time, st.integers(0, 23), st.sampled_from([0, 15, 30]))
moments = st.datetimes(datetime(2009, 1, 1), datetime(2031, 1, 1)).map(lambda at: at.replace(tzinfo=UTC))  # noqa: DTZ001
lengths = st.timedeltas(timedelta(0), timedelta(days=40))
days_of_week = st.frozensets(st.integers(0, 6), max_size=5)


@st.composite
def availabilities(draw: st.DrawFn, around: datetime) -> Availability:
    near = st.integers(-5, 45).map(lambda days: (around + timedelta(days=days)).date())
    ends = [draw(st.tuples(near, st.integers(0, 20))) for _ in range(draw(st.integers(0, 3)))]
    sleep = draw(st.none() | st.tuples(times, times)) or (None, None)
    return Availability(
        draw(st.sampled_from(ZONES)),
        *sleep,
        days_off=draw(days_of_week),
        vacations=tuple(Vacation(first, first + timedelta(days=more)) for first, more in ends),
    )


cases = moments.flatmap(lambda since: st.tuples(availabilities(since), st.just(since), lengths))


def is_within(spans: tuple[Interval, ...], moment: datetime) -> bool:
    return any(since < moment <= until for since, until in spans)


def is_shown_twice(moment: datetime, zone: ZoneInfo) -> bool:
    local = moment.astimezone(zone).replace(tzinfo=None)
    return local.replace(tzinfo=zone).utcoffset() != local.replace(tzinfo=zone, fold=1).utcoffset()


def is_protected(availability: Availability, moment: datetime) -> bool:
    """The same, asked of the clock on the wall and of the calendar, and of nothing else."""
    local = moment.astimezone(ZoneInfo(availability.zone))
    hour, begins, ends = local.time(), availability.sleeps_from, availability.sleeps_until
    asleep = False
    if begins is not None and ends is not None:
        asleep = begins <= hour < ends if begins < ends else begins != ends and not ends <= hour < begins
    off = local.weekday() in availability.days_off
    return asleep or off or any(one.first <= local.date() <= one.last for one in availability.vacations)


@given(cases, st.floats(0, 1))
def test_a_moment_is_protected_where_the_clock_on_the_wall_says_so(case, part):
    availability, since, length = case
    moment = since + (length * part)
    spans = protected_intervals(availability, since - DAY, since + length + DAY)
    beside = [is_within(spans, moment + timedelta(microseconds=off)) for off in (0, 1)]
    if beside[0] == beside[1] and not is_shown_twice(moment, ZoneInfo(availability.zone)):
        assert beside[0] == is_protected(availability, moment)
    elif is_protected(availability, moment):
        assert beside[1], "an hour that the clock shows twice is protected in full"


@given(cases)
def test_spans_are_in_order_apart_and_within_what_was_asked(case):
    availability, since, length = case
    spans = protected_intervals(availability, since, since + length)
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(set(edges))
    assert all(since <= edge <= since + length and edge.utcoffset() == timedelta(0) for edge in edges)


@given(cases, st.floats(0, 1))
def test_a_span_asked_in_two_parts_is_the_same(case, part):
    availability, since, length = case
    middle, until = since + length * part, since + length
    parts = (since, middle), (middle, until)
    halves = [span for part in parts for span in protected_intervals(availability, *part)]
    whole = protected_intervals(availability, since, until)
    assert sum((b - a for a, b in halves), timedelta(0)) == sum((b - a for a, b in whole), timedelta(0))


@given(cases, st.integers(0, 30))
def test_a_smaller_allowance_protects_nothing_more_and_no_more_days_than_it_has(case, days):
    availability, since, length = case
    fewer = replace(availability, yearly_allowance=days)
    spans = protected_intervals(fewer, since, since + length)
    more = protected_intervals(availability, since, since + length)
    assert all(any(a <= since_ and until_ <= b for a, b in more) for since_, until_ in spans)
    covered = {day for _, day in covered_days(fewer)}
    for year in {day.year for day in covered}:
        assert len({day for day in covered if day.year == year}) <= days


def at(text: str, zone: ZoneInfo = AMSTERDAM) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def away(*absences: str, told: str | None = None, **more: Any) -> Availability:
    """A player who is away from one day to another, written with a slash between them."""
    days = [[date.fromisoformat(day) for day in one.split("/")] for one in absences]
    vacations = tuple(Vacation(first, last, at(told) if told else None) for first, last in days)
    return Availability(**{"zone": "Europe/Amsterdam", "vacations": vacations} | more)


AUGUST = "2027-08-01/2027-09-01"
SLEEPER = Availability("Europe/Amsterdam", time(23), time(7))
EARLY = replace(SLEEPER, sleeps_until=time(2, 30))
WEEKENDS = replace(SLEEPER, days_off=frozenset({5, 6}))
NEW_YEAR = away("2027-12-28/2028-01-03", yearly_allowance=2)
TOLD = "2027-08-03T14"
EXAMPLES = {
    "no hours": (Availability("UTC"), "2027-01-01/2028-01-01", ""),
    "summer time begins": (SLEEPER, "2027-03-27T12/2027-03-28T12", "2027-03-27T23/2027-03-28T07"),
    "summer time ends": (SLEEPER, "2026-10-24T12/2026-10-25T12", "2026-10-24T23/2026-10-25T07"),
    "the end left out": (EARLY, "2027-03-27T12/2027-03-28T12", "2027-03-27T23/2027-03-28T03"),
    "a day left out": (away("2011-12-30/2011-12-30", zone="Pacific/Apia"), "2011-12-20/2012-01-10", ""),
    "a weekend and its nights": (WEEKENDS, "2027-01-08T12/2027-01-11T12", "2027-01-08T23/2027-01-11T07"),
    "the first day home": (away("2027-08-03/2027-08-17"), "2027-07-01/2027-09-01", "2027-08-03/2027-08-19"),
    "told on the first day": (away("2027-08-03/2027-08-04", told=TOLD), AUGUST, f"{TOLD}/2027-08-06"),
    "away for less than a day": (away("2027-08-03/2027-08-03", told=TOLD), AUGUST, f"{TOLD}/2027-08-04"),
    "home on a short day": (away("2027-03-27/2027-03-27"), "2027-03-28/2027-03-30", "2027-03-28/2027-03-29"),
    "each return its own": (
        away("2027-08-03/2027-08-04", "2027-08-05/2027-08-06", "2027-08-20/2027-08-21"),
        AUGUST,
        "2027-08-03/2027-08-08 2027-08-20/2027-08-23",
    ),
    "an allowance over new year": (
        NEW_YEAR,
        "2027-12-01/2028-02-01",
        "2027-12-28/2027-12-30 2028-01-01/2028-01-03",
    ),
}
"""Who is asked about which time, and what of it is protected, by the clock of their zone."""


def spans_of(text: str, zone: ZoneInfo) -> list[Interval]:
    pairs = [span.split("/") for span in text.split()]
    return [(at(since, zone), at(until, zone)) for since, until in pairs]


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_is_protected_by_the_clock_and_the_calendar_of_a_zone(example):
    availability, asked, protected = EXAMPLES[example]
    zone = ZoneInfo(availability.zone)
    [(since, until)], spans = spans_of(asked, zone), spans_of(protected, zone)
    assert protected_intervals(availability, since, until) == tuple(spans)


def test_a_player_came_home_when_the_last_of_several_absences_ended():
    absences = "2027-08-03/2027-08-04", "2027-08-05/2027-08-06", "2027-08-20/2027-08-21"
    assert came_home(away(*absences, zone="UTC"), at("2027-08-03T12", UTC)) == at("2027-08-07T08", UTC)


def test_whoever_is_back_early_has_used_the_days_up_to_then():
    back = at("2027-08-05T09:00")
    early = Vacation(date(2027, 8, 3), date(2027, 8, 17), back_at=back)
    one = away(vacations=(early,), yearly_allowance=5)
    assert protected_intervals(one, at("2027-07-01"), at("2027-09-01")) == ((at("2027-08-03"), back),)
    assert last_day(early, one.zone) == date(2027, 8, 5)
    assert len(list(covered_days(one))) == 3


def test_no_question_is_too_long():
    since = at("2027-01-01", UTC)
    sleeper = replace(SLEEPER, zone="Asia/Kathmandu")
    spans = protected_intervals(sleeper, since, since + timedelta(days=100_000))
    assert len(spans) <= LONGEST_LOOK_AHEAD.days + 1
    assert spans[-1][1] <= since + LONGEST_LOOK_AHEAD


NOON, MINUTE = datetime(2027, 3, 1, 12, tzinfo=UTC), timedelta(minutes=1)
MINUTES = st.integers(0, 60).map(lambda number: NOON + number * MINUTE)
SPANS = st.lists(st.tuples(MINUTES, MINUTES), max_size=6)


def minutes(spans):
    return {number for number in range(62) if any(a < NOON + number * MINUTE <= b for a, b in spans)}


@given(SPANS)
def test_merged_spans_are_the_same_time_in_order_and_do_not_touch(spans):
    merged = merge_intervals(spans)
    assert minutes(merged) == minutes(spans)
    edges = [edge for span in merged for edge in span]
    assert edges == sorted(set(edges))


@given(SPANS, MINUTES, MINUTES)
def test_time_that_is_counted_is_outside_the_spans(spans, since, until):
    counted = count_time(since, until, lambda *_: spans)
    assert counted == len(minutes([(since, until)]) - minutes(spans)) * MINUTE


@given(SPANS, st.integers(0, 60), st.integers(0, 60))
def test_clipped_spans_lie_between_two_moments(spans, since, until):
    clipped = clip_intervals(spans, NOON + since * MINUTE, NOON + until * MINUTE)
    assert minutes(clipped) == {one for one in minutes(spans) if since < one <= until}
