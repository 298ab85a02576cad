"""Time that is nobody's: while the server stood still, and what the wall clock was set by.

A heartbeat in the database says when a server was last at work. What has passed since then when one starts,
or when one that was frozen, or could not write, goes on, is given back to all turns, and none ends within the
first minutes: a mail server tries again after five what it could not hand over. A wall clock that is set,
ahead or back, is seen by another that nobody sets, and what waits for a moment moves along. Where several
servers see the same, the first of them does it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from time import monotonic

from sqlmodel import Session

from server.configuration.endpoints import ImapMailbox
from server.outbox.posted_announcements import TOLD_AFTER, list_told_turns, tell_new_deadlines
from server.roles import Role
from server.store.context import Context
from server.store.due_work import leave_uncounted, shift_waiting
from server.store.server_moments import is_gone, read_moment, write_moment
from server.store.states import MomentName
from server.store.turn_clock import absent_since, follow_clocks, give_back, give_grace, shift_absences
from server.time_control.spans import Span
from server.time_control.turn_time import CATCH_UP

HEARTBEAT_EVERY = 10.0
"""Seconds between two heartbeats."""
LEAST_STANDSTILL = timedelta(minutes=1)
"""Between two heartbeats that were kept: for so long no server was at work, though one may have lived."""
LEAST_JUMP = timedelta(seconds=5)
"""What the two clocks may differ by between two looks: a busy machine looks at them one after the other."""
SETTLED_AFTER = 600.0
"""Seconds for which a wall clock that was set ahead is not believed in what cannot be undone."""


class ClockWatch:
    """Sees from one round to the next whether the wall clock has gone on as time has."""

    def __init__(
        self, context: Context, steady: Callable[[], float] = monotonic, *, awaits_mail: bool = False
    ) -> None:
        """`steady`: seconds by a clock that nobody sets; `awaits_mail`: others take mail in and read it."""
        self._context, self._steady, self._awaits_mail = context, steady, awaits_mail
        self._looked: tuple[datetime, float] | None = None
        self._beat = 0.0
        self._set_ahead_at: float | None = None

    @property
    def is_settled(self) -> bool:
        """Whether the wall clock was not set ahead just now, and perhaps by mistake."""
        return self._set_ahead_at is None or self._steady() - self._set_ahead_at >= SETTLED_AFTER

    def look(self, now: datetime) -> bool:
        """Whether all is steady; where it is not, what waits has been moved, and nothing is to be done now.

        The time for which no server was at work is given back: at the first look, and where a process that
        lives was stopped, its database took nothing, or nobody read the mails of those who play.
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
            if self._awaits_mail and self._is_mail_left(now):
                return False  # and no heartbeat either, so that this time is given back too
            keep_heartbeat(self._context, now)
            self._beat = at  # only now: where it could not be kept it is tried again at the next look
        return True

    def _is_mail_left(self, now: datetime) -> bool:
        with self._context.reading() as session:
            return is_gone(session, Role.MAIL, now)


def give_back_downtime(context: Context, now: datetime) -> None:
    """A server starts: no turn loses the time since the last heartbeat, and none ends at once."""
    with context.writing() as session:
        last = read_moment(session, MomentName.HEARTBEAT)
        if last is not None and last <= now:
            _give_back_and_tell(context, session, (last, now))
        elif last is not None:  # the wall clock was set back meanwhile
            _move_all(session, now - last, (now, now))
        write_moment(session, MomentName.HEARTBEAT, now)
        session.commit()
    if last is not None:
        context.events.note_downtime(now - last)


def keep_heartbeat(context: Context, now: datetime) -> None:
    """A server is at work; where none was for a while, nobody loses that time either."""
    with context.writing() as session:
        stood = _stood_still(session, now)
        if stood:
            _give_back_and_tell(context, session, (now - stood, now))
        write_moment(session, MomentName.HEARTBEAT, now)
        session.commit()
    if stood:
        context.events.note_downtime(stood)


def note_mailbox(context: Context, name: MomentName, at: datetime) -> None:
    """Write down when the mailbox was read, or since when it cannot be: not before it was read last."""
    with context.writing() as session:
        if name is MomentName.MAILBOX_AWAY:
            at = max(at, read_moment(session, MomentName.MAILBOX_READ) or at)
            at = read_moment(session, name) or at
        write_moment(session, name, at)
        context.commit_work(session)  # turns whose time is over wait for it


def is_mailbox_read(context: Context, session: Session, moment: datetime) -> bool:
    """Whether a look into the mailbox that began after a moment has found all that lay there.

    Where mail comes in by another way none waits there.
    """
    if not isinstance(context.settings.mail_in, ImapMailbox):
        return True
    looked = read_moment(session, MomentName.MAILBOX_READ)
    return looked is not None and looked > moment


def follow_wall_clock(context: Context, jump: timedelta, newer: Span) -> None:
    """The wall clock was set: move what waits by as much, but for what is newer than that.

    `newer`: since the last look, by the new time. A heartbeat near the new time is that of another server,
    which has done it.
    """
    now = newer[1]
    with context.writing() as session:
        last = read_moment(session, MomentName.HEARTBEAT)
        if last is None or abs(last - now) >= abs(last - (now - jump)):
            _move_all(session, jump, newer)
            if last is not None and now - jump - last >= LEAST_STANDSTILL:
                _give_back(session, (last + jump, now))
            write_moment(session, MomentName.HEARTBEAT, now)
            session.commit()
    context.next_cleanup = None
    context.events.note_clock_jump(jump)


def _move_all(session: Session, by: timedelta, newer: Span) -> None:
    follow_clocks(session, by, newer)
    shift_waiting(session, by, newer)
    shift_absences(session, by, newer[1])


def _stood_still(session: Session, now: datetime) -> timedelta:
    """For how long no server has kept a heartbeat; nothing where one has of late."""
    last = read_moment(session, MomentName.HEARTBEAT)
    stood = timedelta(0) if last is None else now - last
    return stood if stood >= LEAST_STANDSTILL else timedelta(0)


def _give_back_and_tell(context: Context, session: Session, lost: Span) -> None:
    """Give all turns a span back, and tell the players to move their new deadlines if it was long.

    While mail is down they are told at the end of that, for their deadlines still move on.
    """
    since, until = lost
    is_told = until - since >= TOLD_AFTER and absent_since(session) is None
    told = list_told_turns(session, until) if is_told else []
    _give_back(session, lost)
    tell_new_deadlines(context, session, told, until)


def _give_back(session: Session, lost: Span) -> None:
    """Give all turns a span back, once: while the relay or the mailbox is away their time stands already."""
    since, until = lost
    away = absent_since(session)
    uncounted = lost if away is None or away >= since else (away, away + (until - since))
    give_back(session, uncounted, CATCH_UP)
    leave_uncounted(session, lost)
    give_grace(session, uncounted[1] + CATCH_UP)
    shift_absences(session, until - since, until)
