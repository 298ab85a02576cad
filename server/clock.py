"""What is due: turns of bots, reminders, passed deadlines, letters of the day: data, not jobs in a scheduler.

`due` is pure. `tick` does what is due and may run as often as anybody likes, in several servers at once:
every piece of work is claimed in the database.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import and_, or_, update
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from emails.letters.preferences_text import Pace
from engine import bots
from server.accounts import addresses, undeliverable
from server.lobby import proposals, seat_expiry
from server.outbox.letter_traits import KINDS_SHOWING_GAME
from server.outbox.notifications import Notification
from server.outbox.preferences import load_preferences, preferences_changed_at
from server.outbox.queue import queue_letters
from server.privacy import cleanup
from server.store.context import Context
from server.store.models import Game, OutgoingLetter, Resignation, Seating, StoredPreferences
from server.store.refusals import GameNotRunning, GameSuspended, StalePosition
from server.store.states import Channel, GameStatus, LetterState
from server.turns.play import play_turn

LOG = logging.getLogger(__name__)
REMINDER_FRACTIONS = (1 / 2, 7 / 8)
"""The parts of the time that have gone when a reminder is sent."""


class TaskKind(StrEnum):
    """What the clock does."""

    BOT = "house"
    """Play the turn of a seat that the server plays."""
    CARETAKER = "caretaker"
    """Play the turn of a seat whose player has resigned."""
    REMIND = "remind"
    TIME_OUT = "time out"
    """Play the turn of a seat whose time has passed."""


CHANNELS = {
    TaskKind.BOT: Channel.HOUSE,
    TaskKind.CARETAKER: Channel.CARETAKER,
    TaskKind.TIME_OUT: Channel.CLOCK,
}
"""For each kind of turn that is played for a seat the channel by which it comes in."""
MOST_BOT_TURNS = 50
"""Of these turns of a game in one tick, so that letters do not wait for a game that nobody else plays."""

PLAYERS_WITH_DAILY_LETTERS = select(StoredPreferences.player).where(
    col(StoredPreferences.said).contains('"daily"')
)
SEATS_WITH_DAILY_LETTERS = (
    select(Seating.game, Seating.seat, Seating.player)
    .join(Game, col(Game.id) == Seating.game)
    .where(Game.status == GameStatus.RUNNING, col(Game.suspended_at).is_(None))
    .where(col(Seating.player).in_(PLAYERS_WITH_DAILY_LETTERS))
)
"""The seats of running games whose players may want a letter a day."""


@dataclass(frozen=True, slots=True)
class DueTask:
    """Something that the clock has to do."""

    game: str
    after: int
    what: TaskKind
    seat: int
    count: int = 0
    """Of a reminder: its number, 1 for the first."""

    @property
    def at_once(self) -> bool:
        """Whether it is a turn that is played as soon as it comes."""
        return self.what in (TaskKind.BOT, TaskKind.CARETAKER)


def due_tasks(
    games: Iterable[Game],
    house_seats: frozenset[tuple[str, int]],
    now: datetime,
    resigned: frozenset[tuple[str, int]] = frozenset(),
) -> list[DueTask]:
    """What the clock has to do at `now`; `resigned` are the seats whose players have given the game up."""
    found = []
    for game in games:
        if game.status != GameStatus.RUNNING or game.seat is None or game.suspended_at is not None:
            continue
        if (game.id, game.seat) in house_seats:
            found.append(DueTask(game.id, game.after, TaskKind.BOT, game.seat))
        elif (game.id, game.seat) in resigned:
            found.append(DueTask(game.id, game.after, TaskKind.CARETAKER, game.seat))
        elif game.deadline is not None and game.turn_began_at is not None:
            if now >= game.deadline:
                found.append(DueTask(game.id, game.after, TaskKind.TIME_OUT, game.seat))
                continue
            gone = (now - game.turn_began_at) / (game.deadline - game.turn_began_at)
            count = sum(gone >= part for part in REMINDER_FRACTIONS)
            if count > game.reminded:
                found.append(DueTask(game.id, game.after, TaskKind.REMIND, game.seat, count))
    return found


def load_due_tasks(context: Context, now: datetime) -> list[DueTask]:
    """What the clock has to do at `now` in all games of the database."""
    with context.reading() as session:
        games = list(session.exec(select(Game).where(Game.status == GameStatus.RUNNING)))
        seats = session.exec(select(Seating.game, Seating.seat).where(col(Seating.house)))
        given_up = session.exec(select(Resignation.game, Resignation.seat))
        house_seats = frozenset((row[0], row[1]) for row in seats)
        return due_tasks(games, house_seats, now, frozenset((row[0], row[1]) for row in given_up))


def tick(context: Context, now: datetime) -> int:
    """Do what is due at `now`; the number of things done. Safe to run twice, late, or at once."""
    return keep_time(context, now) + play_house_turns(context, now)


def keep_time(context: Context, now: datetime) -> int:
    """Do what has its time: reminders, deadlines, letters of the day, what is kept so long; how much."""
    cleanup.delete_expired(context, now)
    return (
        undeliverable.review_bounces(context, now)
        + addresses.use_due_addresses(context, now)
        + proposals.delete_expired_proposals(context, now)
        + seat_expiry.expire_held_seats(context, now)
        + _perform_tasks(context, [one for one in load_due_tasks(context, now) if not one.at_once], now)
        + queue_daily_letters(context, now)
    )


def play_house_turns(context: Context, now: datetime) -> int:
    """Play the turns of bots, and of caretakers for those who have resigned; how many."""
    done = 0
    for _ in range(MOST_BOT_TURNS):
        turns = [one for one in load_due_tasks(context, now) if one.at_once]
        played = _perform_tasks(context, turns, now)
        done += played
        if not played:
            break
    return done


def _perform_tasks(context: Context, tasks: Iterable[DueTask], now: datetime) -> int:
    """How many of these tasks were done; one that cannot be keeps no other back."""
    done = 0
    for item in tasks:
        try:
            _perform_task(context, item, now)
        except (StalePosition, GameNotRunning, GameSuspended):
            continue  # somebody was quicker
        except Exception:
            LOG.exception("game %s cannot go on by itself", item.game)  # the others can
            continue
        done += 1
    return done


def _perform_task(context: Context, item: DueTask, now: datetime) -> None:
    if item.what == TaskKind.REMIND:
        _remind(context, item, now)
        return
    choose = bots.play_to_win if item.what == TaskKind.BOT else bots.stand_in
    play_turn(context, item.game, item.after, choose, CHANNELS[item.what], now)


def _remind(context: Context, item: DueTask, now: datetime) -> None:
    with context.writing() as session:
        game = session.get_one(Game, item.game)
        claim = (
            update(Game)
            .where(col(Game.id) == item.game, col(Game.after) == item.after)
            .where(col(Game.reminded) < item.count)
            .values(reminded=item.count)
        )
        if session.connection().execute(claim).rowcount == 1:
            occasion = Notification(item.seat, LetterKind.REMINDER, mark=str(item.count))
            queue_letters(context, session, game, [occasion], now)
        session.commit()


def queue_daily_letters(context: Context, now: datetime) -> int:
    """Queue the letters of the day of running games; how many.

    Whoever wants one letter a day gets it even if nothing has happened, unless a letter that shows the game
    waits for them anyway or has gone to them since their hour. It is queued once, however late or often this
    is asked.
    """
    with context.reading() as session:
        if not _due_daily_letters(session, now):
            return 0
    with context.writing() as session:
        found = _due_daily_letters(session, now)  # again, for another server may have been quicker
        for game, seat, hour in found:
            day = Notification(seat, LetterKind.DIGEST, mark=f"{hour:%Y-%m-%dT%H}")
            queue_letters(context, session, session.get_one(Game, game), [day], now)
        session.commit()
    return len(found)


def _due_daily_letters(session: Session, now: datetime) -> list[tuple[str, int, datetime]]:
    """The games and seats for which the letter of the day is due, each with the hour at which it was."""
    found = []
    for game, seat, player in session.exec(SEATS_WITH_DAILY_LETTERS).all():
        if player is None:
            continue
        wanted = load_preferences(session, player, game)
        hour, changed_at = wanted.last_hour(now), preferences_changed_at(session, player, game)
        if wanted.pace != Pace.DAILY or not wanted.letters or (changed_at is not None and changed_at >= hour):
            continue  # or they want it only since then
        if session.get(Resignation, (game, seat)) is not None:
            continue
        same = select(OutgoingLetter.id).where(
            OutgoingLetter.game == game,
            OutgoingLetter.seat == seat,
            col(OutgoingLetter.kind).in_(KINDS_SHOWING_GAME),
        )
        today = and_(col(OutgoingLetter.kind) == LetterKind.DIGEST, col(OutgoingLetter.queued_at) >= hour)
        told = or_(
            col(OutgoingLetter.state) == LetterState.WAITING, col(OutgoingLetter.sent_at) >= hour, today
        )
        if session.exec(same.where(told)).first() is None:
            found.append((game, seat, hour))
    return found
