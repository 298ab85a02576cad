"""How fast the post office is: from the database to a position, and from words to a committed act."""

import random
import statistics
import time

import pytest
from sqlalchemy import event

from engine.bots import play_to_win, stand_in
from engine.notation.orders import write
from engine.position import view
from engine.rules import legal
from server.store.context import RecentlyUsed
from server.store.event_log import History, read_history
from tests.benchmarks.measure import seconds
from tests.emails.positions import BOARD
from tests.server.desk import NOON, desk

EVENTS = 300


@pytest.fixture
def context(tmp_path):
    return desk(tmp_path)


def test_from_sqlite_to_a_position(figure, context):
    """A game of 300 events; most turns are the caretaker's, so that it lasts."""
    game = context.start_game("Anna", "Ben", "Cleo", "Dirk")
    while len(context.facts(game)) < EVENTS:
        play_one(context, game, lambda known: (stand_in if known.table.turn % 4 else play_to_win)(known))
    with context.reading() as session:

        def work():
            history = read_history(session, game, BOARD, History())
            session.rollback()
            return history

        history = work()
        figure(
            f"{EVENTS} events from SQLite, chain verified",
            f"{seconds(work) * 1000 * EVENTS / len(history.events):.1f} ms",
            "2.5 ms",
        )


def play_one(context, game, choose) -> None:
    position = context.position_of(game)
    assert not position.table.over
    context.say(game, write(choose(view(position, position.table.seat)), BOARD))


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "cold"])
def test_acts_a_second(figure, context, kept):
    """Load, check, append, queue letters and commit, in twenty games; choosing what to say is not counted."""
    games = [context.start_game("Anna", "Ben", "Cleo") for _ in range(20)]
    dice = random.Random(4)
    for _ in range(60):
        for game in games:
            play_one(context, game, lambda known: dice.choice(list(legal(known))))
    statements: list[str] = []
    event.listen(context.database, "before_cursor_execute", lambda *given: statements.append(given[2]))
    taken, spent, asked = [], [], []
    for _ in range(15):
        for game in games:
            history = context.history(game)
            table = history.position.table
            if table.over:
                continue
            words = write(dice.choice(list(legal(view(history.position, table.seat)))), table.board)
            if not kept:
                context.history_cache = RecentlyUsed()
            statements.clear()
            begun, working = time.perf_counter(), time.process_time()
            context.play(game, table.seat, history.after, [words], "link", NOON)
            taken.append(time.perf_counter() - begun)
            spent.append(time.process_time() - working)
            asked.append(len(statements))
    what = "acts through play, recent positions kept" if kept else "acts through play, positions cold"
    figure(f"{what}, by the clock", f"{len(taken) / sum(taken):,.0f} /s", "1,000" if kept else "250")
    shown = f"{statistics.median(spent) * 1000:.2f} ms, {statistics.median(asked):.0f}"
    figure(f"{what}: processor of one, SQL statements", shown, "0.9 ms" if kept else "")
