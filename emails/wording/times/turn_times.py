"""The time for turns in words."""

from __future__ import annotations

from emails.i18n import gettext
from emails.terms import TurnTime
from emails.wording import phrases


def describe_turn_time(time: TurnTime) -> str:
    """Such as "2 days" and "2 days, and a reserve of 4 days"; empty where there is no limit."""
    if not time.minutes:
        return ""
    each, reserve = phrases.format_minutes(time.minutes), phrases.format_minutes(time.bank)
    if not time.bank:
        return each
    if not time.refill:
        return gettext("%(time)s, and a reserve of %(reserve)s", time=each, reserve=reserve)
    return gettext(
        "%(time)s, and a reserve of %(reserve)s, into which each turn played in time puts %(refill)s back",
        time=each,
        reserve=reserve,
        refill=phrases.format_minutes(time.refill),
    )


def name_reserve(time: TurnTime) -> str:
    """The reserve in a sentence; empty where there is none."""
    if not (time.minutes and time.bank):
        return ""
    return gettext("In reserve: %(reserve)s.", reserve=phrases.format_minutes(time.bank))
