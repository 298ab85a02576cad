"""Mails about time of the seen half on the real road: nothing is done wrongly, and most of it right."""

from collections import Counter

import pytest

from tests.days.corpus import SEEN
from tests.days.report import Outcome, judge, share_right

FLOORS = {"away": 0.8, "back": 0.9, "hours": 0.9, "time": 0.45, "pause": 0.6, "when": 0.95, "traps": 0.9}
FLOORS |= {"nudge": 0.9}
"""For each topic how many are done right or asked about fittingly, at least; of others nothing is asked."""
TOPICS = sorted({mail.id.partition("-")[0] for mail in SEEN})


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_is_read_as_its_verdicts_say(topic):
    judged = [judge(mail) for mail in SEEN if mail.id.startswith(f"{topic}-")]
    assert [one.mail.id for one in judged if one.outcome is Outcome.WRONG] == []
    counts = Counter(one.outcome for one in judged)
    assert topic not in FLOORS or share_right(counts) >= FLOORS[topic], counts
