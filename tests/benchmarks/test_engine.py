"""How fast the game itself is."""

import random
import statistics

import pytest

from engine.bots.strengths import plan_steadily, plan_strongly, play_easily
from engine.event_log import check
from engine.events import CardOpened, GameEnded, GameStarted, SupplyRenewed, TurnEnded
from engine.evolve import evolve, start
from engine.position import Phase, view
from engine.rules import deal, due, legal
from tests.benchmarks.measure import seconds, spent
from tests.emails.positions import BOARD
from tests.engine.build import PEOPLE
from tests.engine.players import draw_from, play

NOT_CHOSEN = GameStarted | CardOpened | SupplyRenewed | TurnEnded | GameEnded


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
    figure("checked replay of actions", f"{actions / seconds(work):,.0f} /s", "33,000")


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
