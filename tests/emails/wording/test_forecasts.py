"""When a turn probably comes, in words: never more exact than what is known, by the clock of the reader."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.i18n import Locale, use_locale
from emails.wording.times.forecasts import Forecast, describe_forecast, tell_own_turn

NOW = datetime(2026, 8, 5, 8, tzinfo=UTC)
"""A Wednesday, ten in the morning in Amsterdam."""


def forecast(low: str, high: str) -> Forecast:
    """Between two moments, each a day of August and an hour in UTC."""
    ends = []
    for day, hour in (low.split("/"), high.split("/")):
        ends.append(datetime(2026, 8, int(day), int(hour), 20, tzinfo=UTC))
    return Forecast(ends[0], ends[0] + (ends[1] - ends[0]) / 2, ends[1])


@pytest.mark.parametrize(
    ("low", "high", "english", "dutch"),
    [
        ("5/8", "5/9", "probably before Wednesday 12:00", "waarschijnlijk voor woensdag 12:00"),
        ("8/17", "8/19", "probably Saturday evening", "waarschijnlijk zaterdagavond"),
        ("6/5", "6/8", "probably Thursday morning", "waarschijnlijk donderdagochtend"),
        ("7/23", "8/2", "probably Friday night", "waarschijnlijk vrijdagnacht"),
        ("8/5", "8/19", "probably Saturday", "waarschijnlijk zaterdag"),
        (
            "7/19", "8/11",
            "probably between Friday evening and Saturday afternoon",
            "waarschijnlijk tussen vrijdagavond en zaterdagmiddag",
        ),
        (
            "8/10", "11/19",
            "probably between Saturday and Tuesday",
            "waarschijnlijk tussen zaterdag en dinsdag",
        ),
        (
            "8/10", "20/19",
            "probably between Saturday and Thu 20 August",
            "waarschijnlijk tussen zaterdag en do 20 augustus",
        ),
    ],
)  # fmt: skip
def test_a_forecast_in_words(low: str, high: str, english: str, dutch: str) -> None:
    with use_locale(Locale("en", "Europe/Amsterdam")):
        assert describe_forecast(forecast(low, high), NOW) == english
        assert tell_own_turn(forecast(low, high), NOW) == f"Your turn: {english}."
    with use_locale(Locale("nl", "Europe/Amsterdam")):
        assert describe_forecast(forecast(low, high), NOW) == dutch
        assert tell_own_turn(forecast(low, high), NOW) == f"Jouw beurt: {dutch}."


def test_the_reader_hears_it_by_their_own_clock() -> None:
    evening = forecast("8/17", "8/19")
    with use_locale(Locale("en", "Asia/Tokyo")):
        assert describe_forecast(evening, NOW) == "probably Saturday night"
    with use_locale(Locale("en", "America/New_York")):
        assert describe_forecast(evening, NOW) == "probably Saturday afternoon"


@given(st.integers(0, 28 * 24 * 60), st.integers(0, 28 * 24 * 60), st.sampled_from(["en", "nl"]))
def test_words_hold_no_minutes_and_no_place_for_a_value(soon: int, later: int, language: str) -> None:
    low = NOW + timedelta(minutes=soon)
    told = Forecast(low, low, low + timedelta(minutes=later))
    with use_locale(Locale(language, "Europe/Amsterdam")):
        words = tell_own_turn(told, NOW)
    assert "%" not in words
    assert ":" not in words.partition(": ")[2].replace(":00.", ".")
    assert len(words) < 100
