"""When a turn comes, in words: by the day, of the near future by the hour, by the clock of the reader."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from emails.i18n import Locale, use_locale
from emails.wording.deadlines import HABITS, Habit, TurnOutlook, answer_when, describe_outlook

NOW = datetime(2026, 8, 5, 8, tzinfo=UTC)
"""A Wednesday, ten in the morning in Amsterdam."""


def august(day: int, hour: int) -> datetime:
    return datetime(2026, 8, day, hour, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("outlook", "english", "dutch"),
    [
        (
            TurnOutlook(august(8, 22), august(13, 9)),
            "Your turn: not before Sunday, by Thu 13 August at the latest.",
            "Jouw beurt: niet voor zondag, uiterlijk do 13 augustus.",
        ),
        (
            TurnOutlook(august(8, 22), august(10, 9)),
            "Your turn: not before Sunday, by Monday at the latest.",
            "Jouw beurt: niet voor zondag, uiterlijk maandag.",
        ),
        (
            TurnOutlook(august(8, 22), august(9, 9)),
            "Your turn: by Sunday at the latest.",
            "Jouw beurt: uiterlijk zondag.",
        ),
        (
            TurnOutlook(latest=august(6, 9)),
            "Your turn: by Thursday 12:00 at the latest.",
            "Jouw beurt: uiterlijk donderdag 12:00.",
        ),
        (
            TurnOutlook(latest=NOW + timedelta(minutes=9, seconds=30)),
            "Your turn: by Wednesday 10:10 at the latest.",
            "Jouw beurt: uiterlijk woensdag 10:10.",
        ),
        (TurnOutlook(august(8, 22)), "Your turn: not before Sunday.", "Jouw beurt: niet voor zondag."),
        (TurnOutlook(), "", ""),
        (None, "", ""),
    ],
)
def test_the_bounds_in_words(outlook: TurnOutlook | None, english: str, dutch: str) -> None:
    with use_locale(Locale("en", "Europe/Amsterdam")):
        assert describe_outlook(outlook, NOW) == english
    with use_locale(Locale("nl", "Europe/Amsterdam")):
        assert describe_outlook(outlook, NOW) == dutch


def test_the_days_are_those_of_the_reader() -> None:
    back = TurnOutlook(august(8, 22), august(20, 9))
    with use_locale(Locale("en", "America/New_York")):
        assert "not before Saturday" in describe_outlook(back, NOW)
    with use_locale(Locale("en", "Asia/Tokyo")):
        assert "not before Sunday" in describe_outlook(back, NOW)


@pytest.mark.parametrize("within", HABITS)
def test_a_habit_is_a_sentence_of_its_own(within: timedelta) -> None:
    with use_locale(Locale("en", "Europe/Amsterdam")):
        habit = describe_outlook(TurnOutlook(habit=Habit("Ben", within)), NOW)
        both = describe_outlook(TurnOutlook(latest=august(20, 9), habit=Habit("Ben", within)), NOW)
    assert habit.startswith("Ben mostly answers within ")
    assert both == f"Your turn: by Thu 20 August at the latest. {habit}"


def test_a_question_is_answered_where_nothing_is_known() -> None:
    with use_locale(Locale("en")):
        assert answer_when(TurnOutlook(), NOW) == "There is no telling yet when your turn comes."
        assert "as soon as the house" in answer_when(TurnOutlook(is_immediate=True), NOW)
