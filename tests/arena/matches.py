"""Games between bots, dealt by seeds: the same seed gives the same game anywhere."""

import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from engine.actions import Action
from engine.cards import Bag, Symbol
from engine.evolve import start
from engine.position import Position, Table, View, view
from engine.rules import deal, play_out
from tests.engine.build import PEOPLE, alexandros
from tests.engine.players import draw_from

Player = Callable[[View], Action]


@dataclass
class Record:
    """How one player has done."""

    wins: float = 0.0
    games: int = 0
    points: int = 0
    turns: list[float] = field(default_factory=list)
    """Processor seconds of each turn."""

    def interval(self) -> tuple[float, float]:
        """The 95% interval of its share of wins, after Wilson."""
        share, many, z = self.wins / self.games, self.games, 1.96
        middle = share + z * z / (2 * many)
        spread = z * math.sqrt(share * (1 - share) / many + z * z / (4 * many * many))
        return (middle - spread) / (1 + z * z / many), (middle + spread) / (1 + z * z / many)


def dice(seed: object) -> Callable[[Bag], Symbol]:
    return draw_from(random.Random(str(seed)))


def play_game(players: Sequence[Player], seed: int, edition: str, spent: Sequence[list[float]]) -> Table:
    chance = dice(seed)
    now: Position = start(alexandros(), deal(alexandros(), edition, PEOPLE[: len(players)], chance))
    turn = 0
    while not now.table.over:
        seat = now.table.seat
        if now.table.turn != turn:
            turn = now.table.turn
            spent[seat].append(0.0)
        begun = time.process_time()
        action = players[seat](view(now, seat))
        spent[seat][-1] += time.process_time() - begun
        _, now = play_out(now, seat, action, chance)
    return now.table


def seatings(names: Sequence[str]) -> list[tuple[int, ...]]:
    """Every order in which they can sit, those that look alike once."""
    found: dict[tuple[str, ...], tuple[int, ...]] = {}
    for order in permutations(range(len(names))):
        found.setdefault(tuple(names[place] for place in order), order)
    return list(found.values())


def play_match(
    names: Sequence[str], make: Callable[[str], Player], games: int, seed: int, edition: str
) -> Iterator[tuple[dict[str, Record], Counter[str]]]:
    """So many games, every deal from every seat; after each how everybody did, and how the games ended."""
    records = {name: Record() for name in names}
    ends: Counter[str] = Counter()
    for number, order in schedule(names, games):
        spent: list[list[float]] = [[] for _ in order]
        table = play_game([make(names[place]) for place in order], seed + number, edition, spent)
        ends[str(table.reason)] += 1
        for seat, place in enumerate(order):
            record = records[names[place]]
            record.games += 1
            record.points += table.scores[seat]
            record.turns += spent[seat]
            assert table.winners is not None
            record.wins += (seat in table.winners) / len(table.winners)
        yield records, ends


def schedule(names: Sequence[str], games: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The number of the deal and the order of seats of each game."""
    orders = seatings(names)
    return ((number // len(orders), orders[number % len(orders)]) for number in range(games))
