"""The schedule: due times of rows, retries of failing rows, and times that survive a restart."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeVar

from sqlalchemy import (
    ColumnElement,
    Update,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    not_,
    or_,
    update,
)
from sqlalchemy import select as plain_select
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from server.monitoring import RowFate, WorkTable
from server.store.context import Context
from server.store.dialects import hexed, is_within, moved
from server.store.event_log import GameNotRunning, GameSuspended, StalePosition
from server.store.models import (
    IS_RUNNING,
    AbsentSeat,
    BouncingAddress,
    Game,
    IncomingMail,
    OutgoingLetter,
    Resignation,
    RoleProcess,
    Seating,
    ServerMoment,
    StoredPlan,
    UTCDateTime,
    is_unreadable,
    read_id,
    table_of,
)
from server.store.states import Hindrance, LetterState, MailState, MomentName, Role
from server.turn_time import Interval

LOG = logging.getLogger(__name__)
AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)
"""Due time for "at once"; long ago, so that a wall clock set back delays nothing."""
LONGEST_DAY = timedelta(hours=25)
MOST_AT_ONCE = 200


def games_due(session: Session, now: datetime, of_house: bool = False) -> Sequence[str]:
    ids = select(hexed(Game.id)).where(col(Game.due_at) <= now).order_by(col(Game.due_at))
    if of_house:
        ids = ids.where(_is_house_to_move()).limit(MOST_AT_ONCE)
    return [game for one in session.exec(ids) if (game := _read_id(one)) is not None]


def _read_id(written: str) -> str | None:
    found = read_id(written)
    if not is_unreadable(found):
        return found
    log_once("the id of game %s cannot be read: the clock skips this game", found)
    return None


@lru_cache(maxsize=256)
def log_once(message: str, *names: str) -> None:
    """Log an error about stored data at its first occurrence, with the exception in progress, if any."""
    LOG.error(message, *names, exc_info=sys.exception())


def look_at_game_next(session: Session, seen: Game, at: datetime | None) -> None:
    """Set the time at which the clock job next checks a game (None: not at all). Does not commit.

    Does nothing if the game had an act, a new deadline or a new next check since `seen` was read.
    """
    same = update(Game).where(
        col(Game.id) == seen.id,
        col(Game.seq) == seen.seq,
        col(Game.due_at).is_not_distinct_from(seen.due_at),
        col(Game.deadline).is_not_distinct_from(seen.deadline),
    )
    execute_update(session, same.values(due_at=at))


def put_off_due_games(session: Session, now: datetime, at: datetime) -> None:
    due = update(Game).where(col(Game.due_at) <= now, not_(_is_house_to_move()))
    execute_update(session, due.values(due_at=at))


def _is_house_to_move() -> ColumnElement[bool]:
    house = exists().where(col(Seating.game) == Game.id, col(Seating.seat) == Game.seat, col(Seating.house))
    resigned = exists().where(col(Resignation.game) == Game.id, col(Resignation.seat) == Game.seat)
    absent = exists().where(col(AbsentSeat.game) == Game.id, col(AbsentSeat.seat) == Game.seat)
    is_on = and_(IS_RUNNING, col(Game.suspended_at).is_(None))
    return and_(is_on, or_(house, resigned, absent))


def put_off_game(session: Session, game: str, at: datetime) -> None:
    session.execute(update(Game).where(col(Game.id) == game).values(due_at=at))


def seats_due(session: Session, now: datetime) -> Sequence[tuple[str, int]]:
    due = select(hexed(Seating.game), Seating.seat).where(col(Seating.daily_at) <= now)
    found = session.exec(due.order_by(col(Seating.daily_at)).limit(MOST_AT_ONCE))
    return [(game, seat) for one, seat in found if (game := _read_id(one)) is not None]


def put_off_seat(session: Session, game: str, seat: int, at: datetime) -> None:
    same = update(Seating).where(col(Seating.game) == game, col(Seating.seat) == seat)
    execute_update(session, same.values(daily_at=at))


def look_at_seats_of_game(session: Session, game: str) -> None:
    players = select(Seating.player).where(Seating.game == game)
    _look_at_seats(session, col(Seating.game) == game)
    _look_at_marks(session, col(BouncingAddress.player).in_(players))


def look_at_seats_of_player(session: Session, player: int) -> None:
    _look_at_seats(session, col(Seating.player) == player)
    _look_at_marks(session, col(BouncingAddress.player) == player)


def look_at_games_of_mover(session: Session, player: int) -> None:
    own = select(Seating.game).where(Seating.player == player)
    games = update(Game).where(col(Game.id).in_(own), col(Game.deadline).is_not(None))
    execute_update(session, games.values(due_at=AT_ONCE))


def _look_at_seats(session: Session, which: ColumnElement[bool]) -> None:
    session.flush()
    seats = update(Seating).where(which, col(Seating.player).is_not(None)).values(daily_at=AT_ONCE)
    execute_update(session, seats)


def marked_players_due(session: Session, now: datetime) -> Sequence[int]:
    due = select(BouncingAddress.player).where(col(BouncingAddress.due_at) <= now)
    return session.exec(due.order_by(col(BouncingAddress.due_at)).limit(MOST_AT_ONCE)).all()


def put_off_marks(session: Session, player: int, at: datetime) -> None:
    _look_at_marks(session, col(BouncingAddress.player) == player, at)


def _look_at_marks(session: Session, which: ColumnElement[bool], at: datetime = AT_ONCE) -> None:
    marks = update(BouncingAddress).where(which, col(BouncingAddress.ended_at).is_(None)).values(due_at=at)
    execute_update(session, marks)


def held_seats_due(session: Session, now: datetime) -> Sequence[str]:
    due = select(hexed(Seating.game)).where(col(Seating.held_until) <= now)
    found = session.exec(due.order_by(col(Seating.held_until)).limit(MOST_AT_ONCE))
    return [game for one in found if (game := _read_id(one)) is not None]


def put_off_held_seats(session: Session, game: str, at: datetime) -> None:
    held = update(Seating).where(col(Seating.game) == game, col(Seating.held_until).is_not(None))
    execute_update(session, held.values(held_until=at))


def leave_uncounted(session: Session, lost: Interval) -> None:
    """Extend the period in which waiting letters are retried by the downtime `lost`. Does not commit.

    Excludes letters with sign-in links, since the links expire during downtime too.
    """
    from emails.letters import account_letters  # the short commands of the operator need no letters

    queued_at = col(OutgoingLetter.queued_at)
    shifted, end = moved(queued_at, lost[1] - lost[0]), literal(lost[1], UTCDateTime)
    waiting = update(OutgoingLetter).where(
        col(OutgoingLetter.state) == LetterState.WAITING,
        queued_at < lost[1],
        col(OutgoingLetter.kind).not_in((account_letters.SignIn.kind, account_letters.SeatClaim.kind)),
    )
    execute_update(session, waiting.values(queued_at=case((shifted < end, shifted), else_=end)))


def shift_waiting(session: Session, by: timedelta, newer: Interval) -> None:
    """Shift due times of letters, mails, games and seats by a jump of the wall clock. Does not commit.

    `newer`: interval from the last check of the wall clock until now. Rows stored in it are not shifted.
    """
    now = newer[1]
    letters = update(OutgoingLetter).where(
        col(OutgoingLetter.state) == LetterState.WAITING,
        col(OutgoingLetter.due_at) > now - max(by, timedelta(0)),
        not_(is_within(col(OutgoingLetter.queued_at), newer)),
    )
    execute_update(session, letters.values(due_at=moved(col(OutgoingLetter.due_at), by)))
    queued = update(OutgoingLetter).where(
        col(OutgoingLetter.state) == LetterState.WAITING,
        not_(is_within(col(OutgoingLetter.queued_at), newer)),
    )  # the period of retries begins at this time
    execute_update(session, queued.values(queued_at=moved(col(OutgoingLetter.queued_at), by)))
    if by > timedelta(0):
        return  # other rows are checked too early, which does no harm
    execute_update(
        session, update(OutgoingLetter).where(col(OutgoingLetter.sent_at) > now).values(sent_at=now)
    )
    planned = update(StoredPlan).where(col(StoredPlan.due_at) > now)
    execute_update(session, planned.values(due_at=now))
    mails = update(IncomingMail).where(col(IncomingMail.state) == MailState.WAITING)
    execute_update(session, mails.where(col(IncomingMail.due_at) > now).values(due_at=now))
    games = update(Game).where(col(Game.due_at) > now, col(Game.deadline).is_(None))
    execute_update(session, games.values(due_at=AT_ONCE))
    seats = update(Seating).where(col(Seating.daily_at) > now + LONGEST_DAY)
    execute_update(session, seats.values(daily_at=AT_ONCE))


def execute_update(session: Session, change: Update) -> None:
    session.execute(change, execution_options={"synchronize_session": False})


GONE_AFTER = timedelta(minutes=1)
MOMENT_COLUMNS = table_of(ServerMoment).c
SELECT_MOMENT = plain_select(MOMENT_COLUMNS.at).where(MOMENT_COLUMNS.name == bindparam("name"))
SELECT_MOMENTS = plain_select(MOMENT_COLUMNS.name, MOMENT_COLUMNS.at)
# Core statements, which are faster than ORM queries, since they run in each act.


def read_moments(session: Session, names: Collection[MomentName]) -> dict[MomentName, datetime]:
    try:
        found = session.connection().execute(SELECT_MOMENTS).all()  # a few rows
    except (ValueError, LookupError):  # a row is unreadable
        return {name: at for name in names if (at := read_moment(session, name)) is not None}
    return {name: at for name, at in found if name in names}


def read_moment(session: Session, name: MomentName) -> datetime | None:
    try:
        found = session.connection().execute(SELECT_MOMENT, {"name": name}).scalars().all()
    except ValueError:
        log_once("the stored time %s of the server cannot be read, and counts as missing", name)
        return None
    return found[0] if found else None


def write_moment(session: Session, name: MomentName, at: datetime) -> None:
    clear_moment(session, name)
    session.execute(insert(ServerMoment).values(name=name, at=at))


def clear_moment(session: Session, name: MomentName) -> None:
    session.execute(delete(ServerMoment).where(col(ServerMoment.name) == name))


def note_at_work(session: Session, process: str, roles: Iterable[Role], now: datetime) -> None:
    """Record that a process performs these roles, and no others, without a fault. Does not commit."""
    own_or_gone = (col(RoleProcess.process) == process) | ~_reported_lately(now)
    session.execute(delete(table_of(RoleProcess)).where(own_or_gone))  # deletes without reading them
    for role in sorted(roles):
        write_moment(session, _moment_of(role), now)
        session.execute(insert(RoleProcess).values(process=process, role=role, at=now))


def count_at_work(session: Session, now: datetime) -> dict[Role, int]:
    known = plain_select(col(RoleProcess.role), func.count()).where(col(RoleProcess.role).in_(Role))
    counted = dict.fromkeys(Role, 0)
    for role, number in session.execute(known.where(_reported_lately(now)).group_by(col(RoleProcess.role))):
        counted[role] = number
    return counted


def when_at_work(session: Session, role: Role) -> datetime | None:
    return read_moment(session, _moment_of(role))


def is_gone(session: Session, role: Role, now: datetime) -> bool:
    last = when_at_work(session, role)
    return last is not None and now - last > GONE_AFTER


def _reported_lately(now: datetime) -> ColumnElement[bool]:
    return col(RoleProcess.at).between(now - GONE_AFTER, now + GONE_AFTER)


def _moment_of(role: Role) -> MomentName:
    return MomentName(f"at-{role}")


MOST_FAILURES = 3
FIRST_PUT_OFF = timedelta(minutes=1)
BROKEN_PUT_OFF_FOR = timedelta(minutes=10)
SEE_MESSAGES = ": see the server's log"
UNREADABLE = f"its stored data cannot be read{SEE_MESSAGES}"

SET_ASIDE: Mapping[type[IncomingMail | OutgoingLetter], str] = {
    IncomingMail: MailState.REFUSED,
    OutgoingLetter: LetterState.FAILED,
}

Row = TypeVar("Row", IncomingMail, OutgoingLetter)
Found = TypeVar("Found")


def load_row(context: Context, session: Session, table: type[Row], number: int) -> Row | None:
    """Load a row; None if it is missing or unreadable. An unreadable row is marked as refused or failed.

    An invalid value raises an error when its row is read, so each row is read by a query of its own.
    """
    try:
        return session.get(table, number)
    except OperationalError:
        raise  # the database is unavailable; the row is not at fault
    except Exception:
        set_aside(context, table, number, UNREADABLE)
    return None


def read_alone(what: str, read: Callable[[], Found]) -> Found | None:
    """Call `read` for an entry of a list; None if it is unreadable, which is logged under the name `what`."""
    try:
        return read()
    except OperationalError:
        raise  # the database is unavailable
    except Exception:
        log_once("%s cannot be read, and is omitted from lists", what)
    return None


def set_aside(context: Context, table: type[Row], number: int, why: str) -> None:
    with context.writing() as session:
        changed = update(table).where(col(table.id) == number)
        session.execute(changed.values(state=SET_ASIDE[table], why=why, hindrance=Hindrance.SET_ASIDE))
        session.commit()
    context.events.note_failed_row(WorkTable(table.__tablename__), number, RowFate.SET_ASIDE)


def put_off(context: Context, table: type[Row], row: Row, why: str, now: datetime) -> None:
    number, tries = row.id or 0, row.tries + 1
    if tries >= MOST_FAILURES:
        set_aside(context, table, number, why)
        return
    later = now + FIRST_PUT_OFF * 2 ** (tries - 1)
    with context.writing() as session:
        changed = update(table).where(col(table.id) == number)
        session.execute(changed.values(tries=tries, due_at=later, why=why, hindrance=Hindrance.NONE))
        session.commit()
    context.events.note_failed_row(WorkTable(table.__tablename__), number, RowFate.PUT_OFF)


def work_at_game(context: Context, game: str, now: datetime, work: Callable[[str], int]) -> int:
    """Return the result of `work` on a game; 0 if the game changed meanwhile, or if `work` failed.

    Failed work is tried again later.
    """
    try:
        return work(game)
    except (StalePosition, GameNotRunning, GameSuspended):
        return 0  # another act came first
    except OperationalError:
        raise  # the database is unavailable
    except Exception:
        context.events.note_failed_game(game, RowFate.PUT_OFF)
        with context.writing() as session:
            put_off_game(session, game, now + BROKEN_PUT_OFF_FOR)
            session.commit()
        return 0
