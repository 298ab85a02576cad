"""What the clock has to do in a game, and when to look at it again: worked out from its row alone.

Nothing is read or written here, so that the same row and moment give the same tasks to every server.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from emails.wording.times.reminder_times import USUAL_REMINDERS, Reminders
from server.store.facts.game_agreements import LONGEST_PAUSE
from server.store.models import Game
from server.store.states import GameStatus
from server.store.turn_clock import WELCOMED, is_awaiting_letter, whole_time
from server.time_control.reminders import passed_reminders, reminder_moments
from server.time_control.turn_time import UnavailableSpans, always_available

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
    """Of a reminder: the marks of all that its turn could have had by now."""


def due_tasks(
    games: Iterable[Game],
    now: datetime,
    wanted: Reminders = USUAL_REMINDERS,
    unavailable: UnavailableSpans = always_available,
    pause_ends: datetime | None = None,
    home_at: datetime | None = None,
) -> list[DueTask]:
    """What the clock has to do at `now` in games in which a person is to move, who wants these reminders.

    `pause_ends`: when a game that is paused goes on by itself; None: as late as one may. `home_at`: when
    that person comes home who was away when the turn began.
    """
    found = []
    for game in games:
        if game.status != GameStatus.RUNNING or game.seat is None or game.suspended_at is not None:
            continue
        if game.paused_at is not None and now >= (pause_ends or game.paused_at + LONGEST_PAUSE):
            found.append(DueTask(game.id, game.after, TaskKind.RESUME, game.seat))
        elif game.deadline is not None and now >= game.deadline:
            found.append(DueTask(game.id, game.after, TaskKind.TIME_OUT, game.seat))
        elif game.deadline is not None and home_at and home_at <= now and not game.reminded & WELCOMED:
            found.append(DueTask(game.id, game.after, TaskKind.WELCOME_BACK, game.seat, WELCOMED, WELCOMED))
        elif game.deadline is not None:
            whole = whole_time(game)
            due = [
                one for one in reminder_moments(whole, game.deadline, wanted, unavailable) if now >= one.at
            ]
            if due and not due[-1].mark & game.reminded:
                passed = passed_reminders(whole, game.deadline, now, unavailable)
                found.append(DueTask(game.id, game.after, TaskKind.REMIND, game.seat, due[-1].mark, passed))
    return found


def next_look(
    game: Game,
    now: datetime,
    wanted: Reminders = USUAL_REMINDERS,
    unavailable: UnavailableSpans = always_available,
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
    reminders = reminder_moments(whole_time(game), game.deadline, wanted, unavailable)
    ahead = next((one.at for one in reminders if one.at > now), game.deadline)
    return ahead if home_at is None or home_at <= now else min(ahead, home_at)
