"""Time: reminders, deadlines, the caretaker, and the house, as often as anybody ticks."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlmodel import select

from server.clock import find_task, tick
from server.delivery.sending import send_due_letters
from server.outbox.preferences import load_preferences
from server.store import projection
from server.store.models import Game, OutgoingLetter, Seating, StoredPreferences
from server.time_control.turn_time import always_available, list_reminders
from tests.breadth import first
from tests.server.desk import (
    NOON,
    Clock,
    Collector,
    changing,
    fact_names,
    facts,
    game_row,
    mover,
    names_of,
    play,
    rows_of,
    set_preferences,
    start_game,
    start_timed_game,
)


def letters(context, kind):
    return rows_of(context, OutgoingLetter, OutgoingLetter.kind == kind)


def running(**changes):
    values = {
        "id": "aaaaaaaa",
        "name": "x",
        "board": "b",
        "edition": "e",
        "turn_minutes": 48 * 60,
        "opened_at": NOON,
    }
    clock = Clock()
    values |= {
        "status": "running",
        "seat": 0,
        "after": 3,
        "turn_began_at": NOON,
        "deadline": clock.forward(48),
    }
    return Game(**{**values, **changes})


@pytest.mark.parametrize(
    ("hours", "reminded", "what"),
    [
        (0, 0, []),
        (23.9, 0, []),
        (24, 0, [("remind", 1)]),
        (24, 1, []),
        (41.9, 1, []),
        (42, 1, [("remind", 2)]),
        (42, 0, [("remind", 2)]),
        (47.9, 2, []),
        (48, 2, [("time out", 0)]),
        (480, 0, [("time out", 0)]),
    ],
)
def test_what_is_due_at_which_hour(hours, reminded, what):
    game = running(reminded=reminded)
    reminders = list_reminders(timedelta(hours=48), game.deadline, always_available, always_available)
    task = find_task(game, Clock().forward(hours), reminders)
    assert ([] if task is None else [(task.what, task.mark)]) == what


def test_a_game_without_a_limit_waits_for_ever():
    assert find_task(running(deadline=None), Clock().forward(10_000)) is None


def test_a_rebuilt_list_reminds_nobody_twice(context, clock):
    start_timed_game(context, "Anna", "Ben", now=clock(), hours=48)
    tick(context, clock.forward(24))
    projection.rebuild(context)
    with changing(context) as session:
        session.exec(select(Game)).one().reminded = 0
    tick(context, clock())
    assert len(letters(context, "reminder")) == 1


def test_when_time_has_passed_the_caretaker_plays_and_everybody_is_told(context, clock):
    game = start_timed_game(context, "Anna", "Ben", now=clock(), hours=48)
    tick(context, clock.forward(48))
    row = game_row(context, game)
    assert (row.turn, row.seat) == (2, 1)
    assert (row.turn_began_at, row.deadline) == (None, None), "its letter has not left"
    assert {letter.seat for letter in letters(context, "time_passed")} == {0, 1}
    assert "turn_ended" in fact_names(facts(context, game))
    carrier = Collector()
    send_due_letters(context, carrier, clock())
    assert any("ran out of time" in mail.get_body(("plain",)).get_content() for mail in carrier.mails)


def test_the_caretaker_ends_a_turn_that_was_begun(context, clock):
    game = start_timed_game(context, "Anna", "Ben", now=clock(), hours=48)
    row = game_row(context, game)
    with context.reading() as session:
        card = context.history_of(session, row).position.table.display.kinds()[0]
    play(context, game, 0, row.after, [f"choose {card}"], "link", clock.forward(47))
    tick(context, clock.forward(1))
    assert game_row(context, game).turn == 2


def test_the_house_plays_its_turns_until_a_person_is_to_move(context, clock):
    game = start_game(context, "Anna", "house", "house", now=clock())
    tick(context, clock())
    row = game_row(context, game)
    assert names_of(context, game)[row.seat] == "Anna"


def test_a_game_of_houses_is_played_to_its_end(context, clock):
    game = start_game(context, "house", "house", "house", now=clock())
    for _ in range(10):
        tick(context, clock())
    assert game_row(context, game).status == "over"
    assert fact_names(facts(context, game))[-1] == "game_ended"


HOUR = timedelta(hours=1)


def reminded_at(context, game, changes=None):
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
    return len(rows_of(context, OutgoingLetter, OutgoingLetter.kind == "reminder"))


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
    with changing(context) as session:
        row = session.exec(select(StoredPreferences).where(StoredPreferences.game == game)).one()
        row.said = json.dumps({**json.loads(row.said), "reminders": stored})
    with context.reading() as session:
        assert load_preferences(session, row.player, game).reminders == wanted


def test_a_turn_that_was_reminded_of_by_the_numbers_of_old_is_not_reminded_of_again(context):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    for old, hour, more in ((1, 25, 0), (2, 43, 0), (1, 43, 1), (31, 43, 0)):
        with changing(context) as session:
            session.execute(update(Game).values(reminded=old, due_at=NOON))
        before = number(context)
        tick(context, NOON + hour * HOUR)
        assert number(context) - before == more, (game, old, hour)


def test_each_seat_is_asked_for_its_own_choice(context):
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    other = rows_of(context, Seating, Seating.name != mover(context, game))[0]
    set_preferences(context, game, other.name, reminders=False)
    assert reminded_at(context, game) == [24, 42]
