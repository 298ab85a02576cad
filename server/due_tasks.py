"""What the clock has to do in a game, and when to look at it again: worked out from its row alone.

Nothing is read or written here, so that the same row and moment give the same tasks to every server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from server.store.facts.game_agreements import LONGEST_PAUSE
from server.store.models import Game
from server.store.states import GameStatus
from server.store.turn_clock import WELCOMED, is_awaiting_letter
from server.time_control.reminders import Reminder, passed_marks

LETTER_SOUGHT_EVERY = timedelta(minutes=1)
"""How often it is seen whether the letter of a turn still waits, without which its time does not begin."""


class TaskKind(StrEnum):
    """What the clock does."""

    REMIND = "remind"
    WELCOME_BACK = "welcome back"
    """Tell a player on their first day home that it is their turn."""
    TIME_OUT = "time out"
    """Play the turn of a seat whose time has passed."""
    RESUME = "resume"
    """Let a game go on that was paused for too long."""


@dataclass(frozen=True, slots=True)
class DueTask:
    """Something that the clock has to do."""

    game: str
    after: int
    what: TaskKind
    seat: int
    mark: int = 0
    """Of a reminder: which it is."""
    passed: int = 0
    """Of a reminder: the marks of all whose time has come."""


def find_task(
    game: Game,
    now: datetime,
    reminders: Sequence[Reminder] = (),
    pause_ends: datetime | None = None,
    home_at: datetime | None = None,
) -> DueTask | None:
    """What the clock has to do at `now` in a game in which a person is to move; None: nothing.

    `reminders`: those of the turn, where its player wants them; `pause_ends`: when a game that is paused goes
    on by itself; None: as late as one may. `home_at`: when that person comes home who was away when the turn
    began.
    """
    if game.status != GameStatus.RUNNING or game.seat is None or game.suspended_at is not None:
        return None
    if game.paused_at is not None and now >= (pause_ends or game.paused_at + LONGEST_PAUSE):
        return DueTask(game.id, game.after, TaskKind.RESUME, game.seat)
    if game.deadline is not None and now >= game.deadline:
        return DueTask(game.id, game.after, TaskKind.TIME_OUT, game.seat)
    if game.deadline is not None and home_at and home_at <= now and not game.reminded & WELCOMED:
        return DueTask(game.id, game.after, TaskKind.WELCOME_BACK, game.seat, WELCOMED, WELCOMED)
    due = [one for one in reminders if one.at <= now]
    if due and not due[-1].mark & game.reminded:
        passed = passed_marks(due, now)
        return DueTask(game.id, game.after, TaskKind.REMIND, game.seat, due[-1].mark, passed)
    return None


def next_look(
    game: Game,
    now: datetime,
    reminders: Sequence[Reminder] = (),
    pause_ends: datetime | None = None,
    home_at: datetime | None = None,
) -> datetime | None:
    """When the clock has to look at a game again if nothing happens in it; None: never."""
    if game.status != GameStatus.RUNNING or game.suspended_at is not None:
        return None
    if is_awaiting_letter(game):
        return now + LETTER_SOUGHT_EVERY
    if game.paused_at is not None:
        return pause_ends or game.paused_at + LONGEST_PAUSE
    if game.deadline is None:
        return None
    moments = [one.at for one in reminders] + ([] if home_at is None else [home_at])
    return min((game.deadline, *(one for one in moments if one > now)))
