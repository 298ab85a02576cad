"""Rate limits: how often one visitor may do something; and answers whose time tells nothing.

All is counted in the database: for all processes, and beyond a restart. What is done often, such as steps on
the board and calls of programs, takes shares there: leave for several times at once, counted by its process.
Not Flask-Limiter, which brings four packages (limits, ordered-set, Deprecated, wrapt) and a store of its own.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from math import ceil
from threading import Lock
from time import monotonic, sleep

from flask import current_app, request
from sqlmodel import Session, col, delete, func, select

from server.configuration.network import network_of
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.models import Visit
from server.web.kit.request_context import current_context, now

EVEN_ANSWER_SECONDS = 0.1
"""Seconds that it takes to be told that a letter is on its way, whether one is or not."""


@contextmanager
def constant_time() -> Iterator[None]:
    """Let what is done here take as long as it ever does; a refusal comes at once, for it tells nothing."""
    begun = monotonic()
    yield
    sleep(max(0, begun + EVEN_ANSWER_SECONDS - monotonic()))


NO_NETWORK = "no network"
"""Where visitors come from who have no address, as over a socket in a folder."""
MOST_VISITORS = 10_000
"""Whose shares a process has in hand: of more, those who have not been here for longest lose theirs.

So nobody is refused because others come in crowds; they take another share.
"""
HOUR = timedelta(hours=1)
SHARES = 24
"""Into which a limit is divided, at least, that is taken in shares."""


class LimitedAction(StrEnum):
    """What is limited."""

    ADVICE = "advice"
    GAMES = "games"
    JOINS = "joins"
    SIGN_INS = "sign-ins"
    API = "api"
    PAGES_SEEN = "pages-seen"
    STEPS = "steps"
    DAYS_AWAY = "days-away"


@dataclass(slots=True)
class RateQuotas:
    """What each visitor may still do in this process, out of the shares that were taken for them."""

    _left: OrderedDict[tuple[LimitedAction, str], tuple[int, datetime]] = field(default_factory=OrderedDict)
    """How often, and since when; whoever came last at the end."""
    _lock: Lock = field(default_factory=Lock)

    def use(self, whose: tuple[LimitedAction, str], moment: datetime, within: timedelta) -> bool:
        """Use a share that is in hand; one that is as old as the limit's time is none any more."""
        with self._lock:
            left, since = self._left.pop(whose, (0, moment))
            if left == 0 or abs(moment - since) >= within:  # ahead: the clock was put back
                return False
            self._left[whose] = left - 1, since
            return True

    def put(self, whose: tuple[LimitedAction, str], times: int, moment: datetime) -> None:
        """Have another share in hand."""
        with self._lock:
            before, _ = self._left.pop(whose, (0, moment))  # two threads may have taken one each
            self._left[whose] = before + times, moment
            while len(self._left) > MOST_VISITORS:
                self._left.popitem(last=False)


def allow(what: LimitedAction, most: int, visitor: str | None = None) -> bool:
    """Let the visitor do something, unless they did it as often as `most` within the hour."""
    who = visitor_network() if visitor is None else visitor
    allowed = allow_stored(current_context(), what, most, who, now())
    if not allowed:
        note_limit(what, who)
    return allowed


def allow_often(what: LimitedAction, most: int, visitor: str, within: timedelta = HOUR) -> bool:
    """The same for what is done so often that a row for each time would cost more than what is done."""
    shares: RateQuotas = current_app.extensions.setdefault("rate limit", RateQuotas())
    allowed = allow_share(current_context(), shares, what, most, visitor, now(), within)
    if not allowed:
        note_limit(what, visitor)
    return allowed


def allow_share(
    context: Context,
    shares: RateQuotas,
    what: LimitedAction,
    most: int,
    visitor: str,
    moment: datetime,
    within: timedelta = HOUR,
) -> bool:
    """Let a visitor through by a share in hand, or by one that is taken now, where any is left for them."""
    if shares.use((what, visitor), moment, within):
        return True
    times = max(1, most // SHARES)
    if not allow_stored(context, what, most // times, visitor, moment, within):
        return False
    if times > 1:
        shares.put((what, visitor), times - 1, moment)
    return True


def allow_stored(
    context: Context, what: LimitedAction, most: int, visitor: str, moment: datetime, within: timedelta = HOUR
) -> bool:
    """Let a visitor through, by what is written down of all; who is refused costs nobody a transaction."""
    with context.reading() as session:
        if _is_full(session, what, most, visitor, moment, within):
            return False
    with context.writing() as session:
        if _is_full(session, what, most, visitor, moment, within):
            return False
        theirs = (col(Visit.what) == what, col(Visit.visitor) == visitor)
        session.exec(delete(Visit).where(*theirs, col(Visit.at) <= moment - within))
        session.add(Visit(what=what, visitor=visitor, at=moment))
        session.commit()
    return True


def retry_after(what: LimitedAction, visitor: str, within: timedelta = HOUR) -> int:
    """Whole seconds until a visitor who was not let through is let through again: 1 at least."""
    moment, at = now(), col(Visit.at)
    first = select(Visit.at).where(Visit.what == what, Visit.visitor == visitor, at > moment - within)
    with current_context().reading() as session:
        begun = session.exec(first.where(at < moment + within).order_by(at)).first()
    left = within if begun is None else begun + within - moment
    return max(1, ceil(left.total_seconds()))


def _is_full(
    session: Session, what: LimitedAction, most: int, visitor: str, moment: datetime, within: timedelta
) -> bool:
    """Whether a visitor came as often as they may; not counting the hours of a clock that was put back."""
    at = col(Visit.at)
    count = select(func.count()).select_from(Visit).where(Visit.what == what, Visit.visitor == visitor)
    return session.exec(count.where(at > moment - within, at < moment + within)).one() >= most


def note_limit(what: LimitedAction, who: str) -> None:
    """Note that somebody wants more than they may."""
    current_context().security.note(SecurityEvent.LIMIT_REACHED, who, now(), limit=what)


def visitor_network() -> str:
    """The network that the visitor comes from; limits hold for all of it, and for all who come from none."""
    return network_of(request.remote_addr or "") or NO_NETWORK
