"""How fast the game itself is."""

import random
import statistics
import time

import pytest

from engine.bots.strengths import plan_steadily, plan_strongly, play_easily
from engine.event_log import check, check_log
from engine.events import CardOpened, GameEnded, GameStarted, SupplyRenewed, TurnEnded
from engine.evolve import evolve, replay, start
from engine.position import Phase, view
from engine.rules import deal, decide, due, legal
from server.store.boards import load_boards
from tests.benchmarks.measure import seconds
from tests.paths import GAMES

NOT_CHOSEN = GameStarted | CardOpened | SupplyRenewed | TurnEnded | GameEnded


def test_folding(figure, board, example_games):
    events = sum(len(game) for game in example_games)
    time = seconds(lambda: [replay(board, game) for game in example_games])
    figure("events folded", f"{events / time:,.0f} /s", "60,000")


def test_replaying_with_every_fact_checked(figure, board, example_games):
    actions = sum(not isinstance(event, NOT_CHOSEN) for game in example_games for event in game)

    def work():
        for game in example_games:
            position = start(board, game[0])
            for event in game[1:]:
                check(position, event)
                position = evolve(position, event)

    figure("actions replayed, every fact checked", f"{actions / seconds(work):,.0f} /s", "33,000")


def test_replaying_from_text(figure, example_games):
    actions = sum(not isinstance(event, NOT_CHOSEN) for game in example_games for event in game)
    logs = [(GAMES / f"{name}-players.jsonl").read_bytes().splitlines() for name in ("two", "three")]
    time = seconds(lambda: [list(check_log(log, load_boards())) for log in logs])
    figure("the same from JSON Lines", f"{actions / time:,.0f} /s")


def test_complete_legal_lists(figure, board, example_games):
    views = []
    for game in example_games:
        position = start(board, game[0])
        for number, event in enumerate(game[1:]):
            position = evolve(position, event)
            if due(position) is None and position.table.phase is not Phase.OVER and number > len(game) // 4:
                views.append(view(position, position.table.seat))
    lengths = [len(list(legal(known))) for known in views]
    time = seconds(lambda: [list(legal(known)) for known in views])
    figure("complete legal lists, mid-game", f"{len(views) / time:,.0f} /s")
    figure("  actions in a list, median and longest", f"{statistics.median(lengths):.0f} and {max(lengths)}")


def random_game(board, seed, seats=3):
    dice = random.Random(seed)

    def chance(bag):
        return dice.choice(list(bag))

    first = deal(board, "rio-grande", ("Anna", "Ben", "Cleo", "Dirk")[:seats], chance)
    position = start(board, first)
    events = [first]
    while not position.table.over:
        seat = position.table.seat
        action = dice.choice(list(legal(view(position, seat))))
        for event in decide(position, seat, action, chance):
            events.append(event)
            position = evolve(position, event)
    return events


def test_random_games_over_complete_lists(figure, board):
    games = 20
    time = seconds(lambda: [random_game(board, seed, 2 + seed % 3) for seed in range(games)])
    figure("whole random games over complete lists", f"{games / time:,.1f} /s", "30")
    lengths = [len(random_game(board, seed, 2 + seed % 3)) for seed in range(games)]
    figure("  events in such a game, median", f"{statistics.median(lengths):.0f}")


@pytest.fixture(scope="module")
def turns_begun(example_games, board):
    """What a seat knows at the beginning of every third turn of the example games."""
    found = []
    for game in example_games:
        position = start(board, game[0])
        for event in game[1:]:
            if position.table.phase is Phase.CARD and due(position) is None:
                found.append(view(position, position.table.seat))
            position = evolve(position, event)
    return found[::3]


@pytest.mark.parametrize(
    ("what", "think", "aim"),
    [
        ("Easy", play_easily, ""),
        ("Steady", plan_steadily, "50 ms for 95%"),
        ("Strong", plan_strongly, "0.5 s, never over 5 s"),
    ],
)
def test_thinking(figure, turns_begun, what, think, aim):
    think(turns_begun[0])
    times = []
    for known in turns_begun:
        begun = time.process_time()
        think(known)
        times.append(1000 * (time.process_time() - begun))
    shown = f"{statistics.median(times):.1f} and {max(times):.0f} ms"
    figure(f"{what}: processor time of a decision, median and largest", shown, aim)
