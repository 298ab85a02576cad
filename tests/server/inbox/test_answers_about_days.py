"""Bare replies to the question until when a player is away: a date alone, in both languages."""

import tomllib
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from emails.languages.lexicon import lexicon_of
from emails.replies.time_requests.absences import DateRange, ExpectedDays, read_days_answer
from tests.server.stories import Story

BEGINS = datetime(2026, 3, 10, 11, tzinfo=UTC)
TODAY = date(2026, 3, 10)
AWAY = {"en": "I am away", "nl": "ik ben weg"}
CORPUS = tomllib.loads((Path(__file__).parent / "answers_about_days.toml").read_text(encoding="utf-8"))
REPLIES = [(language, one) for language, replies in CORPUS.items() for one in replies]
NAMES = [f"{language}-{one['said']!r}" for language, one in REPLIES]


@pytest.mark.parametrize(("language", "reply"), REPLIES, ids=NAMES)
def test_a_bare_reply_is_a_last_day_or_no_certain_one(language, reply):
    asked = ExpectedDays((reply["first"],) if "first" in reply else ())
    read = (read_days_answer(one, lexicon_of(language), asked, TODAY) for one in reply["said"].splitlines())
    periods = [one for one in read if isinstance(one, DateRange)]
    wanted = [DateRange(reply.get("first", TODAY), reply["last"])] if "last" in reply else []
    assert periods == wanted


@pytest.mark.breadth
@pytest.mark.parametrize(("language", "reply"), REPLIES, ids=NAMES)
def test_by_mail_it_is_done_or_asked_about_again(context, carrier, language, reply):
    story = Story(context, carrier, {"begins": BEGINS, "hours": 960, "wants": {"language": language}})
    story.step({"says": reply.get("asked", AWAY[language]), "kind": "asked_back"})
    if "last" in reply:
        days = [[reply.get("first", TODAY), reply["last"]]]
        story.step({"says": reply["said"], "kind": "shown", "away": days})
    else:
        story.step({"says": reply["said"], "kind": "asked_back"})
