"""Reminders come unless a player has set them off, and a change of mind counts in the turn that goes on."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlmodel import select

from server.clock import tick
from server.outbox.preferences import DEFAULTS, combine_preferences, load_preferences
from server.store.models import Game, OutgoingLetter, Seating, StoredPreferences
from tests.breadth import first
from tests.server.desk import NOON, mover, set_preferences, start_timed_game

HOUR = timedelta(hours=1)


def reminded_at(context, game, changes=None):
    """The hours after which reminders came."""
    found = []
    for hour in range(48):
        if changes and hour in changes:
            set_preferences(
                context, game, mover(context, game), reminders=changes[hour], now=NOON + hour * HOUR
            )
        before = number(context)
        tick(context, NOON + hour * HOUR)
        found += [hour] * (number(context) - before)
    return found


def number(context):
    with context.reading() as session:
        return len(session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == "reminder")).all())


@pytest.mark.parametrize(
    ("changes", "hours"),
    first(
        3,
        [
            ({}, [24, 42]),
            ({0: False}, []),
            ({30: False}, [24]),
            ({0: False, 10: True}, [24, 42]),
            ({0: False, 44: True}, [44]),
        ],
    ),
)
def test_they_come_when_they_are_wanted(context, changes, hours):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    assert reminded_at(context, game, changes) == hours


@pytest.mark.parametrize(
    ("stored", "wanted"), [(0, False), (1, True), (2, True), ("1/4, 3 hours", True), ("", False)]
)
def test_what_was_stored_as_a_number_or_a_text_means_on_or_off(context, stored, wanted):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    name = mover(context, game)
    set_preferences(context, game, name, moves=True)
    with context.writing() as session:
        row = session.exec(select(StoredPreferences).where(StoredPreferences.game == game)).one()
        row.said = json.dumps({**json.loads(row.said), "reminders": stored})
        session.commit()
    with context.reading() as session:
        assert load_preferences(session, row.player, game).reminders == wanted


@pytest.mark.parametrize("stored", ["null", "2.0", '["1/2"]'])
def test_what_no_version_has_stored_counts_as_not_said(stored):
    assert combine_preferences(f'{{"reminders": {stored}}}', None).reminders == DEFAULTS.reminders


def test_a_turn_that_was_reminded_of_by_the_numbers_of_old_is_not_reminded_of_again(context):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    for old, hour, more in ((1, 25, 0), (2, 43, 0), (1, 43, 1), (31, 43, 0)):
        with context.writing() as session:
            session.execute(update(Game).values(reminded=old, due_at=NOON))
            session.commit()
        before = number(context)
        tick(context, NOON + hour * HOUR)
        assert number(context) - before == more, (game, old, hour)


def test_each_seat_is_asked_for_its_own_choice(context):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    with context.reading() as session:
        other = session.exec(select(Seating).where(Seating.name != mover(context, game))).one()
    set_preferences(context, game, other.name, reminders=False)
    assert reminded_at(context, game) == [24, 42]
