"""The turns that the house plays: thought about at once, and played after a pause that reads well.

The pause is measured by a clock that nobody sets, and nothing of it is stored: a server that starts again
thinks again. It counts to nobody's time, for that of the next turn begins later; and who watches does not
learn how long somebody had to think.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from time import monotonic

from sqlmodel import Session, col, select

from engine.position import Position, view
from server.house.house_players import ThinkingPlayer, find_house_player
from server.store.context import Context
from server.store.models import Game, Seating
from server.store.schedule import games_due, work_at_game
from server.store.states import Channel, GameStatus
from server.thinking.thinking_process import ThinkerBusy, ThinkerStopped
from server.turns.play import load_running_game, play_turn

SHORTEST_PAUSE, LONGEST_PAUSE = 3.0, 5.0
"""Seconds from an act to the turn of the house that follows; until it is looked at it may be one more."""
LOOKS_EVERY = 1.0
"""Seconds after which it is seen at the latest whose pause is over."""
MOST_TURNS = 1000
"""That are played in one go where nobody can ask for an end."""


@dataclass(slots=True)
class _WaitingTurn:
    """A turn that is thought about and not played yet."""

    after: int
    player: ThinkingPlayer
    due: float
    """When it is played, by the clock that nobody sets."""


class HouseTurns:
    """Plays the turns of the house, of one game after the other."""

    def __init__(self, context: Context, steady: Callable[[], float] = monotonic) -> None:
        """`steady`: seconds by a clock that nobody sets."""
        self._context, self._steady = context, steady
        self._waiting: dict[str, _WaitingTurn] = {}
        self._round: deque[str] = deque()
        """The games that are still looked at before the first is looked at again."""

    def play(self, now: datetime) -> int:
        """Think about one turn or play one; 0 where there is nothing to do before a pause is over."""
        while True:
            is_new = not self._round
            if is_new:
                self._begin_round(now)
            while self._round:
                game = self._round.popleft()
                if work_at_game(self._context, game, now, partial(self._work_at_game, now=now)):
                    return 1
            if is_new:
                return 0

    def _begin_round(self, now: datetime) -> None:
        with self._context.reading() as session:
            due = games_due(session, now, of_house=True)
        self._round.extend(due)
        for game in self._waiting.keys() - due:
            del self._waiting[game]

    def _work_at_game(self, game: str, now: datetime) -> int:
        turn = self._waiting.get(game)
        if turn is not None and self._steady() < turn.due:
            return 0
        try:
            turn = self._waiting.pop(game, None) or self._think(game)
            if turn is None:
                return 0
            if self._steady() < turn.due:
                self._waiting[game] = turn
                return 1
            play_turn(self._context, game, turn.after, turn.player, turn.player.player.channel, now)
        except (ThinkerBusy, ThinkerStopped):
            return 0  # it is thought about at the next look, or the next start
        return 1

    def _think(self, game: str) -> _WaitingTurn | None:
        """A turn with what is done first in it, where the house moves."""
        context, seconds = self._context, self._context.settings.house_seconds
        begun = self._steady()
        with context.reading() as session:
            row = session.get_one(Game, game)
            player = find_house_player(session, row, is_strong=seconds > 0)
            if player is None or row.status != GameStatus.RUNNING:  # its end was played meanwhile
                return None
            position = load_running_game(context, session, game, row.after).history.position
            is_awaited = player.channel == Channel.CARETAKER or not _has_person_moved(session, game, position)
        turn = ThinkingPlayer(player, context.thinker, seconds, context.events)
        turn.think(view(position, position.table.seat))
        pause = pause_before(game, row.after) if seconds and not is_awaited else 0.0
        return _WaitingTurn(row.after, turn, begun + pause)


def pause_before(game: str, after: int) -> float:
    """The seconds before a turn of the house after an act: no dice, so that a server started again agrees."""
    part = sha256(f"{game} {after}".encode()).digest()[0] / 255
    return SHORTEST_PAUSE + part * (LONGEST_PAUSE - SHORTEST_PAUSE)


def _has_person_moved(session: Session, game: str, position: Position) -> bool:
    """Whether a turn of a person is over: until then one waits for the letter that tells their first."""
    people = session.exec(select(Seating.seat).where(Seating.game == game, ~col(Seating.house)))
    return any(seat < position.table.turn - 1 for seat in people)


def play_house_turns(context: Context, now: datetime) -> int:
    """Play all turns of the house that are due, how many; where there are pauses it ends at the first."""
    house = HouseTurns(context)
    done = 0
    while done < MOST_TURNS and house.play(now):
        done += 1
    return done
