"""What became of what a player asked all for, or answered to a vote, as a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from emails.i18n import gettext, gettext_noop
from emails.wording.times.deadlines import format_deadline


class VoteOutcome(StrEnum):
    """What became of it."""

    ADDED = "time added"
    WITHDRAWN = "time withdrawn"
    PAUSED = "paused"
    RESUMED = "resumed"
    ASKED = "asked"
    NOTED = "noted"
    DECLINED = "declined"
    SKIPPED = "skipped"
    ENDED = "ended"


OUTCOMES: Mapping[VoteOutcome, str] = {
    VoteOutcome.ADDED: gettext_noop("24 hours are added to this turn."),
    VoteOutcome.WITHDRAWN: gettext_noop("The 24 hours more are taken back."),
    VoteOutcome.PAUSED: gettext_noop("The game is paused now: no time runs on any turn."),
    VoteOutcome.RESUMED: gettext_noop("The game is resumed, and time runs again."),
    VoteOutcome.ASKED: gettext_noop("The others are asked, and you hear what comes of it."),
    VoteOutcome.NOTED: gettext_noop("Your answer is noted."),
    VoteOutcome.DECLINED: gettext_noop("It is not done, and nobody is asked any more."),
    VoteOutcome.SKIPPED: gettext_noop(
        "The game goes on: from now on the turns of that seat are skipped, and its guards stay."
    ),
    VoteOutcome.ENDED: gettext_noop("The game is over, as it stood."),
}


def tell_outcome(outcome: VoteOutcome, deadline: datetime | None) -> str:
    """What became of it, with the deadline of the turn where that has moved."""
    told = gettext(OUTCOMES[outcome])
    if outcome in (VoteOutcome.ADDED, VoteOutcome.WITHDRAWN) and deadline is not None:
        return f"{told} {gettext('It ends: %(moment)s.', moment=format_deadline(deadline))}"
    return told
