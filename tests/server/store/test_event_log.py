"""The log of acts: whole or not at all, never changed, never lost."""

import json

import pytest
from sqlalchemy import text, update
from sqlmodel import select

from engine.bots import stand_in
from server.outbox.letter_kinds import HALF_PLAYED_DELAY
from server.store import projection
from server.store.event_log import CorruptLog, HistoryCache
from server.store.models import Act, Game, OutgoingLetter
from server.turns.play import play_turn
from tests.server.desk import NOON, Clock, changing, game_row, play, rows_of, start_game


def first_choice(context, game):
    row = game_row(context, game)
    with context.reading() as session:
        table = context.history_of(session, row).position.table
    return row, f"choose {table.display.kinds()[0]}"


def test_an_act_is_one_row_with_its_facts_and_letters(context):
    game = start_game(context, "Anna", "Ben")
    row, words = first_choice(context, game)
    play(context, game, 0, row.after, [words], "link", NOON)
    with context.reading() as session:
        stored = session.exec(select(Act).where(Act.game == game)).all()
        assert [act.seq for act in stored] == [1, 2, 3]
        assert [json.loads(act.events)[0]["type"] for act in stored] == [
            "game_opened",
            "game_started",
            "card_chosen",
        ]
        assert stored[2].said == words
        assert (stored[2].seat, stored[2].door) == (0, "link")
        (letter,) = session.exec(select(OutgoingLetter).where(OutgoingLetter.seq == 3))
        assert (letter.kind, letter.due_at) == ("step", NOON + HALF_PLAYED_DELAY)  # he saw it on the page
    row = game_row(context, game)
    play_turn(context, game, row.after, stand_in, "clock", NOON)
    assert rows_of(context, OutgoingLetter, OutgoingLetter.seq == 4)


def test_a_changed_row_is_found_when_the_game_is_read(context):
    game = start_game(context, "Anna", "Ben")
    row, words = first_choice(context, game)
    play(context, game, 0, row.after, [words], "link", NOON)
    with changing(context) as session:
        session.execute(update(Act).where(Act.game == game, Act.seq == 3).values(said="choose another"))
    context.history_cache = HistoryCache()
    with context.reading() as session, pytest.raises(CorruptLog, match="act 3"):
        context.history_of(session, session.get_one(Game, game))


def test_a_channel_that_nobody_knows_is_found_when_the_game_is_read(context):
    game = start_game(context, "Anna", "Ben")
    with changing(context) as session:
        session.execute(text("UPDATE act SET door = 'window' WHERE seq = 1"))
    context.history_cache = HistoryCache()
    with context.reading() as session, pytest.raises(CorruptLog, match="window"):
        context.history_of(session, session.get_one(Game, game))


def test_a_missing_row_is_found_when_the_game_is_read(context):
    game = start_game(context, "Anna", "Ben")
    row, words = first_choice(context, game)
    play(context, game, 0, row.after, [words], "link", NOON)
    with changing(context) as session:
        session.delete(session.get_one(Act, (game, 2)))
    context.history_cache = HistoryCache()
    with context.reading() as session, pytest.raises(CorruptLog):
        context.history_of(session, session.get_one(Game, game))


def test_the_list_of_games_can_be_worked_out_anew(context):
    clock = Clock()
    game = start_game(context, "Anna", "Ben")
    row, words = first_choice(context, game)
    play(context, game, 0, row.after, [words], "link", clock.forward(1))
    kept = game_row(context, game).model_dump()
    with changing(context) as session:
        spoiled = session.get_one(Game, game)
        spoiled.turn, spoiled.seat, spoiled.deadline, spoiled.seq, spoiled.after = 9, 1, None, 0, 0
    assert projection.rebuild(context) == 1
    assert game_row(context, game).model_dump() == kept
