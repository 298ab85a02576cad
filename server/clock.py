"""What is due: reminders, passed deadlines, letters of the day: data, not jobs in a scheduler.

What is due is worked out in due_tasks.py. `tick` does it and may run as often as anybody likes, in several
servers at once: every piece of work is claimed in the database.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial

from sqlalchemy import ColumnElement, func, or_, update
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from server.accounts import addresses, bounce_review
from server.due_tasks import DueTask, TaskKind, find_task, next_look
from server.house.house_players import ThinkingPlayer, find_caretaker, find_house_player
from server.house.house_turns import play_house_turns
from server.lobby import open_seats, proposals
from server.lobby.votes import end_long_pause, find_seat_vote_end, settle_votes_of
from server.monitoring.chore_failures import ChoreFailures
from server.outbox.budgets import is_letter_in_hand
from server.outbox.daily_letters import queue_daily_letters
from server.outbox.letter_details import ReminderDetail
from server.outbox.letter_traits import KINDS_SHOWING_GAME
from server.outbox.notifications import Notification
from server.outbox.posted_announcements import TOLD_AFTER, list_told_turns, tell_new_deadlines
from server.outbox.preferences import load_preferences
from server.outbox.queue import queue_letters
from server.privacy import cleanup
from server.standstills import is_mailbox_read
from server.store.context import Context
from server.store.due_work import games_due, look_at_game_next, put_off_due_games
from server.store.models import Game, IncomingMail, OutgoingLetter, Seating
from server.store.row_failures import work_at_game
from server.store.server_moments import read_moment
from server.store.states import Channel, LetterState, MailState, MomentName
from server.store.stored_availability import (
    load_seat_availability,
    unavailable_spans_of,
)
from server.store.turn_clock import (
    PUT_OFF_WHILE_AWAY,
    begin_turn_clock,
    end_absence,
    find_deadline,
    is_awaiting_letter,
    protection_of,
    rest_of,
    whole_time,
)
from server.thinking.thinker import InlineThinker
from server.time_control.availability import came_home
from server.time_control.reminders import Reminder, list_reminders
from server.time_control.turn_time import after_protected
from server.turns.planned_turns import play_due_plans
from server.turns.play import play_turn

MOST_AT_ONCE = 20
"""Games in which something is done before the clock is looked at again."""


def tick(context: Context, now: datetime) -> int:
    """Do what is due at `now`; the number of things done. Safe to run twice, late, or at once."""
    return keep_time(context, now) + play_due_plans(context, now) + play_house_turns(context, now)


def keep_time(
    context: Context, now: datetime, is_settled: bool = True, failures: ChoreFailures | None = None
) -> int:
    """Do what has its time: reminders, deadlines, letters of the day, what is kept so long; how much.

    What fails is noted in `failures` and done again at the next tick; all else goes on. What cannot be undone
    waits until the wall clock `is_settled`.
    """
    done, failures = 0, ChoreFailures() if failures is None else failures
    for chore in CHORES:
        if chore in FINAL_CHORES and not is_settled:
            continue
        try:
            done += chore(context, now) or 0
            failures.note_done(chore.__name__)
        except OperationalError:
            raise  # the database is away
        except Exception as error:
            failures.note_failure(chore.__name__, error)
    return done


def keep_deadlines(context: Context, now: datetime) -> int:
    """Send reminders, and play turns whose time has passed; how many.

    None while the relay is away, or mail lies in a mailbox that cannot be read.
    """
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
    """During an absence what is due is not looked at at every tick, but for what the house plays."""
    with context.reading() as session:
        if not games_due(session, now):
            return
    with context.writing() as session:
        put_off_due_games(session, now, now + PUT_OFF_WHILE_AWAY)
        session.commit()


def _is_relay_away(context: Context, now: datetime) -> bool:
    """Whether letters wait for a relay that takes none; where none waits any more, that has ended."""
    with context.reading() as session:
        if read_moment(session, MomentName.RELAY_AWAY) is None:
            return False
        if is_letter_in_hand(session, context.settings.unasked_per_day, now):
            return True
    _end_absence(context, MomentName.RELAY_AWAY, now)
    return False


def _is_mailbox_away(context: Context, now: datetime) -> bool:
    """Whether the mailbox cannot be read, or not all that was found there then is read.

    Once it is, that time is given back.
    """
    with context.reading() as session:
        away = read_moment(session, MomentName.MAILBOX_AWAY)
        if away is None:
            return False
        if not is_mailbox_read(context, session, away) or _may_orders_wait(session, now, now):
            return True
    _end_absence(context, MomentName.MAILBOX_AWAY, now)
    return False


def _end_absence(context: Context, name: MomentName, now: datetime) -> None:
    """Give the time of an absence back, and tell the players to move their new deadlines."""
    with context.writing() as session:
        told = list_told_turns(session, now)
        if end_absence(session, name, now) >= TOLD_AFTER:
            tell_new_deadlines(context, session, told, now)
        context.commit_work(session)


def _work_at_game(context: Context, now: datetime, game_id: str) -> int:
    """Do what is due in one game, or note when to look at it again; how much was done."""
    with context.reading() as session:
        game = session.get_one(Game, game_id)
        if find_house_player(session, game) is not None:
            return 0
        reminders = _list_wanted_reminders(session, game, now)
        home_at = _find_return(session, game)
        ends = None if game.paused_at is None else context.history_of(session, game).agreements.pause_ends
        task = find_task(game, now, reminders, ends, home_at)
        time_out = task is not None and task.what == TaskKind.TIME_OUT
        if time_out and not is_mailbox_read(context, session, game.deadline or now):
            return 0
        if time_out and _may_orders_wait(session, game.deadline or now, now):
            return 0  # asked last, for what a look into the mailbox has found is stored before that is noted
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
    """When the player to move is up on their first day home who was away during this turn; None: never."""
    availability = load_seat_availability(session, game.id, game.seat)
    if availability is None or game.turn_began_at is None:
        return None
    return came_home(availability, game.turn_began_at)


def _list_wanted_reminders(session: Session, game: Game, now: datetime) -> list[Reminder]:
    """The reminders of the turn that goes on; none where its player wants none."""
    deadline = find_deadline(session, game, now)
    seating = None if game.seat is None else session.get(Seating, (game.id, game.seat))
    if deadline is None or seating is None or seating.player is None:
        return []
    if not load_preferences(session, seating.player, game.id).reminders:
        return []
    unavailable = protection_of(game, unavailable_spans_of(session, game.id, game.seat), now)
    return list_reminders(whole_time(game), deadline, unavailable, rest_of(session, game, now))


def _find_rest(session: Session, game: Game, now: datetime, *, time_out: bool) -> datetime | None:
    """Until when nobody is reminded, or no turn is played for its player, who is not there; None: now."""
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
    """Whether a letter to whoever is to move waits for nothing but the relay."""
    waiting = select(OutgoingLetter.id).where(OutgoingLetter.state == LetterState.WAITING)
    waiting = waiting.where(OutgoingLetter.game == game.id, OutgoingLetter.seat == game.seat)
    waiting = waiting.where(col(OutgoingLetter.kind).in_(KINDS_SHOWING_GAME), _is_in_hand(now))
    return session.exec(waiting.limit(1)).first() is not None


def _is_in_hand(now: datetime) -> ColumnElement[bool]:
    return or_(col(OutgoingLetter.due_at) <= now, col(OutgoingLetter.tries) > 0)


def _may_orders_wait(session: Session, deadline: datetime, now: datetime) -> bool:
    """Whether a mail is still to be read that reached the house before a deadline.

    What has failed, or has to wait, is no reason: it is tried again later than that.
    """
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
    choose = ThinkingPlayer(
        player, InlineThinker(), 0, context.events
    )  # not behind what the house thinks about
    played = play_turn(context, item.game, item.after, choose, player.channel, now).history
    if played.is_kept(item.seat) and played.agreements.votes:
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
            again = f"x{game.seq}" if game.seq != item.after else ""  # it may have more time since
            detail = ReminderDetail(home=item.what == TaskKind.WELCOME_BACK)
            notification = Notification(item.seat, detail, mark=f"{item.mark}{again}")
            queue_letters(context, session, game, [notification], now)
        session.commit()


CHORES: tuple[Callable[[Context, datetime], int | None], ...] = (
    cleanup.delete_expired,
    bounce_review.review_bounces,
    addresses.use_due_addresses,
    proposals.delete_expired_proposals,
    open_seats.expire_held_seats,
    keep_deadlines,
    queue_daily_letters,
)
"""What the clock does at each tick."""
FINAL_CHORES = frozenset(
    {
        cleanup.delete_expired,
        addresses.use_due_addresses,
        proposals.delete_expired_proposals,
        open_seats.expire_held_seats,
    }
)
"""Those that nothing brings back."""
