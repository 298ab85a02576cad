"""Time that is nobody's: while the server stood still, and what the wall clock was set by.

A heartbeat in the database says when a server was last at work. What has passed since then when one starts
is given back to all turns, and none ends within the first minutes: a mail server tries again after five what
it could not hand over. A wall clock that is set, ahead or back, is seen by another that nobody sets, and what
waits for a moment moves along. Where several servers see the same, the first of them does it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from time import monotonic

from sqlmodel import Session

from server.store.context import Context
from server.store.moments import read_moment, write_moment
from server.store.states import MomentName
from server.store.turn_clock import Span, give_back, give_grace, shift_clocks, shift_waiting

HEARTBEAT_EVERY = 10.0
"""Seconds between two heartbeats."""
LEAST_JUMP = timedelta(seconds=5)
"""What the two clocks may differ by between two looks: a busy machine looks at them one after the other."""
SETTLED_AFTER = 600.0
"""Seconds for which a wall clock that was set ahead is not believed in what cannot be undone."""
GRACE = timedelta(minutes=10)
"""No turn ends sooner after a start: mail that was written in time is still to come."""


class ClockWatch:
    """Sees from one round to the next whether the wall clock has gone on as time has."""

    def __init__(self, context: Context, steady: Callable[[], float] = monotonic) -> None:
        """`steady`: seconds by a clock that nobody sets."""
        self._context, self._steady = context, steady
        self._looked: tuple[datetime, float] | None = None
        self._beat = 0.0
        self._set_ahead_at: float | None = None

    @property
    def is_settled(self) -> bool:
        """Whether the wall clock was not set ahead just now, and perhaps by mistake."""
        return self._set_ahead_at is None or self._steady() - self._set_ahead_at >= SETTLED_AFTER

    def look(self, now: datetime) -> bool:
        """Whether all is steady; where it is not, what waits has been moved, and nothing is to be done now.

        The first look of a server gives back the time for which none was at work.
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
            self._beat = at
            with self._context.writing() as session:
                write_moment(session, MomentName.HEARTBEAT, now)
                session.commit()
        return True


def give_back_downtime(context: Context, now: datetime) -> None:
    """A server starts: no turn loses the time since the last heartbeat, and none ends at once."""
    with context.writing() as session:
        last = read_moment(session, MomentName.HEARTBEAT)
        if last is not None and last <= now:
            give_back(session, (last, now))
            give_grace(session, now + GRACE)
            _move_relay_absence(session, now - last)
        elif last is not None:  # the wall clock was set back meanwhile
            _move_all(session, now - last, (now, now))
        write_moment(session, MomentName.HEARTBEAT, now)
        session.commit()
    if last is not None:
        context.events.note_downtime(now - last)


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
            write_moment(session, MomentName.HEARTBEAT, now)
            session.commit()
    context.next_cleanup = None
    context.events.note_clock_jump(jump)


def _move_all(session: Session, by: timedelta, newer: Span) -> None:
    shift_clocks(session, by, but=newer)
    shift_waiting(session, by, newer)
    _move_relay_absence(session, by)


def _move_relay_absence(session: Session, by: timedelta) -> None:
    """What is given back already is not given back once more when the relay is there again."""
    since = read_moment(session, MomentName.RELAY_AWAY)
    if since is not None:
        write_moment(session, MomentName.RELAY_AWAY, since + by)
