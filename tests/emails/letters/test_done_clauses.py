"""The answer to what was done begins with that; what was only asked for is headed as asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from emails.letters import game_letters
from emails.letters.sections import build_sections, describe_done
from emails.wording.absences import AbsenceNote, DaysAway
from emails.wording.requests import (
    PLAN_KEPT,
    STAYS_RESIGNED,
    WAS_KEPT,
    Request,
    RequestKind,
)
from server.outbox.preferences import Preferences
from tests.emails.specimens import letter, turn

TUESDAY = date(2027, 1, 12)
NOTE = AbsenceNote(TUESDAY, "UTC", (DaysAway(TUESDAY, date(2027, 1, 15)),))


@pytest.mark.parametrize(
    ("kind", "about", "clause"),
    [
        (RequestKind.PLAN, PLAN_KEPT, "your plan is kept"),
        (RequestKind.PLAN, "", ""),
        (RequestKind.NO_PLAN, "", "you plan nothing any more"),
        (RequestKind.AWAY, "2027-01-12 - 2027-01-15", "you are away until the end of Friday"),
        (RequestKind.AWAY, "2027-02-01 - 2027-02-01", "you are away on Monday 1 February 2027"),
        (RequestKind.AWAY, "2027-01-14 - 2027-02-01", "you are away from Thursday to the end of 1 February"),
        (RequestKind.BACK, WAS_KEPT, "you are there again"),
        (RequestKind.BACK, STAYS_RESIGNED, ""),
        (RequestKind.BACK, "", ""),
        (RequestKind.NO_REMINDERS, "", "you get no reminders any more"),
        (RequestKind.REMINDERS, "", "you get reminders again"),
        (RequestKind.NUDGE, "", "your reminder is passed on"),
        (RequestKind.NEW_LINKS, "", "your links are new"),
        (RequestKind.RESIGN, "", "you have resigned"),
        *((kind, "", "") for kind in (RequestKind.HELP, RequestKind.HAND, RequestKind.RULES)),
        *((kind, "", "") for kind in (RequestKind.WHEN, RequestKind.SETTINGS, RequestKind.HISTORY)),
    ],
)
def test_what_was_done_is_a_clause_and_what_was_shown_is_none(
    kind: RequestKind, about: str, clause: str
) -> None:
    assert describe_done(Request(kind, about), NOTE, resigned=True) == clause


def test_nobody_has_resigned_or_is_away_of_whom_it_is_not_known() -> None:
    assert describe_done(Request(RequestKind.RESIGN)) == ""
    assert describe_done(Request(RequestKind.AWAY, "2027-01-12 - 2027-01-15")) == ""


def test_the_headline_and_the_subject_say_what_was_done_first() -> None:
    asked = [Request(RequestKind.WHEN), Request(RequestKind.NO_REMINDERS)]
    made = turn(16, 0)
    sections = build_sections(asked, made, preferences=Preferences())
    shown = game_letters.render_shown(made, sections)
    name = made.view.table.names[0]
    assert f"\nYou get no reminders any more, {name}\n" in shown.text
    assert shown.subject == "Spring: you get no reminders any more"
    assert "You get no reminders any more. " in shown.html
    answered = replace(made, answered="Spring: your turn (turn 16)")
    assert game_letters.render_shown(answered, sections).subject == "Re: Spring: your turn (turn 16)"


def test_what_was_only_asked_for_is_headed_so_and_what_nobody_asked_for_is_not() -> None:
    made = turn(16, 0)
    sections = build_sections([Request(RequestKind.WHEN)], made)
    name = made.view.table.names[0]
    assert f"\nWhat you asked for, {name}\n" in game_letters.render_shown(made, sections).text
    assert f"\nHow “Spring” stands, {name}\n" in game_letters.render_shown(made, (), unasked=True).text


def test_what_comes_of_a_question_to_all_is_the_headline_and_not_said_to_be_sent() -> None:
    text = letter("answer-settled").text
    assert "\nThe others are asked, and you hear what comes of it.\n" in text
    assert "Sent, " not in text
    assert "What you told the others" not in text
