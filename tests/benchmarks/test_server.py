"""How fast the post office is: from the database to a position, and from words to a committed act."""

import random
import time

import pytest

from engine.board import Board
from engine.bots import caretaker, house
from engine.notation.grammar import write
from engine.rules import legal
from engine.views import view
from server.store.event_log import History, Shelf, read
from server.store.models import Game
from server.turns.play import play
from tests.benchmarks.measure import seconds
from tests.server.desk import NOON, desk, start_game

EVENTS = 300


@pytest.fixture
def office(tmp_path):
    return desk(tmp_path)


def test_from_sqlite_to_a_position(figure, office, board: Board):
    """A game of 300 events; most turns are the caretaker's, so that it lasts."""
    game = start_game(office, "Anna", "Ben", "Cleo", "Dirk")
    while (
        play_one(office, game, lambda known: (caretaker if known.table.turn % 4 else house)(known)) < EVENTS
    ):
        pass
    with office.reading() as session:

        def work():
            history = read(session, game, board, History())
            session.rollback()
            return history

        history = work()
        figure(
            f"{len(history.facts)} events in {history.seq} acts from SQLite, chain verified",
            f"{seconds(work) * 1000:.1f} ms",
            "6 ms",
        )


def play_one(office, game, choose) -> int:
    """One action; how many events the game has then."""
    with office.reading() as session:
        row = session.get_one(Game, game)
        history = office.history(session, row)
    table = history.position.table
    assert not table.over
    words = write(choose(view(history.position, table.seat)), table.board)
    played = play(office, game, table.seat, history.after, [words], "link", NOON)
    return len(played.history.facts)


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "cold"])
def test_acts_a_second(figure, office, kept):
    """Load, check, append, queue letters and commit, in twenty games; choosing what to say is not counted."""
    games = [start_game(office, "Anna", "Ben", "Cleo") for _ in range(20)]
    dice = random.Random(4)
    for _ in range(60):
        for game in games:
            play_one(office, game, lambda known: dice.choice(list(legal(known))))
    taken = []
    for _ in range(15):
        for game in games:
            with office.reading() as session:
                history = office.history(session, session.get_one(Game, game))
            table = history.position.table
            if table.over:
                continue
            words = write(dice.choice(list(legal(view(history.position, table.seat)))), table.board)
            if not kept:
                office.shelf = Shelf()
            begun = time.perf_counter()
            play(office, game, table.seat, history.after, [words], "link", NOON)
            taken.append(time.perf_counter() - begun)
    rate = len(taken) / sum(taken)
    what = "acts through play, recent positions kept" if kept else "acts through play, positions cold"
    figure(what, f"{rate:,.0f} /s", "1,000" if kept else "250")
