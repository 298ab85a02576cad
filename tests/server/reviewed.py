"""Games that are over, and judges for a test: one that needs no time to think."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.bots import play_to_win
from engine.bots.reviews import Verdict, review_turn
from server.store.states import Channel, GameStatus
from server.turns.play import play_turn
from tests.server.desk import NOON, Desk


class HastyJudge:
    """Holds that each turn cost as many points as its number, and that nobody has a better one."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        """What goes wrong, one at a time, before anything goes well."""
        self.seconds: list[float | None] = []
        self.judged: list[int] = []

    def call(self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Any:
        self.seconds.append(seconds)
        if function is not review_turn:
            return function(*arguments)
        if self.failures:
            raise self.failures.pop(0)
        known, actions = arguments[0].known, arguments[0].actions
        self.judged.append(known.table.turn)
        return Verdict(known.table.turn, known.my_seat, actions, actions, float(known.table.turn))


def play_out(context: Desk, *people: str) -> str:
    """A game that the house has played for everybody, to its end."""
    game = context.start_game(*people)
    while (row := context.game_row(game)).status != GameStatus.OVER:
        play_turn(context, game, row.after, play_to_win, Channel.HOUSE, NOON)
    return game
