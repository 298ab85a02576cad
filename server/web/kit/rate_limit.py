"""Rate limits: how often one visitor may do something within a time, so that nobody does it for harm.

What writes anyway, and reaches other people, is counted in the database: for all processes, and beyond a
restart. What costs only the process that is asked is counted by that process, and writes nothing.
Not Flask-Limiter, which brings four packages (limits, ordered-set, Deprecated, wrapt) and a store of its own.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from math import ceil
from threading import Lock

from flask import current_app, request
from sqlmodel import Session, col, func, select

from server.configuration.networks import network_of
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.unasked_models import Visit
from server.web.kit.request_context import current_context, now

NO_NETWORK = "no network"
"""Where visitors come from who have no address, as over a socket in a folder."""
MOST_VISITORS = 10_000
"""Who is remembered at one time: of more, those who have not been here for longest are forgotten.

So nobody is refused because others come in crowds. Whoever can be forgotten that way has as many networks to
come from anyway.
"""
HOUR = timedelta(hours=1)


class Limit(StrEnum):
    """What is limited."""

    ADVICE = "advice"
    GAMES = "games"
    JOINS = "joins"
    SIGN_INS = "sign-ins"
    API = "api"
    PAGES_SEEN = "pages-seen"
    STEPS = "steps"


STORED = (Limit.GAMES, Limit.JOINS, Limit.SIGN_INS)
"""Of what each time is written down."""


@dataclass(slots=True)
class RateLimiter:
    """Lets each visitor through so many times within a time; it forgets when the server starts anew."""

    most: int
    within: timedelta = HOUR
    _passed: OrderedDict[str, deque[datetime]] = field(default_factory=OrderedDict)
    """When each visitor was let through, whoever came last at the end."""
    _lock: Lock = field(default_factory=Lock)

    def allow(self, visitor: str, moment: datetime) -> bool:
        """Let a visitor through, unless they came too often."""
        with self._lock:
            times = self._passed.setdefault(visitor, deque(maxlen=self.most))
            self._passed.move_to_end(visitor)
            while len(self._passed) > MOST_VISITORS:
                self._passed.popitem(last=False)
            while times and abs(moment - times[0]) >= self.within:  # ahead: the clock was put back
                times.popleft()
            if len(times) >= self.most:
                return False
            times.append(moment)
            return True

    def retry_after(self, visitor: str, moment: datetime) -> int:
        """Whole seconds until a visitor who was not let through is let through again: 1 at least."""
        with self._lock:
            times = self._passed.get(visitor)
            left = times[0] + self.within - moment if times else self.within
        return max(1, ceil(left.total_seconds()))


def allow(what: Limit, most: int) -> bool:
    """Let the visitor do something, unless they did it as often as `most` within the hour."""
    if what in STORED:
        allowed = allow_stored(current_context(), what, most, visitor_network(), now())
    else:
        allowed = limiter_for(what, most).allow(visitor_network(), now())
    if not allowed:
        note_limit(what, visitor_network())
    return allowed


def allow_stored(context: Context, what: Limit, most: int, visitor: str, moment: datetime) -> bool:
    """Let a visitor through, by what is written down of all; who is refused costs nobody a transaction."""
    with context.reading() as session:
        if _is_full(session, what, most, visitor, moment):
            return False
    with context.writing() as session:
        if _is_full(session, what, most, visitor, moment):
            return False
        session.add(Visit(what=what, visitor=visitor, at=moment))
        session.commit()
    return True


def _is_full(session: Session, what: Limit, most: int, visitor: str, moment: datetime) -> bool:
    """Whether a visitor came as often as they may; not counting the hours of a clock that was put back."""
    at = col(Visit.at)
    count = select(func.count()).select_from(Visit).where(Visit.what == what, Visit.visitor == visitor)
    return session.exec(count.where(at > moment - HOUR, at < moment + HOUR)).one() >= most


def note_limit(what: Limit, who: str) -> None:
    """Note that somebody wants more than they may."""
    current_context().security.note(SecurityEvent.LIMIT_REACHED, who, now(), limit=what)


def limiter_for(what: str, most: int, within: timedelta = HOUR) -> RateLimiter:
    """The rate limiter for `what`, made at the first use."""
    found: RateLimiter = current_app.extensions.setdefault(f"rate limit {what}", RateLimiter(most, within))
    return found


def visitor_network() -> str:
    """The network that the visitor comes from; limits hold for all of it, and for all who come from none."""
    return network_of(request.remote_addr or "") or NO_NETWORK
