"""Days away and time zones: laws of what is read (corpus/phrases/time.toml has the phrases)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.languages.lexicon import lexicon_of
from emails.replies.time_requests import absences
from emails.replies.time_requests.days import LONGEST, guess_zone

TUESDAY = date(2026, 11, 24)


def read(
    language: str, line: str, today: date = TUESDAY
) -> absences.DateRange | absences.DateQuestion | None:
    words = lexicon_of(language)
    dates = absences.read_absence_line(line, words)
    return None if dates is None else absences.read_absence(dates, words, today)


WORDS = {code: sorted(lexicon_of(code).dates.words) for code in ("en", "nl")}
pieces = st.one_of(
    st.sampled_from([*WORDS["en"], *WORDS["nl"], "-", "/", ".", "a"]),
    st.integers(0, 9999).map(str),
    st.builds("{}-{}-{}".format, st.integers(0, 9999), st.integers(0, 20), st.integers(0, 40)),
    st.builds("{}/{}".format, st.integers(0, 40), st.integers(0, 40)),
)
days = st.dates(date(2024, 1, 1), date(2040, 1, 1))


@given(st.lists(pieces, max_size=7).map(" ".join), st.sampled_from(["en", "nl"]), days)
def test_whatever_is_read_lies_ahead_and_in_order(words, language, today):
    found = read(language, f"away {words}", today)
    for one in [found] if isinstance(found, absences.DateRange) else found.meanings if found else ():
        assert one.first <= one.last >= today
    if isinstance(found, absences.DateRange):
        assert found.first >= today


@given(st.text(max_size=2 * LONGEST), st.sampled_from(["en", "nl"]))
def test_nothing_that_is_written_breaks_it(line, language):
    read(language, line)
    read(language, f"away {line}")


@given(days, days, st.sampled_from(["en", "nl"]))
def test_two_dates_with_their_years_are_what_they_say(one, other, language):
    first, last = sorted((one, other))
    today = first - timedelta(days=30)
    for line in (f"away {first} - {last}", f"away from {first.day} {first:%b} {first.year} until {last}"):
        if language == "en":
            assert read("en", line, today) == absences.DateRange(first, last)
    assert read("nl", f"weg van {first} tot en met {last}", today) == absences.DateRange(first, last)


WINTER = datetime(2026, 3, 1, 8, tzinfo=UTC)
SUMMER = datetime(2026, 7, 1, 8, tzinfo=UTC)


@pytest.mark.parametrize("hours", [-8, -5, -3.5, 1, 2, 5.5, 5.75, 13])
@pytest.mark.parametrize("now", [WINTER, SUMMER])
def test_a_guess_shows_the_same_time(hours: float, now: datetime) -> None:
    offset = timedelta(hours=hours)
    guessed = guess_zone(offset, now)
    if guessed is None:
        assert hours in (-3.5, 13)
    else:
        assert now.astimezone(ZoneInfo(guessed)).utcoffset() == offset


def test_a_large_city_is_guessed_first() -> None:
    assert guess_zone(timedelta(hours=1), WINTER) == "Europe/Amsterdam"
    assert guess_zone(timedelta(hours=13), WINTER) == "Pacific/Auckland"
    assert guess_zone(timedelta(hours=20), WINTER) is None
