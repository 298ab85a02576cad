"""When a player's clock stands still: by the clock of their zone, over both changes of summer time."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from server.time_control.availability import (
    LONGEST_LOOK_AHEAD,
    Availability,
    Interval,
    Vacation,
    came_home,
    clip_intervals,
    covered_days,
    last_day,
    measure_intervals,
    merge_intervals,
    protected_intervals,
    subtract_intervals,
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
    halves = protected_intervals(availability, since, middle) + protected_intervals(
        availability, middle, until
    )
    whole = protected_intervals(availability, since, until)
    assert sum((b - a for a, b in halves), timedelta(0)) == sum((b - a for a, b in whole), timedelta(0))


@given(cases, st.integers(0, 30))
def test_a_smaller_allowance_protects_nothing_more_and_no_more_days_than_it_has(case, days):
    availability, since, length = case
    fewer = replace(availability, yearly_allowance=days)
    spans = protected_intervals(fewer, since, since + length)
    assert all(
        any(a <= since_ and until_ <= b for a, b in protected_intervals(availability, since, since + length))
        for since_, until_ in spans
    )
    covered = {day for _, day in covered_days(fewer)}
    for year in {day.year for day in covered}:
        assert len({day for day in covered if day.year == year}) <= days


SLEEPER = Availability("Europe/Amsterdam", time(23), time(7))


def at(text: str, zone: ZoneInfo = AMSTERDAM) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def lengths_of(availability: Availability, since: datetime, until: datetime) -> list[timedelta]:
    return [ends - begins for begins, ends in protected_intervals(availability, since, until)]


def test_the_night_in_which_summer_time_begins_is_an_hour_shorter():
    noons = at("2027-03-27T12:00"), at("2027-03-28T12:00")
    assert lengths_of(SLEEPER, *noons) == [7 * HOUR]


def test_the_night_in_which_it_ends_is_an_hour_longer():
    noons = at("2026-10-24T12:00"), at("2026-10-25T12:00")
    assert lengths_of(SLEEPER, *noons) == [9 * HOUR]


def test_sleep_that_ends_in_the_hour_that_is_left_out_ends_when_the_clock_is_put_ahead():
    early = replace(SLEEPER, sleeps_until=time(2, 30))
    (span,) = protected_intervals(early, at("2027-03-27T12:00"), at("2027-03-28T12:00"))
    assert span[1] == datetime(2027, 3, 28, 1, 0, tzinfo=UTC)


def test_a_day_that_a_zone_left_out_is_no_day():
    samoa = Availability("Pacific/Apia", vacations=(Vacation(date(2011, 12, 30), date(2011, 12, 30)),))
    assert protected_intervals(samoa, at("2011-12-20", UTC), at("2012-01-10", UTC)) == ()


def test_a_weekend_and_the_nights_beside_it_are_one_span():
    weekends = replace(SLEEPER, days_off=frozenset({5, 6}))
    (span,) = protected_intervals(weekends, at("2027-01-08T12:00"), at("2027-01-11T12:00"))
    assert span == (at("2027-01-08T23:00"), at("2027-01-11T07:00"))


def test_a_vacation_covers_its_first_and_its_last_day_and_the_first_day_home_is_free():
    away = Availability("Europe/Amsterdam", vacations=(Vacation(date(2027, 8, 3), date(2027, 8, 17)),))
    (span,) = protected_intervals(away, at("2027-07-01T12:00"), at("2027-09-01T12:00"))
    assert span == (at("2027-08-03"), at("2027-08-19")), "and the first day home"


def test_a_vacation_told_on_its_first_day_gives_no_time_back():
    told = at("2027-08-03T14:00")
    away = Availability("Europe/Amsterdam", vacations=(Vacation(date(2027, 8, 3), date(2027, 8, 4), told),))
    assert protected_intervals(away, at("2027-08-01"), at("2027-09-01")) == ((told, at("2027-08-06")),)


def test_an_absence_of_less_than_a_day_gives_no_free_day_home():
    told, day = at("2027-08-03T14:00"), date(2027, 8, 3)
    away = Availability("Europe/Amsterdam", vacations=(Vacation(day, day, told),))
    assert protected_intervals(away, at("2027-08-01"), at("2027-09-01")) == ((told, at("2027-08-04")),)


def test_the_free_day_home_is_as_long_as_the_day_of_its_zone():
    before = date(2027, 3, 27)
    away = Availability("Europe/Amsterdam", vacations=(Vacation(before, before),))
    assert lengths_of(away, at("2027-03-28T00:00"), at("2027-03-30")) == [23 * HOUR]


def test_one_return_has_one_free_day_and_each_return_its_own():
    first, second = Vacation(date(2027, 8, 3), date(2027, 8, 4)), Vacation(date(2027, 8, 5), date(2027, 8, 6))
    third = Vacation(date(2027, 8, 20), date(2027, 8, 21))
    away = Availability("UTC", vacations=(first, second, third))
    assert protected_intervals(away, at("2027-08-01", UTC), at("2027-09-01", UTC)) == (
        (at("2027-08-03", UTC), at("2027-08-08", UTC)),
        (at("2027-08-20", UTC), at("2027-08-23", UTC)),
    )
    assert came_home(away, at("2027-08-03T12:00", UTC)) == at("2027-08-07T08:00", UTC)


def test_whoever_is_back_early_has_used_the_days_up_to_then():
    back = at("2027-08-05T09:00")
    early = Vacation(date(2027, 8, 3), date(2027, 8, 17), back_at=back)
    away = Availability("Europe/Amsterdam", vacations=(early,), yearly_allowance=5)
    assert protected_intervals(away, at("2027-07-01"), at("2027-09-01")) == ((at("2027-08-03"), back),)
    assert last_day(early, away.zone) == date(2027, 8, 5)
    assert len(list(covered_days(away))) == 3


def test_an_allowance_ends_a_vacation_and_begins_anew_with_the_year():
    over_new_year = Vacation(date(2027, 12, 28), date(2028, 1, 3))
    away = Availability("Europe/Amsterdam", vacations=(over_new_year,), yearly_allowance=2)
    spans = protected_intervals(away, at("2027-12-01"), at("2028-02-01"))
    assert spans == ((at("2027-12-28"), at("2027-12-30")), (at("2028-01-01"), at("2028-01-03")))


def test_who_says_nothing_is_always_available():
    assert protected_intervals(Availability("UTC"), at("2027-01-01", UTC), at("2028-01-01", UTC)) == ()


def test_no_question_is_too_long():
    since = at("2027-01-01", UTC)
    spans = protected_intervals(
        replace(SLEEPER, zone="Asia/Kathmandu"), since, since + timedelta(days=100_000)
    )
    assert len(spans) <= LONGEST_LOOK_AHEAD.days + 1
    assert spans[-1][1] <= since + LONGEST_LOOK_AHEAD


NOON, MINUTE = datetime(2027, 3, 1, 12, tzinfo=UTC), timedelta(minutes=1)
SPANS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 60)).map(
        lambda one: (NOON + one[0] * MINUTE, NOON + one[1] * MINUTE)
    ),
    max_size=6,
)


def minutes(spans):
    return {number for number in range(62) if any(a < NOON + number * MINUTE <= b for a, b in spans)}


@given(SPANS)
def test_merged_spans_are_the_same_time_in_order_and_do_not_touch(spans):
    merged = merge_intervals(spans)
    assert minutes(merged) == minutes(spans)
    edges = [edge for span in merged for edge in span]
    assert edges == sorted(set(edges))
    assert measure_intervals(spans) == len(minutes(spans)) * MINUTE


@given(SPANS, SPANS)
def test_what_is_taken_from_spans_is_not_in_them(spans, without):
    rest = subtract_intervals(spans, without)
    assert minutes(rest) == minutes(spans) - minutes(without)
    assert rest == merge_intervals(rest)


@given(SPANS, st.integers(0, 60), st.integers(0, 60))
def test_clipped_spans_lie_between_two_moments(spans, since, until):
    clipped = clip_intervals(spans, NOON + since * MINUTE, NOON + until * MINUTE)
    assert minutes(clipped) == {one for one in minutes(spans) if since < one <= until}
