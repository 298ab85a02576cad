"""Mails about time on the real road: nothing is done wrongly, most of it right, or right after a yes."""

from collections import Counter

import pytest

from tests.days.corpus import CONTROL, SEEN, UNSEEN
from tests.days.report import Outcome, judge, share_right, share_settled

FLOORS = {"away": 0.8, "back": 0.75, "hours": 0.7, "time": 0.5, "pause": 0.6, "when": 0.95, "traps": 0.85}
FLOORS |= {"nudge": 0.9, "plan": 0.7, "seats": 0.65}
"""For each topic how many are done right or asked about fittingly, at least; of others nothing is asked."""
SETTLED = {"away": 0.9, "back": 0.95, "hours": 0.9, "time": 0.95, "pause": 0.95, "nudge": 0.95}
SETTLED |= {"plan": 0.77, "seats": 0.8}
"""For each topic how many are so, or right after a yes, at least."""
TOPICS = sorted({mail.id.partition("-")[0] for mail in SEEN})
UNSEEN_SETTLED, UNSEEN_USELESS, UNSEEN_WRONG = 0.69, 0.09, 1
"""Of the other half: how many are settled at least, and refused uselessly or done wrongly at most."""


def outcomes(mails):
    judged = [judge(mail) for mail in mails]
    wrong = [one.mail.id for one in judged if one.outcome is Outcome.WRONG]
    return Counter(one.outcome for one in judged), wrong


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_is_read_as_its_verdicts_say(topic):
    counts, wrong = outcomes(mail for mail in SEEN if mail.id.startswith(f"{topic}-"))
    assert wrong == []
    assert share_right(counts) >= FLOORS.get(topic, 0), counts
    assert share_settled(counts) >= SETTLED.get(topic, 0), counts


@pytest.mark.breadth
def test_mails_of_other_hands_are_read_as_well():
    counts, wrong = outcomes(CONTROL)
    assert wrong == []
    assert share_right(counts) >= 0.6, counts
    assert share_settled(counts) >= 0.88, counts


@pytest.mark.breadth
def test_mails_that_no_reader_was_made_for_are_read_nearly_as_well():
    """Nothing but totals is told of them."""
    counts, wrong = outcomes(UNSEEN)
    there = counts.total() - counts[Outcome.NOT_THERE]
    assert share_settled(counts) >= UNSEEN_SETTLED
    assert counts[Outcome.USELESS] <= UNSEEN_USELESS * there
    assert len(wrong) <= UNSEEN_WRONG
