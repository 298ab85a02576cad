"""Rate limits: how often one visitor may do something within a time, so that nobody does it for harm.

Not Flask-Limiter, which brings four packages (limits, ordered-set, Deprecated, wrapt): it counts for several
processes, and here is one, which may forget when it starts anew.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from math import ceil
from threading import Lock

from flask import current_app, request

from server.networks import network_of
from server.security_log import SecurityEvent
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
    allowed = limiter_for(what, most).allow(visitor_network(), now())
    if not allowed:
        note_limit(what, visitor_network())
    return allowed


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
