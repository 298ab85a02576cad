"""Who plays a turn that no person plays, and how it is thought of: at a seat of the house, or as a caretaker.

A profile thinks by the context's thinker, a piece of the turn at a time: a plan holds until a card comes
up. One for whom nothing is found in time plays on as *Steady* would, and at last by what is found at once.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from time import monotonic

from sqlmodel import Session

from emails.terms import Caretaker
from engine import bots
from engine.actions import Action
from engine.bots.strengths import PROFILES, Profile, Strength, plan_gently
from engine.position import View
from server.monitoring.server_events import EventLog
from server.store.game_terms import terms_of
from server.store.models import AbsentSeat, Game, Resignation, Seating
from server.store.states import Channel
from server.thinking.thinking_process import Thinker, ThinkerBusy, ThinkerStopped, ThinkingFailed

LOG = logging.getLogger(__name__)

MOST_PLANS = 2
"""Ways in which somebody thinks about a turn, each for the seconds that there are."""
_Planner = Callable[[View], tuple[Action, ...]]
"""Finds what to do next, up to the first card that is revealed."""


@dataclass(frozen=True, slots=True)
class HouseBot:
    """Whoever plays a turn that no person plays."""

    channel: Channel
    strength: StrEnum
    """For the figures: that of a profile, or what else they are."""
    plans: tuple[_Planner, ...]
    """How they find what to do; each is tried only when the one before has found nothing."""
    play: Callable[[View], Action]
    """What they do when nothing is found; it takes no time."""


def find_house_player(session: Session, game: Game, is_strong: bool = False) -> HouseBot | None:
    """Who moves in a game for the house, None where a person does; `is_strong`: whether anybody may be so."""
    if game.seat is None:
        return None
    mover = (game.id, game.seat)
    seating = session.get(Seating, mover)
    if seating is not None and seating.house:
        return _sit_down(PROFILES.get(seating.name), is_strong)
    if session.get(Resignation, mover) is not None or session.get(AbsentSeat, mover) is not None:
        return find_caretaker(session, game.id, Channel.CARETAKER)
    return None


def find_caretaker(session: Session, game: str, channel: Channel) -> HouseBot:
    """Who plays in a game for somebody who is away."""
    gently = terms_of(session, game).caretaker == Caretaker.GENTLE
    return HouseBot(channel, Channel.CARETAKER, (plan_gently,) if gently else (), bots.stand_in)


def _sit_down(profile: Profile | None, is_strong: bool) -> HouseBot:
    if profile is None:  # from before they had names of their own
        return HouseBot(Channel.HOUSE, Channel.HOUSE, (), bots.play_to_win)
    chosen = [profile]
    if profile.strength is Strength.STRONG:
        steady = replace(profile, strength=Strength.STEADY)
        chosen = [profile, steady] if is_strong else [steady]
    plans = tuple(partial(Profile.plan, one) for one in chosen)
    return HouseBot(Channel.HOUSE, profile.strength, plans, bots.play_to_win)


@dataclass(slots=True)
class ThinkingPlayer:
    """Thinks about one turn of a house player, and says action by action what they do."""

    player: HouseBot
    thinker: Thinker
    seconds: float
    """How long each way in which they plan may take in all; 0: as long as it likes."""
    events: EventLog
    _plans: deque[_Planner] = field(init=False)
    """The ways that are left."""
    _ahead: deque[Action] = field(init=False, default_factory=deque)
    """What is planned and not done yet."""
    _spent: float = field(init=False, default=0.0)
    """For how long the first of the ways has been gone."""

    def __post_init__(self) -> None:
        self._plans = deque(self.player.plans)

    def __call__(self, known: View) -> Action:
        """What they do next. Raises `ThinkerBusy` or `ThinkerStopped`."""
        self.think(known)
        return self._ahead.popleft()

    def think(self, known: View) -> None:
        """Find what they do next, where nothing is planned. Raises `ThinkerBusy` or `ThinkerStopped`."""
        while not self._ahead:
            if not self._plans:
                self._ahead.append(self.player.play(known))
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
            pass  # it was told why
        except Exception:
            LOG.exception("a player of the house (%s) has found nothing to do", self.player.strength)
        taken = monotonic() - begun
        self._spent += taken
        self.events.note_thought(self.player.strength, taken)
        return found
