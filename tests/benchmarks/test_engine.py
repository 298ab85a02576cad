"""How fast the game itself is."""

import random
import statistics

import pytest

from engine.bots.strengths import plan_steadily, plan_strongly, play_easily
from engine.event_log import check, check_log
from engine.events import CardOpened, GameEnded, GameStarted, SupplyRenewed, TurnEnded
from engine.evolve import evolve, replay, start
from engine.position import Phase, view
from engine.rules import deal, due, legal
from server.store.boards import load_boards
from tests.benchmarks.measure import seconds, spent
from tests.emails.positions import BOARD
from tests.engine.build import PEOPLE
from tests.engine.players import draw_from, play
from tests.paths import GAMES

NOT_CHOSEN = GameStarted | CardOpened | SupplyRenewed | TurnEnded | GameEnded


def test_folding(figure, example_games):
    events = sum(len(game.events) for game in example_games)
    time = seconds(lambda: [replay(BOARD, game.events) for game in example_games])
    figure("events folded", f"{events / time:,.0f} /s", "60,000")


def count_actions(games) -> int:
    return sum(not isinstance(event, NOT_CHOSEN) for game in games for event in game.events)


def test_replaying_with_every_fact_checked(figure, example_games):
    def work():
        for game in example_games:
            position = start(BOARD, game.events[0])
            for event in game.events[1:]:
                check(position, event)
                position = evolve(position, event)

    actions = count_actions(example_games)
    figure("actions replayed, every fact checked", f"{actions / seconds(work):,.0f} /s", "33,000")


def test_replaying_from_text(figure, example_games):
    logs = [(GAMES / f"{name}-players.jsonl").read_bytes().splitlines() for name in ("two", "three")]
    time = seconds(lambda: [list(check_log(log, load_boards())) for log in logs])
    figure("the same from JSON Lines", f"{count_actions(example_games) / time:,.0f} /s")


def test_complete_legal_lists(figure, example_games):
    views = [
        view(position, position.table.seat)
        for game in example_games
        for position in game.positions[len(game.positions) // 4 :]
        if due(position) is None and position.table.phase is not Phase.OVER
    ]
    lengths = [len(list(legal(known))) for known in views]
    time = seconds(lambda: [list(legal(known)) for known in views])
    figure("complete legal lists, mid-game", f"{len(views) / time:,.0f} /s")
    figure("  actions in a list, median and longest", f"{statistics.median(lengths):.0f} and {max(lengths)}")


def any_legal(known, dice):
    return dice.choice(list(legal(known)))


def random_game(seed):
    dice = random.Random(seed)
    first = deal(BOARD, "rio-grande", PEOPLE[: 2 + seed % 3], draw_from(dice))
    return play(start(BOARD, first), first, (any_legal,), dice)


def test_random_games_over_complete_lists(figure):
    games = 20
    time = seconds(lambda: [random_game(seed) for seed in range(games)])
    figure("whole random games over complete lists", f"{games / time:,.1f} /s", "30")
    lengths = [len(list(random_game(seed).steps())) for seed in range(games)]
    figure("  events in such a game, median", f"{statistics.median(lengths):.0f}")


@pytest.fixture(scope="module")
def turns_begun(example_games):
    """What a seat knows at the beginning of every third turn of the example games."""
    positions = (position for game in example_games for position in game.positions)
    begun = [now for now in positions if now.table.phase is Phase.CARD and due(now) is None]
    return [view(now, now.table.seat) for now in begun[::3]]


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
    times = [spent(lambda known=known: think(known)) for known in turns_begun]
    shown = f"{statistics.median(times):.1f} and {max(times):.0f} ms"
    figure(f"{what}: processor time of a decision, median and largest", shown, aim)
