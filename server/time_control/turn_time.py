"""The time of one turn: how much of it is counted between two moments, and when so much has been counted.

What is protected is not counted: its player sleeps, has a day off or is away. It is bounded, so that each
turn has an end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from server.time_control.control import NO_TIME
from server.time_control.spans import Span, clip_spans, measure_spans, subtract_spans

Wishes = Callable[[datetime, datetime], Sequence[Span]]
"""The spans between two moments in which a player is not to be asked to move."""
MOST_PROTECTED = timedelta(days=120)
"""Of one turn: a player who is away for longer is waited for no more."""
LOOKED_AHEAD = timedelta(days=14)
"""How far wishes are asked for at one time."""


def always_there(since: datetime, until: datetime) -> Sequence[Span]:
    """The wishes of somebody who has none."""
    return ()


def protected_between(wishes: Wishes, since: datetime, until: datetime) -> Iterator[Span]:
    """The protected spans between two moments in order, as far as one turn may have them."""
    left, at = MOST_PROTECTED, since
    while at < until:
        ahead = min(until, at + LOOKED_AHEAD)
        for begins, ends in clip_spans(wishes(at, ahead), at, ahead):
            if left <= NO_TIME:
                return
            yield begins, min(ends, begins + left)
            left -= ends - begins
        at = ahead


def count_time(since: datetime, until: datetime, wishes: Wishes) -> timedelta:
    """How much time is counted between two moments."""
    return measure_spans(subtract_spans([(since, until)], protected_between(wishes, since, until)))


def add_counted(at: datetime, time: timedelta, wishes: Wishes) -> datetime:
    """The first moment at which so much time has been counted since another."""
    latest = at + time + MOST_PROTECTED
    for begins, ends in protected_between(wishes, at, latest):
        if begins - at >= time:
            break
        time -= begins - at
        at = ends
    return at + time


def count_back(at: datetime, time: timedelta, wishes: Wishes) -> datetime:
    """The last moment from which so much time is counted until another."""
    left, until = MOST_PROTECTED, at
    while left > NO_TIME:
        since = until - LOOKED_AHEAD
        for begins, ends in reversed(clip_spans(wishes(since, until), since, until)):
            if at - ends >= time or left <= NO_TIME:
                return at - time
            time -= at - ends
            at = max(begins, ends - left)
            left -= ends - begins
        if at - since >= time:
            break
        until = since
    return at - time


def deadline_after_loss(
    deadline: datetime, lost: Span, wishes: Wishes, least: timedelta = NO_TIME
) -> datetime:
    """A deadline after a span that was nobody's: what was left at its beginning, and so much at `least`."""
    since, until = lost
    return add_counted(until, max(count_time(since, deadline, wishes), least), wishes)


def deadline_by_wishes(deadline: datetime, now: datetime, before: Wishes, after: Wishes) -> datetime:
    """A deadline once its player has other wishes: as much time is left as before, and none is given back."""
    return add_counted(now, count_time(now, deadline, before), after)


def after_protected(at: datetime, wishes: Wishes) -> datetime:
    """The moment itself, or where a protected span holds it or begins with it the end of that span."""
    around = clip_spans(
        wishes(at - LOOKED_AHEAD, at + MOST_PROTECTED), at - LOOKED_AHEAD, at + MOST_PROTECTED
    )
    return next((ends for begins, ends in around if begins <= at < ends), at)
