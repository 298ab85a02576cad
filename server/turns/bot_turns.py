"""Turns of bots and caretakers: who plays, how actions are computed, and when they are played.

A bot plans its actions up to the next one that reveals a card (by server/thinker.py). If it finds no plan in
time, it plans at a lower strength. If it finds none at any strength, it chooses one action without planning.
A turn is played after a short pause. The length of the pause does not depend on the time for planning, so the
pause reveals nothing. The pause is not stored: a restarted server plans the turn again.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from hashlib import sha256
from time import monotonic

from sqlmodel import Session, col, select

from emails.terms import Caretaker
from engine import bots
from engine.actions import Action
from engine.bots.strengths import PROFILES, Profile, Strength, plan_gently
from engine.position import Position, View, view
from server.monitoring import EventLog
from server.store.context import Context
from server.store.game_terms import terms_of
from server.store.models import AbsentSeat, Game, Resignation, Seating
from server.store.schedule import games_due, work_at_game
from server.store.states import Channel, GameStatus
from server.thinker import Thinker, ThinkerBusy, ThinkerStopped, ThinkingFailed
from server.turns.play import load_running_game, play_turn

LOG = logging.getLogger(__name__)

MOST_PLANS = 2
_Planner = Callable[[View], tuple[Action, ...]]
"""Returns the next actions, up to the first revealed card."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A computer player: a bot or a caretaker."""

    channel: Channel
    strength: StrEnum
    """Label in the metrics: the strength of a bot or, if it has none, its channel."""
    plans: tuple[_Planner, ...]
    play: Callable[[View], Action]


def find_bot(session: Session, game: Game, is_strong: bool = False) -> Bot | None:
    """Return the bot or caretaker to move in a game; None if a person is to move.

    `is_strong`: whether a bot of the highest strength may plan at this strength; otherwise the bot plans at a
    lower strength.
    """
    if game.seat is None:
        return None
    mover = (game.id, game.seat)
    seating = session.get(Seating, mover)
    if seating is not None and seating.house:
        return _bot_of(PROFILES.get(seating.name), is_strong)
    if session.get(Resignation, mover) is not None or session.get(AbsentSeat, mover) is not None:
        return find_caretaker(session, game.id, Channel.CARETAKER)
    return None


def find_caretaker(session: Session, game: str, channel: Channel) -> Bot:
    gently = terms_of(session, game).caretaker == Caretaker.GENTLE
    return Bot(channel, Channel.CARETAKER, (plan_gently,) if gently else (), bots.stand_in)


def _bot_of(profile: Profile | None, is_strong: bool) -> Bot:
    if profile is None:  # seated before bots had profiles
        return Bot(Channel.HOUSE, Channel.HOUSE, (), bots.play_to_win)
    chosen = [profile]
    if profile.strength is Strength.STRONG:
        steady = replace(profile, strength=Strength.STEADY)
        chosen = [profile, steady] if is_strong else [steady]
    plans = tuple(partial(Profile.plan, one) for one in chosen)
    return Bot(Channel.HOUSE, profile.strength, plans, bots.play_to_win)


@dataclass(slots=True)
class ThinkingBot:
    """Chooses the actions of one turn of a bot, one after another."""

    bot: Bot
    thinker: Thinker
    seconds: float
    """Maximum seconds that each planner in `bot.plans` may use in the whole turn; 0: no limit."""
    events: EventLog
    _plans: deque[_Planner] = field(init=False)
    _ahead: deque[Action] = field(init=False, default_factory=deque)
    _spent: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self._plans = deque(self.bot.plans)

    def __call__(self, known: View) -> Action:
        self.think(known)
        return self._ahead.popleft()

    def think(self, known: View) -> None:
        """Plan the next actions if none are planned. Raises `ThinkerBusy` or `ThinkerStopped`."""
        while not self._ahead:
            if not self._plans:
                self._ahead.append(self.bot.play(known))
            elif found := self._find_plan(self._plans[0], known):
                self._ahead.extend(found)
            else:
                self._plans.popleft()
                self._spent = 0.0

    def _find_plan(self, plan: _Planner, known: View) -> tuple[Action, ...]:
        left = self.seconds - self._spent if self.seconds else None
        if left is not None and left <= 0:
            return ()
        begun, found = monotonic(), tuple[Action, ...]()
        try:
            found = self.thinker.call(plan, known, seconds=left)
        except (ThinkerBusy, ThinkerStopped):
            raise
        except ThinkingFailed:
            pass  # the thinker has logged the reason
        except Exception:
            LOG.exception("a bot (%s) found no actions", self.bot.strength)
        taken = monotonic() - begun
        self._spent += taken
        self.events.note_thought(self.bot.strength, taken)
        return found


SHORTEST_PAUSE, LONGEST_PAUSE = 3.0, 5.0
"""Minimum and maximum pause before a bot's turn, in seconds. The turn may be one second late."""
LOOKS_EVERY = 1.0
MOST_TURNS = 1000


@dataclass(slots=True)
class _WaitingTurn:
    """A turn whose first actions are planned, waiting for the end of its pause."""

    after: int
    thinking: ThinkingBot
    due: float  # monotonic time


class BotTurns:
    """Plays the turns of bots and caretakers, one game after another."""

    def __init__(self, context: Context, steady: Callable[[], float] = monotonic) -> None:
        self._context, self._steady = context, steady
        self._waiting: dict[str, _WaitingTurn] = {}
        self._round: deque[str] = deque()

    def play(self, now: datetime) -> int:
        """Plan one turn or play one, and return 1; return 0 if neither is possible now."""
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
            play_turn(self._context, game, turn.after, turn.thinking, turn.thinking.bot.channel, now)
        except (ThinkerBusy, ThinkerStopped):
            return 0  # tried again in the next round, or after a restart
        return 1

    def _think(self, game: str) -> _WaitingTurn | None:
        context, seconds = self._context, self._context.settings.house_seconds
        begun = self._steady()
        with context.reading() as session:
            row = session.get_one(Game, game)
            bot = find_bot(session, row, is_strong=seconds > 0)
            if bot is None or row.status != GameStatus.RUNNING:  # the game has ended meanwhile
                return None
            position = load_running_game(context, session, game, row.after).history.position
            # no pause until a person has moved: people wait for their first letter
            is_awaited = bot.channel == Channel.CARETAKER or not _has_person_moved(session, game, position)
        turn = ThinkingBot(bot, context.thinker, seconds, context.events)
        turn.think(view(position, position.table.seat))
        pause = pause_before(game, row.after) if seconds and not is_awaited else 0.0
        return _WaitingTurn(row.after, turn, begun + pause)


def pause_before(game: str, after: int) -> float:
    # a hash: a restarted server computes an equal pause
    part = sha256(f"{game} {after}".encode()).digest()[0] / 255
    return SHORTEST_PAUSE + part * (LONGEST_PAUSE - SHORTEST_PAUSE)


def _has_person_moved(session: Session, game: str, position: Position) -> bool:
    people = session.exec(select(Seating.seat).where(Seating.game == game, ~col(Seating.house)))
    return any(seat < position.table.turn - 1 for seat in people)


def play_bot_turns(context: Context, now: datetime) -> int:
    """Call `BotTurns.play` until nothing is possible now; return how often a turn was planned or played."""
    turns = BotTurns(context)
    done = 0
    while done < MOST_TURNS and turns.play(now):
        done += 1
    return done
