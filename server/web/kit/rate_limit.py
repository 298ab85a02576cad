"""Rate limits: how often one visitor may do something within a time, so that nobody does it for harm.

Not Flask-Limiter, which brings four packages (limits, ordered-set, Deprecated, wrapt): it counts for several
processes, and here is one, which may forget when it starts anew.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address
from math import ceil
from threading import Lock

from flask import current_app, request

from server.web.kit.request_context import now

MOST_VISITORS = 10_000
HOUR = timedelta(hours=1)


@dataclass(slots=True)
class RateLimiter:
    """Lets each visitor through so many times within a time; it forgets when the server starts anew."""

    most: int
    within: timedelta = HOUR
    _passed: dict[str, deque[datetime]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def allow(self, visitor: str, moment: datetime) -> bool:
        """Let a visitor through, unless they came too often."""
        with self._lock:
            for known in list(self._passed) if len(self._passed) > MOST_VISITORS else [visitor]:
                self._forget_old(known, moment)
            times = self._passed.setdefault(visitor, deque())
            if len(times) >= self.most or len(self._passed) > 2 * MOST_VISITORS:
                return False
            times.append(moment)
            return True

    def retry_after(self, visitor: str, moment: datetime) -> int:
        """Whole seconds until a visitor who was not let through is let through again: 1 at least."""
        with self._lock:
            times = self._passed.get(visitor)
            left = times[0] + self.within - moment if times else self.within
        return max(1, ceil(left.total_seconds()))

    def _forget_old(self, visitor: str, moment: datetime) -> None:
        times = self._passed.get(visitor, deque())
        while times and times[0] <= moment - self.within:
            times.popleft()
        if not times:
            self._passed.pop(visitor, None)


def allow(what: str, most: int) -> bool:
    """Let the visitor do something, unless they did it as often as `most` within the hour."""
    return limiter_for(what, most).allow(visitor_address(), now())


def limiter_for(what: str, most: int, within: timedelta = HOUR) -> RateLimiter:
    """The rate limiter for `what`, made at the first use."""
    found: RateLimiter = current_app.extensions.setdefault(f"rate limit {what}", RateLimiter(most, within))
    return found


def visitor_address() -> str:
    """The address of the browser; of IPv6 the half that one household has."""
    address = request.remote_addr or ""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(IPv6Address(int(found) >> 64 << 64)) if isinstance(found, IPv6Address) else address
