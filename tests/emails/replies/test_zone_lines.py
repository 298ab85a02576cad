"""A line that names a time zone is read, by any city in two languages; and a zone is guessed by a clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from emails.languages.lexicon import lexicon_of, whole_lexicon
from emails.replies.grammars import find_zone, guess_zone, read_zone_line
from emails.wording.requests import UNKNOWN_ZONE, Request, RequestKind

WINTER = datetime(2026, 3, 1, 8, tzinfo=UTC)
SUMMER = datetime(2026, 7, 1, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "zone"),
    [
        ("zone New York", "America/New_York"),
        ("Zone: new york.", "America/New_York"),
        ("time zone Europe/Amsterdam", "Europe/Amsterdam"),
        ("my timezone = Auckland", "Pacific/Auckland"),
        ("tijdzone Parijs", "Europe/Paris"),
        ("zone Londen", "Europe/London"),
        ("zone UTC", "UTC"),
        ("zone Atlantis", UNKNOWN_ZONE),
    ],
)
def test_a_zone_is_read_by_its_name_or_a_city(line: str, zone: str) -> None:
    assert read_zone_line(line, whole_lexicon()) == Request(RequestKind.ZONE, zone)


@pytest.mark.parametrize(
    "line",
    [
        "zone",
        "zone New York?",
        "New York",
        "the zone is New York",
        "zone in on the province that Ben has closed with two walls",
        "zone " + "x" * 100,
    ],
)
def test_other_lines_name_none(line: str) -> None:
    assert read_zone_line(line, lexicon_of("en")) is None


@pytest.mark.parametrize("name", ["Europe/Berlin", "europe/berlin", " Berlin ", "berlijn"])
def test_names_are_found_in_any_spelling(name: str) -> None:
    assert find_zone(name) == "Europe/Berlin"


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
