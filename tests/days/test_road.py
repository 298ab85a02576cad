"""Mails about time on the real road: nothing is done wrongly, most of it right, or right after a yes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

import pytest

from tests.days.corpus import CONTROL, SEEN, UNSEEN, Grade, Kind, Mail, Verdict, grade
from tests.days.road import is_there, travel, without_amounts, without_defaults

FLOORS = {"away": 0.8, "back": 0.75, "hours": 0.7, "time": 0.5, "pause": 0.6, "when": 0.95, "traps": 0.85}
FLOORS |= {"nudge": 0.9, "plan": 0.7, "seats": 0.65}
"""For each topic how many are done right or asked about fittingly, at least; of others nothing is asked."""
SETTLED = {"away": 0.9, "back": 0.95, "hours": 0.9, "time": 0.95, "pause": 0.95, "nudge": 0.95}
SETTLED |= {"plan": 0.77, "seats": 0.8}
"""For each topic how many are so, or right after a yes, at least."""
TOPICS = sorted({mail.id.partition("-")[0] for mail in SEEN})
UNSEEN_SETTLED, UNSEEN_USELESS, UNSEEN_WRONG = 0.69, 0.09, 1
"""Of the other half: how many are settled at least, and refused uselessly or done wrongly at most."""


class Outcome(StrEnum):
    """What became of a mail, beside what a careful clerk would have done."""

    RIGHT = "right"
    ASKED = "asked fittingly"
    PROPOSED = "a yes does it"
    """Asked with a question whose yes does all that was right, and nothing else."""
    HELPED = "refused helpfully"
    USELESS = "refused uselessly"
    WRONG = "done wrongly"
    NOT_THERE = "not there yet"


@dataclass(frozen=True, slots=True)
class Judged:
    """A mail and what became of it."""

    mail: Mail
    found: tuple[Verdict, ...]
    outcome: Outcome


def judge(mail: Mail) -> Judged:
    """What becomes of a mail; nobody outside the game has a way to write to it yet."""
    if mail.writer not in mail.players:
        return Judged(mail, (), Outcome.NOT_THERE)
    found, agreed = travel(mail)
    plain = replace(mail, verdicts=tuple(map(without_defaults, mail.verdicts)))
    match grade(plain, tuple(map(without_defaults, found))):
        case Grade.WRONG:
            outcome = Outcome.WRONG
        case _ if not is_there(mail):
            outcome = Outcome.NOT_THERE
        case Grade.RIGHT:
            outcome = Outcome.ASKED if any(one.kind is Kind.ASK for one in found) else Outcome.RIGHT
        case Grade.ASKED if agreed and _does_right(mail, agreed):
            outcome = Outcome.PROPOSED
        case Grade.ASKED:
            outcome = Outcome.HELPED
        case _:
            outcome = Outcome.USELESS
    return Judged(mail, found, outcome)


def _does_right(mail: Mail, agreed: tuple[Verdict, ...]) -> bool:
    """Whether a yes to what was proposed did what was right; the question told how much of it there is."""
    verdicts, also = (
        tuple(without_amounts(one, agreed) for one in some) for some in (mail.verdicts, mail.also)
    )
    plain = replace(mail, verdicts=tuple(map(without_defaults, verdicts)), also=also)
    return grade(plain, tuple(map(without_defaults, agreed))) is Grade.RIGHT


def share_right(counts: Counter[Outcome]) -> float:
    """How many are done right, or asked about where that is right, of those whose wish is there."""
    there = counts.total() - counts[Outcome.NOT_THERE]
    return (counts[Outcome.RIGHT] + counts[Outcome.ASKED]) / there


def share_settled(counts: Counter[Outcome]) -> float:
    """How many are so, or are done right as soon as their writer says yes."""
    there = counts.total() - counts[Outcome.NOT_THERE]
    return share_right(counts) + counts[Outcome.PROPOSED] / there


def outcomes(mails: Iterable[Mail]) -> tuple[Counter[Outcome], list[str]]:
    """How many mails became what, and which were done wrongly."""
    judged = [judge(mail) for mail in mails]
    wrong = [one.mail.id for one in judged if one.outcome is Outcome.WRONG]
    return Counter(one.outcome for one in judged), wrong


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_is_read_as_its_verdicts_say(topic):
    counts, wrong = outcomes(mail for mail in SEEN if mail.id.startswith(f"{topic}-"))
    assert wrong == []
    assert share_right(counts) >= FLOORS.get(topic, 0), counts
    assert share_settled(counts) >= SETTLED.get(topic, 0), counts


def test_mails_of_other_hands_are_read_as_well():
    counts, wrong = outcomes(CONTROL)
    assert wrong == []
    assert share_right(counts) >= 0.6, counts
    assert share_settled(counts) >= 0.88, counts


def test_mails_that_no_reader_was_made_for_are_read_nearly_as_well():
    """Nothing but totals is told of them."""
    counts, wrong = outcomes(UNSEEN)
    there = counts.total() - counts[Outcome.NOT_THERE]
    assert share_settled(counts) >= UNSEEN_SETTLED
    assert counts[Outcome.USELESS] <= UNSEEN_USELESS * there
    assert len(wrong) <= UNSEEN_WRONG
