"""Reminders come when a player wants them, and a change of mind counts in the turn that goes on."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlmodel import select

from emails.wording.times.reminder_times import USUAL_REMINDERS, ReminderTime
from server.clock import tick
from server.outbox.preferences import InvalidPreferences, Preferences, combine_preferences, load_preferences
from server.store.models import Game, OutgoingLetter, Seating, StoredPreferences
from tests.breadth import first
from tests.server.desk import NOON, mover, set_preferences, start_timed_game

HOUR = timedelta(hours=1)
HALF, QUARTER, EIGHTH, DAY, HOURS = ReminderTime


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
            ({0: (DAY,), 30: (HALF, HOURS)}, [24, 45]),
            ({0: (EIGHTH,), 44: USUAL_REMINDERS}, [42]),
            ({0: (EIGHTH,)}, [42]),
            ({0: ()}, []),
            ({0: (), 10: USUAL_REMINDERS}, [24, 42]),
            ({30: ()}, [24]),
            ({0: (QUARTER, HOURS)}, [36, 45]),
            ({0: tuple(ReminderTime)}, [24, 36, 42, 45]),
            ({0: (QUARTER,), 40: (EIGHTH, DAY)}, [36, 42]),
        ],
    ),
)
def test_they_come_when_they_are_wanted(context, changes, hours):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    assert reminded_at(context, game, changes) == hours


@pytest.mark.parametrize(
    ("kept", "hours"), first(1, [("1/4, 3 hours", [36, 45]), (0, []), (1, [42]), (2, [24, 42])])
)
def test_what_was_kept_as_a_number_means_what_it_meant(context, kept, hours):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    name = mover(context, game)
    set_preferences(context, game, name, moves=True)
    with context.writing() as session:
        row = session.exec(select(StoredPreferences).where(StoredPreferences.game == game)).one()
        row.said = json.dumps({**json.loads(row.said), "reminders": kept})
        session.commit()
    assert reminded_at(context, game) == hours


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [((), 0), ((EIGHTH,), 1), (USUAL_REMINDERS, 2), ((HALF, DAY), "1/2, 1 day"), ((HOURS,), "3 hours")],
)
def test_a_choice_is_kept_as_a_number_where_one_says_it(context, wanted, kept):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    name = mover(context, game)
    set_preferences(context, game, name, reminders=wanted)
    set_preferences(context, game, name, moves=True)
    with context.reading() as session:
        row = session.exec(select(StoredPreferences).where(StoredPreferences.game == game)).one()
        assert json.loads(row.said)["reminders"] == kept
        assert load_preferences(session, row.player, game).reminders == wanted


@pytest.mark.parametrize("kept", ["-1", "3", "true", "null", "2.0", '"1/3"', '""', '"1/2,1/8"', '["1/2"]'])
def test_what_no_program_of_ours_has_kept_counts_as_not_said(kept):
    assert combine_preferences(f'{{"reminders": {kept}}}', None).reminders in (USUAL_REMINDERS, ())


def test_a_turn_that_was_reminded_of_by_the_numbers_of_old_is_not_reminded_of_again(context):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    for old, hour, more in ((1, 25, 0), (2, 43, 0), (1, 43, 1)):
        with context.writing() as session:
            session.execute(update(Game).values(reminded=old, due_at=NOON))
            session.commit()
        before = number(context)
        tick(context, NOON + hour * HOUR)
        assert number(context) - before == more, (game, old, hour)


def test_none_comes_twice_or_out_of_order():
    for wrong in ((HALF, HALF), (EIGHTH, HALF)):
        with pytest.raises(InvalidPreferences):
            Preferences(reminders=wrong).check()


def test_each_seat_is_asked_for_its_own_choice(context):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    with context.reading() as session:
        other = session.exec(select(Seating).where(Seating.name != mover(context, game))).one()
    set_preferences(context, game, other.name, reminders=(HOURS,))
    assert reminded_at(context, game) == [24, 42]
