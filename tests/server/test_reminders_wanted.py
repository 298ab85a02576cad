"""As many reminders come as a player wants, and a change of mind counts in the turn that goes on."""

from datetime import timedelta

import pytest
from sqlmodel import select

from server.clock import tick
from server.outbox.preferences import InvalidPreferences, Preferences
from server.store.models import OutgoingLetter
from tests.server.desk import NOON, mover, start_timed_game, wish

HOUR = timedelta(hours=1)


def reminded_at(context, game, changes=None):
    """The hours after which reminders came."""
    found = []
    for hour in range(48):
        if changes and hour in changes:
            wish(context, game, mover(context, game), reminders=changes[hour], now=NOON + hour * HOUR)
        before = number(context)
        tick(context, NOON + hour * HOUR)
        found += [hour] * (number(context) - before)
    return found


def number(context):
    with context.reading() as session:
        return len(session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == "reminder")).all())


@pytest.mark.parametrize(
    ("changes", "hours"),
    [
        ({}, [24, 42]),
        ({0: 1}, [42]),
        ({0: 0}, []),
        ({0: 0, 10: 2}, [24, 42]),
        ({0: 1, 44: 2}, [42]),
        ({30: 0}, [24]),
    ],
)
def test_as_many_come_as_are_wanted(context, changes, hours):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    assert reminded_at(context, game, changes) == hours


@pytest.mark.parametrize("reminders", [-1, 3])
def test_there_are_no_more_than_two(reminders):
    with pytest.raises(InvalidPreferences):
        Preferences(reminders=reminders).check()
