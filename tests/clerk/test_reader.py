"""People's own words: of the replies that may be looked at most are read right, and none wrong."""

import pytest

from tests.clerk.corpus import Verdict, mails, seen
from tests.clerk.judging import Outcome, judge

EACH = 12
"""In the gate only each of so many replies is read."""


def test_no_reply_of_some_is_played_that_was_not_meant() -> None:
    assert Outcome.WRONG not in {judge(mail) for mail in seen(mails("replies"))[::EACH]}


@pytest.mark.breadth
def test_most_replies_are_played_or_proposed_right_and_none_wrong() -> None:
    found = [(mail, judge(mail)) for mail in seen(mails("replies"))]
    wrong = [mail.id for mail, outcome in found if outcome is Outcome.WRONG]
    useless = [mail.id for mail, outcome in found if outcome is Outcome.USELESS]
    ordered = [outcome for mail, outcome in found if mail.verdict in (Verdict.PLAY, Verdict.PROPOSE)]
    right = [outcome for outcome in ordered if outcome in (Outcome.PLAYED, Outcome.PROPOSED)]
    assert not wrong
    assert len(right) >= 0.85 * len(ordered)
    assert len(useless) <= 0.03 * len(found)
