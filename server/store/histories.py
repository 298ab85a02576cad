"""What the acts of a game amount to: its history, of a game that waits or of one that has begun."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from engine.events import Event, GameStarted
from engine.evolve import evolve, start
from engine.position import Position
from server.store.refusals import GameNotBegun


@dataclass(frozen=True, slots=True)
class ClockPause:
    """When the clock of a seat was stopped last, and when it went on, if it did."""

    began: datetime
    ended: datetime | None = None


MOST_SEATS = 4
"""The seats that a game has at most."""


@dataclass(frozen=True, slots=True)
class SeatTenure:
    """Who has a seat that changed hands before the game began, and since which act."""

    seq: int
    """The act that did it: tickets made before are those of an earlier player."""
    at: datetime
    times: int
    """How often it has changed hands."""
    joined: bool
    """Whether somebody has it who came by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A game's acts as read so far, folded; of one that has begun it is a `StartedHistory`."""

    seq: int = 0
    after: int = 0
    """The last act that changed the position; before the game begins, the last that changed the seats."""
    digest: str = ""
    events: tuple[tuple[int, Event], ...] = ()
    """Every fact of the game with the number of its act."""
    clock_pauses: Mapping[int, ClockPause] = field(default_factory=dict)
    """The last halt of the clock of each seat that had one."""
    resigned: Mapping[int, datetime] = field(default_factory=dict)
    """The seats whose players have given the game up, and when."""
    seat_tenures: Mapping[int, SeatTenure] = field(default_factory=dict)
    """The seats that have changed hands before the game began."""
    cancelled: bool = False
    redactions: int = 0
    """How often names had been taken out of the acts when they were read: each time their digests change."""

    def player_since(self, seat: int) -> int:
        """The act with which a seat's player got it: their tickets are of this position or a later one."""
        return self.seat_tenures[seat].seq if seat in self.seat_tenures else 0

    def holder_code(self, seat: int) -> int:
        """One byte for a seat and the player who has it now, for tokens that know no position."""
        return seat + MOST_SEATS * (self.seat_tenures[seat].times if seat in self.seat_tenures else 0)

    def seat_of_holder(self, holder: int) -> int | None:
        """The seat of such a byte; None where another has it by now."""
        return holder % MOST_SEATS if self.holder_code(holder % MOST_SEATS) == holder else None

    def is_clock_paused(self, seat: int) -> bool:
        """Whether the clock of a seat stands still."""
        return seat in self.clock_pauses and self.clock_pauses[seat].ended is None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedHistory(History):
    """The acts of a game that has begun: cards have been dealt, so there is a position."""

    deal: GameStarted
    """The first fact of the game itself."""
    position: Position


def require_started(history: History) -> StartedHistory:
    """The same history, of a game that has begun. Raises `GameNotBegun`."""
    if not isinstance(history, StartedHistory):
        raise GameNotBegun
    return history


def list_steps(history: StartedHistory) -> list[tuple[Position, Event]]:
    """The facts of a game after its deal, each with the position before it."""
    now, found = start(history.position.table.board, history.deal), []
    for _, event in history.events[1:]:
        found.append((now, event))
        now = evolve(now, event)
    return found


@dataclass(slots=True)
class HistoryCache:
    """Recently used histories, so that a game in play is not read from its start each time."""

    most: int = 200
    _kept: OrderedDict[str, History] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def get(self, game: str) -> History:
        """What is kept of a game; an empty history where nothing is."""
        with self._lock:
            if game in self._kept:
                self._kept.move_to_end(game)
            return self._kept.get(game, History())

    def put(self, game: str, history: History) -> None:
        """Keep a history that is committed, and let the least used one go."""
        with self._lock:
            self._kept[game] = history
            self._kept.move_to_end(game)
            if len(self._kept) > self.most:
                self._kept.popitem(last=False)
