"""The log of acts: whole or not at all, never changed, never lost."""

import json

import pytest
from sqlalchemy import update
from sqlmodel import select

from engine.bots import caretaker
from server.admin import archive
from server.lobby.games import NotOpened
from server.outbox.notifications import HALF_PLAYED
from server.store import projection
from server.store.event_log import Broken, Shelf, Stale, acts
from server.store.models import Act, Game, Outgoing
from server.turns.play import play, play_turn
from tests.server.desk import NOON, Clock, game_row, start_game


def first_choice(office, game):
    row = game_row(office, game)
    with office.reading() as session:
        table = office.history(session, row).position.table
    return row, f"choose {table.display.kinds()[0]}"


def test_an_act_is_one_row_with_its_facts_and_letters(office):
    game = start_game(office, "Anna", "Ben")
    row, words = first_choice(office, game)
    play(office, game, 0, row.after, [words], "link", NOON)
    with office.reading() as session:
        stored = session.exec(select(Act).where(Act.game == game)).all()
        assert [act.seq for act in stored] == [1, 2, 3]
        assert [json.loads(act.events)[0]["type"] for act in stored] == [
            "game_opened",
            "game_started",
            "card_chosen",
        ]
        assert stored[2].said == words
        assert (stored[2].seat, stored[2].door) == (0, "link")
        (letter,) = session.exec(select(Outgoing).where(Outgoing.seq == 3))
        assert (letter.kind, letter.due_at) == ("step", NOON + HALF_PLAYED)  # he saw it on the page
    row = game_row(office, game)
    play_turn(office, game, row.after, caretaker, "clock", NOON)
    with office.reading() as session:
        assert session.exec(select(Outgoing).where(Outgoing.seq == 4)).all()


def test_the_second_act_on_one_position_is_stale_and_leaves_nothing(office):
    game = start_game(office, "Anna", "Ben")
    row, words = first_choice(office, game)
    play(office, game, 0, row.after, [words], "link", NOON)
    with office.reading() as session:
        before = len(session.exec(select(Outgoing)).all())
    with pytest.raises(Stale):
        play(office, game, 0, row.after, [words], "link", NOON)
    with office.reading() as session:
        assert len(session.exec(select(Outgoing)).all()) == before
        assert len(acts(session, game)) == 3


def test_a_changed_row_is_found_when_the_game_is_read(office):
    game = start_game(office, "Anna", "Ben")
    row, words = first_choice(office, game)
    play(office, game, 0, row.after, [words], "link", NOON)
    with office.writing() as session:
        session.execute(update(Act).where(Act.game == game, Act.seq == 3).values(said="choose another"))
        session.commit()
    office.shelf = Shelf()
    with office.reading() as session, pytest.raises(Broken, match="act 3"):
        office.history(session, session.get_one(Game, game))


def test_a_missing_row_is_found_when_the_game_is_read(office):
    game = start_game(office, "Anna", "Ben")
    row, words = first_choice(office, game)
    play(office, game, 0, row.after, [words], "link", NOON)
    with office.writing() as session:
        session.delete(session.get_one(Act, (game, 2)))
        session.commit()
    office.shelf = Shelf()
    with office.reading() as session, pytest.raises(Broken):
        office.history(session, session.get_one(Game, game))


def test_the_list_of_games_can_be_worked_out_anew(office):
    clock = Clock()
    game = start_game(office, "Anna", "Ben")
    row, words = first_choice(office, game)
    play(office, game, 0, row.after, [words], "link", clock.forward(1))
    kept = game_row(office, game).model_dump()
    with office.writing() as session:
        spoiled = session.get_one(Game, game)
        spoiled.turn, spoiled.seat, spoiled.deadline, spoiled.seq, spoiled.after = 9, 1, None, 0, 0
        session.commit()
    assert projection.rebuild(office) == 1
    assert game_row(office, game).model_dump() == kept


def test_a_game_that_has_not_started_cannot_be_exported(office):
    with pytest.raises(NotOpened, match="no game"):
        list(archive.export(office, "aaaaaaaa"))
