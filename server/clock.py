"""The game clock: deadlines, reminders, downtime, and the schedule of all chores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from threading import Lock
from time import monotonic

from sqlalchemy import func, or_, update
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from emails.letters import game_letters
from server import retention
from server.accounts import addresses, bounces
from server.admin.backups import back_up_daily
from server.delivery.claims import is_letter_in_hand
from server.lobby import open_seats, proposals
from server.lobby.votes import end_long_pause, find_seat_vote_end, settle_votes_of
from server.monitoring import ChoreFailures
from server.network import ImapMailbox
from server.outbox.notifications import KINDS_SHOWING_GAME, Notification, load_preferences
from server.outbox.queue import UnitOfWork
from server.outbox.timed_letters import end_absence, end_downtime, queue_daily_letters
from server.store.context import Context
from server.store.models import Game, IncomingMail, OutgoingLetter, Seating
from server.store.schedule import (
    games_due,
    is_gone,
    look_at_game_next,
    put_off_due_games,
    read_moment,
    shift_waiting,
    work_at_game,
    write_moment,
)
from server.store.states import Channel, GameStatus, LetterState, MailState, MomentName, Role
from server.store.turn_clock import (
    PUT_OFF_WHILE_AWAY,
    WELCOMED,
    begin_turn_clock,
    find_deadline,
    follow_clocks,
    is_awaiting_letter,
    load_seat_availability,
    protection_of,
    rest_of,
    shift_absences,
    unavailable_times_of,
    whole_time,
)
from server.thinker import InlineThinker
from server.turn_time import Interval, Reminder, after_protected, came_home, list_reminders, passed_marks
from server.turns.bot_turns import ThinkingBot, find_bot, find_caretaker, play_bot_turns
from server.turns.play import play_due_plans, play_turn

LETTER_SOUGHT_EVERY = timedelta(minutes=1)  # A turn's clock starts when its letter is sent.


class TaskKind(StrEnum):
    REMIND = "remind"
    WELCOME_BACK = "welcome back"
    TIME_OUT = "time out"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class DueTask:
    game: str
    after: int
    what: TaskKind
    seat: int
    mark: int = 0
    passed: int = 0
    """Marks of all reminders due by now, as a bit mask. Only the latest is sent; all are marked as sent."""


def find_task(
    game: Game,
    now: datetime,
    reminders: Sequence[Reminder] = (),
    pause_ends: datetime | None = None,
    home_at: datetime | None = None,
) -> DueTask | None:
    """Return the task that is due in a game in which a person is to move; None if no task is due.

    `pause_ends`: end of the pause, if the game is paused. `home_at`: the morning after a vacation of the
    player during this turn, if there was one.
    """
    if game.status != GameStatus.RUNNING or game.seat is None or game.suspended_at is not None:
        return None
    if pause_ends is not None and now >= pause_ends:
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
    """Return when a game must be checked next if no act changes the game before; None: never.

    Parameters as in `find_task`.
    """
    if game.status != GameStatus.RUNNING or game.suspended_at is not None:
        return None
    if is_awaiting_letter(game):
        return now + LETTER_SOUGHT_EVERY
    if game.paused_at is not None:
        return pause_ends
    if game.deadline is None:
        return None
    moments = [one.at for one in reminders] + ([] if home_at is None else [home_at])
    return min((game.deadline, *(one for one in moments if one > now)))


HEARTBEAT_EVERY = 10.0
LEAST_STANDSTILL = timedelta(minutes=1)  # without a heartbeat; less is no downtime
LEAST_JUMP = timedelta(seconds=5)
"""Minimum difference between wall clock and steady clock that counts as a change of the wall clock."""
SETTLED_AFTER = 600.0


class ClockWatch:
    """Detects downtime and changes of the wall clock, by comparison with a steady clock."""

    def __init__(
        self, context: Context, steady: Callable[[], float] = monotonic, *, awaits_mail: bool = False
    ) -> None:
        """`steady`: monotonic clock. `awaits_mail`: time in which no process reads mail is downtime."""
        self._context, self._steady, self._awaits_mail = context, steady, awaits_mail
        self._looked: tuple[datetime, float] | None = None
        self._beat = 0.0
        self._set_ahead_at: float | None = None
        # held while a jump of the clock moves stored times, and by work that relies on them
        self.lock = Lock()

    @property
    def is_settled(self) -> bool:
        """False for ten minutes after the wall clock was set ahead, perhaps by mistake."""
        return self._set_ahead_at is None or self._steady() - self._set_ahead_at >= SETTLED_AFTER

    def look(self, now: datetime) -> bool:
        """Correct deadlines after downtime and clock jumps. Returns False if no chore may run in this round.

        Downtime is detected at the first call, after the process was frozen, after the database refused
        writes, and after a time in which no process read mail.
        """
        at, before = self._steady(), self._looked
        if before is None:
            give_back_downtime(self._context, now)
            self._looked, self._beat = (now, at), at
            return True
        passed = timedelta(seconds=at - before[1])
        jump = now - before[0] - passed
        if abs(jump) >= LEAST_JUMP:
            follow_wall_clock(self._context, jump, (now - passed, now))
            self._looked, self._beat = (now, at), at
            self._set_ahead_at = at if jump > timedelta() else None
            return False
        self._looked = now, at
        if at - self._beat >= HEARTBEAT_EVERY:
            with self._context.reading() as session:
                if self._awaits_mail and is_gone(session, Role.MAIL, now):
                    return False  # no heartbeat, so that this time is given back too
            keep_heartbeat(self._context, now)
            self._beat = at  # after success, so that a failure is retried in the next round
        return True


def give_back_downtime(context: Context, now: datetime) -> None:
    """Extend all turns by the time since the last heartbeat; called when a server starts."""
    with context.writing() as session:
        last = read_moment(session, MomentName.HEARTBEAT)
        if last is not None and last <= now:
            end_downtime(context, session, last, now)
        elif last is not None:  # the wall clock was set back meanwhile
            _move_all(session, now - last, (now, now))
        write_moment(session, MomentName.HEARTBEAT, now)
        session.commit()
    if last is not None:
        context.events.note_downtime(now - last)


def keep_heartbeat(context: Context, now: datetime) -> None:
    """Store a heartbeat; if the time since the last one was downtime, extend all turns by it."""
    with context.writing() as session:
        stood = _stood_still(session, now)
        if stood:
            end_downtime(context, session, now - stood, now)
        write_moment(session, MomentName.HEARTBEAT, now)
        session.commit()
    if stood:
        context.events.note_downtime(stood)


def note_mailbox(context: Context, name: MomentName, at: datetime) -> None:
    """Store `at` as the time of the last reading of the mailbox or as the start of its outage (see `name`).

    The start of an outage that is stored already is not changed.
    """
    with context.writing() as session:
        if name is MomentName.MAILBOX_AWAY:
            at = max(at, read_moment(session, MomentName.MAILBOX_READ) or at)
            at = read_moment(session, name) or at
        write_moment(session, name, at)
        context.commit_work(session)  # wakes the job that ends turns, which waits for the mailbox


def is_mailbox_read(context: Context, session: Session, moment: datetime) -> bool:
    """Return whether the whole IMAP mailbox was read after `moment`; True without an IMAP mailbox."""
    if not isinstance(context.settings.mail_in, ImapMailbox):
        return True
    looked = read_moment(session, MomentName.MAILBOX_READ)
    return looked is not None and looked > moment


def follow_wall_clock(context: Context, jump: timedelta, newer: Interval) -> None:
    """Move all times in the database by a jump of the wall clock.

    `newer`: the interval since the last check, by the changed wall clock. Stored times in this interval are
    already right and are not moved.
    Nothing is moved if the stored heartbeat shows that another server has already moved the times.
    """
    now = newer[1]
    with context.writing() as session:
        last = read_moment(session, MomentName.HEARTBEAT)
        if last is None or abs(last - now) >= abs(last - (now - jump)):
            _move_all(session, jump, newer)
            if last is not None and now - jump - last >= LEAST_STANDSTILL:
                end_downtime(context, session, last + jump, now)
            write_moment(session, MomentName.HEARTBEAT, now)
            session.commit()
    context.next_cleanup = None
    context.events.note_clock_jump(jump)


def _move_all(session: Session, by: timedelta, newer: Interval) -> None:
    follow_clocks(session, by, newer)
    shift_waiting(session, by, newer)
    shift_absences(session, by, newer[1])


def _stood_still(session: Session, now: datetime) -> timedelta:
    last = read_moment(session, MomentName.HEARTBEAT)
    stood = timedelta(0) if last is None else now - last
    return stood if stood >= LEAST_STANDSTILL else timedelta(0)


MOST_AT_ONCE = 20


def tick(context: Context, now: datetime) -> int:
    """Run all chores, the turns that players have planned, and bot turns; return the number of tasks done.

    Safe to run twice, late, or concurrently.
    """
    return keep_time(context, now) + play_due_plans(context, now) + play_bot_turns(context, now)


def keep_time(
    context: Context, now: datetime, is_settled: bool = True, failures: ChoreFailures | None = None
) -> int:
    """Run all chores, but irreversible ones only if `is_settled`; return the number of tasks done."""
    noted = ChoreFailures() if failures is None else failures
    return sum(chore.run(context, now, is_settled, noted) for chore in CHORES)


def keep_deadlines(context: Context, now: datetime) -> int:
    """Send due reminders and end overdue turns, unless relay or mailbox is down; return the number done."""
    if _is_relay_away(context, now) or _is_mailbox_away(context, now):
        _put_off_games(context, now)
        return 0
    with context.reading() as session:
        games = games_due(session, now)
    done = 0
    for game in games:
        if done == MOST_AT_ONCE:
            break
        done += work_at_game(context, game, now, partial(_work_at_game, context, now))
    return done


def _put_off_games(context: Context, now: datetime) -> None:
    with context.reading() as session:
        if not games_due(session, now):
            return
    with context.writing() as session:
        put_off_due_games(session, now, now + PUT_OFF_WHILE_AWAY)
        session.commit()


def _is_relay_away(context: Context, now: datetime) -> bool:
    """Return whether letters wait for an unavailable relay; if none waits, record the end of the outage."""
    with context.reading() as session:
        if read_moment(session, MomentName.RELAY_AWAY) is None:
            return False
        if is_letter_in_hand(session, context.settings.unasked_per_day, now):
            return True
    _end_absence(context, MomentName.RELAY_AWAY, now)
    return False


def _is_mailbox_away(context: Context, now: datetime) -> bool:
    with context.reading() as session:
        away = read_moment(session, MomentName.MAILBOX_AWAY)
        if away is None:
            return False
        if not is_mailbox_read(context, session, away) or _may_orders_wait(session, now, now):
            return True
    _end_absence(context, MomentName.MAILBOX_AWAY, now)
    return False


def _end_absence(context: Context, name: MomentName, now: datetime) -> None:
    with context.writing() as session:
        end_absence(context, session, name, now)
        context.commit_work(session)


def _work_at_game(context: Context, now: datetime, game_id: str) -> int:
    with context.reading() as session:
        game = session.get_one(Game, game_id)
        if find_bot(session, game) is not None:
            return 0
        reminders = _list_wanted_reminders(session, game, now)
        home_at = _find_return(session, game)
        ends = None if game.paused_at is None else context.history_of(session, game).agreements.pause_ends
        task = find_task(game, now, reminders, ends, home_at)
        time_out = task is not None and task.what == TaskKind.TIME_OUT
        if time_out and not is_mailbox_read(context, session, game.deadline or now):
            return 0
        if time_out and _may_orders_wait(session, game.deadline or now, now):
            return 0  # checked last, as mails are stored before the mailbox counts as read
        may_wait = task is not None and task.what != TaskKind.WELCOME_BACK
        until = _find_rest(session, game, now, time_out=time_out) if may_wait else None
        seat_vote_ends = find_seat_vote_end(context, session, game)
    if seat_vote_ends is not None and seat_vote_ends <= now and settle_votes_of(context, game_id, now):
        return 1
    if until is not None:
        _wait_for_player(context, game, until, time_out=time_out)
        return 0
    if task is not None:
        _perform_task(context, task, now)
        return 1
    with context.writing() as session:
        looks = [next_look(game, now, reminders, ends, home_at), seat_vote_ends]
        look_at_game_next(session, game, min((one for one in looks if one and one > now), default=looks[0]))
        if is_awaiting_letter(game) and not _is_letter_coming(session, game, now):
            begin_turn_clock(session, game_id, game.seat, game.turn, now)
        session.commit()
    return 0


def _find_return(session: Session, game: Game) -> datetime | None:
    availability = load_seat_availability(session, game.id, game.seat)
    if availability is None or game.turn_began_at is None:
        return None
    return came_home(availability, game.turn_began_at)


def _list_wanted_reminders(session: Session, game: Game, now: datetime) -> list[Reminder]:
    deadline = find_deadline(session, game, now)
    seating = None if game.seat is None else session.get(Seating, (game.id, game.seat))
    if deadline is None or seating is None or seating.player is None:
        return []
    if not load_preferences(session, seating.player, game.id).reminders:
        return []
    unavailable = protection_of(game, unavailable_times_of(session, game.id, game.seat), now)
    return list_reminders(whole_time(game), deadline, unavailable, rest_of(session, game, now))


def _find_rest(session: Session, game: Game, now: datetime, *, time_out: bool) -> datetime | None:
    until = (
        find_deadline(session, game, now) if time_out else after_protected(now, rest_of(session, game, now))
    )
    return until if until is not None and until > now else None


def _wait_for_player(context: Context, game: Game, until: datetime, *, time_out: bool) -> None:
    with context.writing() as session:
        look_at_game_next(session, game, until)
        if time_out:
            same = (col(Game.id) == game.id, col(Game.seq) == game.seq, col(Game.deadline) == game.deadline)
            moved = update(Game).where(*same).values(deadline=until)
            session.execute(moved, execution_options={"synchronize_session": False})
        session.commit()


def _is_letter_coming(session: Session, game: Game, now: datetime) -> bool:
    waiting = select(OutgoingLetter.id).where(OutgoingLetter.state == LetterState.WAITING)
    waiting = waiting.where(OutgoingLetter.game == game.id, OutgoingLetter.seat == game.seat)
    in_hand = or_(col(OutgoingLetter.due_at) <= now, col(OutgoingLetter.tries) > 0)
    waiting = waiting.where(col(OutgoingLetter.kind).in_(KINDS_SHOWING_GAME), in_hand)
    return session.exec(waiting.limit(1)).first() is not None


def _may_orders_wait(session: Session, deadline: datetime, now: datetime) -> bool:
    arrived = func.coalesce(col(IncomingMail.arrived_at), col(IncomingMail.at))
    unread = select(IncomingMail.id).where(IncomingMail.state == MailState.WAITING)
    unread = unread.where(col(IncomingMail.due_at) <= now, arrived <= deadline)
    return session.exec(unread.limit(1)).first() is not None


def _perform_task(context: Context, item: DueTask, now: datetime) -> None:
    if item.what in (TaskKind.REMIND, TaskKind.WELCOME_BACK):
        _remind(context, item, now)
        return
    if item.what == TaskKind.RESUME:
        end_long_pause(context, item.game, now)
        return
    with context.reading() as session:
        player = find_caretaker(session, item.game, Channel.CLOCK)
    choose = ThinkingBot(player, InlineThinker(), 0, context.events)  # not queued behind turns of bots
    played = play_turn(context, item.game, item.after, choose, player.channel, now).history
    if played.is_caretaken(item.seat) and played.agreements.votes:
        settle_votes_of(context, item.game, now)


def _remind(context: Context, item: DueTask, now: datetime) -> None:
    with context.writing() as session:
        game = session.get_one(Game, item.game)
        claim = (
            update(Game)
            .where(col(Game.id) == item.game, col(Game.after) == item.after)
            .where(col(Game.reminded).bitwise_and(item.mark) == 0)
            .values(reminded=col(Game.reminded).bitwise_or(item.passed))
        )
        if session.connection().execute(claim).rowcount == 1:
            # Reminders are repeated after the deadline was moved, and after another vacation.
            again = f"x{game.seq}" if game.seq != item.after else ""
            detail = game_letters.Reminder(home=item.what == TaskKind.WELCOME_BACK)
            again += f"x{now:%j}" if detail.home else ""
            notification = Notification(item.seat, detail, mark=f"{item.mark}{again}")
            UnitOfWork(context, session, now).queue(game, [notification])
        session.commit()


@dataclass(frozen=True, slots=True)
class Chore:
    """Periodic work, run as a background job."""

    work: Callable[[Context, datetime], int | None]
    every: float | None = 60.0
    """Seconds between two runs; None: run at each tick and after each commit."""
    cron: Mapping[str, int] = field(default_factory=dict)
    takes: float = 15.0
    """Seconds after which a run counts as hanging."""
    is_final: bool = False
    """True for irreversible work, which waits until the wall clock is settled."""

    @property
    def name(self) -> str:
        return self.work.__name__

    def run(self, context: Context, now: datetime, is_settled: bool, failures: ChoreFailures) -> int:
        """Do the work; return the number of tasks done. A failure is recorded; the next run tries again."""
        if self.is_final and not is_settled:
            return 0
        try:
            done = self.work(context, now) or 0
        except OperationalError:
            raise  # the database is unavailable
        except Exception as error:
            failures.note_failure(self.name, error)
            return 0
        failures.note_done(self.name)
        return done


CHORES = (
    Chore(retention.delete_expired, is_final=True),
    Chore(bounces.review_bounces),
    Chore(addresses.use_due_addresses, is_final=True),
    Chore(proposals.delete_expired_proposals, is_final=True),
    Chore(open_seats.expire_held_seats, is_final=True),
    Chore(keep_deadlines, every=None),
    Chore(queue_daily_letters, cron={"second": 0}),
    Chore(back_up_daily, every=3600.0, cron={"minute": 0}, takes=3600.0),
)
