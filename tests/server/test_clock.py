"""Time: reminders, deadlines, the caretaker, and the house, as often as anybody ticks."""

from datetime import timedelta

import pytest
from sqlmodel import select

from server.clock import find_task, tick
from server.delivery.sending import send_due_letters
from server.store import projection
from server.store.models import Game, OutgoingLetter
from server.time_control.turn_time import always_available, list_reminders
from tests.server.desk import (
    NOON,
    Clock,
    Collector,
    fact_names,
    facts,
    game_row,
    names_of,
    play,
    start_game,
    start_timed_game,
)


def letters(context, kind):
    with context.reading() as session:
        return session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == kind)).all()


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


def test_two_reminders_and_no_third(context, clock):
    start_timed_game(context, "Anna", "Ben", now=clock(), hours=48)
    for _ in range(47):
        clock.forward(1)
        tick(context, clock())
        tick(context, clock())
    assert len(letters(context, "reminder")) == 2


def test_a_rebuilt_list_reminds_nobody_twice(context, clock):
    start_timed_game(context, "Anna", "Ben", now=clock(), hours=48)
    tick(context, clock.forward(24))
    projection.rebuild(context)
    with context.writing() as session:
        session.exec(select(Game)).one().reminded = 0
        session.commit()
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


def test_a_tick_too_many_changes_nothing(context, clock):
    game = start_timed_game(context, "Anna", "Ben", now=clock(), hours=48)
    clock.forward(48)
    assert tick(context, clock()) == 1
    after = game_row(context, game).seq
    assert tick(context, clock()) == 0
    assert game_row(context, game).seq == after


def test_a_long_sleep_costs_one_turn_not_many(context, clock):
    """A server that was down for a month takes one turn from whoever was to move, and no more."""
    game = start_timed_game(context, "Anna", "Ben", now=clock(), hours=48)
    tick(context, clock.forward(24 * 30))
    tick(context, clock())
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
