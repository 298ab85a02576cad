"""The time of one turn: how much of it is counted between two moments, and when so much has been counted.

What is protected is not counted: its player sleeps, has a day off or is away. It is bounded in one place
(`within_turn`): nothing is protected once a turn has gone on for so long, whatever its player asks for in
the meantime. So each turn has an end. Time that is nobody's (the server down, the relay away, a game that is
halted) stands outside that bound: a turn is taken to begin later by as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from emails.wording.presence.terms_text import MOST_DAYS_WAITED
from server.time_control.control import NO_TIME
from server.time_control.spans import Span, clip_spans, measure_spans, subtract_spans

UnavailableSpans = Callable[[datetime, datetime], Sequence[Span]]
"""The spans between two moments in which a player is not to be asked to move."""
MOST_PROTECTED = timedelta(days=MOST_DAYS_WAITED)
"""From when a turn began: what its player asks for later is not protected."""
TIME_TO_COME_BACK = timedelta(hours=6)
"""So much is counted at least once a player's availability has changed, if their turn had so much left."""
CATCH_UP = timedelta(minutes=10)
"""No turn ends sooner after the server was down: mail that was written in time is still to come."""
LEAST_SHARE_LEFT = 1 / 4
"""The part of the time for a turn that is left at least when a clock goes on that was stopped."""
LOOKED_AHEAD = timedelta(days=14)
"""How far spans are asked for at one time."""


def always_available(since: datetime, until: datetime) -> Sequence[Span]:
    """The unavailable spans of somebody who has none."""
    return ()


def within_turn(unavailable: UnavailableSpans, began: datetime) -> UnavailableSpans:
    """What is protected of a turn that began at a moment, by when its player is unavailable."""
    latest = began + MOST_PROTECTED

    def spans_between(since: datetime, until: datetime) -> Sequence[Span]:
        return unavailable(since, min(until, latest)) if since < latest else ()

    return spans_between


def protected_between(unavailable: UnavailableSpans, since: datetime, until: datetime) -> Iterator[Span]:
    """The protected spans between two moments in order; a long one in several parts."""
    at = since
    while at < until:
        ahead = min(until, at + LOOKED_AHEAD)
        yield from clip_spans(unavailable(at, ahead), at, ahead)
        at = ahead


def count_time(since: datetime, until: datetime, unavailable: UnavailableSpans) -> timedelta:
    """How much time is counted between two moments."""
    return measure_spans(subtract_spans([(since, until)], protected_between(unavailable, since, until)))


def add_counted(at: datetime, time: timedelta, unavailable: UnavailableSpans) -> datetime:
    """The first moment at which so much time of a turn has been counted since another."""
    latest = at + time + MOST_PROTECTED
    for begins, ends in protected_between(unavailable, at, latest):
        if begins - at >= time:
            break
        time -= begins - at
        at = ends
    return at + time


def count_back(at: datetime, time: timedelta, unavailable: UnavailableSpans) -> datetime:
    """The last moment from which so much time is counted until another."""
    until, earliest = at, at - time - MOST_PROTECTED
    while until > earliest:
        since = until - LOOKED_AHEAD
        for begins, ends in reversed(clip_spans(unavailable(since, until), since, until)):
            if at - ends >= time:
                return at - time
            time -= at - ends
            at = begins
        if at - since >= time:
            break
        until = since
    return at - time


def deadline_after_loss(
    deadline: datetime, lost: Span, began: datetime, unavailable: UnavailableSpans, least: timedelta = NO_TIME
) -> datetime:
    """A deadline after a span that was nobody's: what was left at its beginning, and so much at `least`.

    `began`: when the turn did, which is later by as much from then on; of one that began in the span nothing
    was left before, and its time goes from the end on.
    """
    since, until = lost
    left = count_time(max(since, began), deadline, within_turn(unavailable, began))
    begins = until if since < began <= until else began + (until - since)
    return add_counted(max(until, begins), max(left, least), within_turn(unavailable, begins))


def time_after_change(left: timedelta, whole: timedelta, ends_in: timedelta) -> timedelta:
    """What is left of a turn once its player's availability has changed: as before, and time to come back.

    `whole`: its whole time; `ends_in`: how long it would have gone on as it was before.
    """
    return max(left, min(ends_in, whole, TIME_TO_COME_BACK))


def deadline_after_change(
    deadline: datetime,
    now: datetime,
    began: datetime,
    before: UnavailableSpans,
    after: UnavailableSpans,
    whole: timedelta = NO_TIME,
) -> datetime:
    """A deadline once its player's availability has changed: no time that has passed comes back.

    `began`: when the turn did; `whole`: its whole time, where they are to have time to come back.
    """
    left = count_time(now, deadline, within_turn(before, began))
    left = time_after_change(left, whole, deadline - now)
    return add_counted(now, left, within_turn(after, began))


def after_protected(at: datetime, unavailable: UnavailableSpans) -> datetime:
    """The moment itself, or where a protected span holds it or begins with it the end of that span."""
    span = rest_around(at, unavailable)
    return at if span is None else span[1]


def rest_around(at: datetime, unavailable: UnavailableSpans) -> Span | None:
    """The whole span of those that touch which holds a moment or begins with it; None: no span does."""
    since, until = at - LOOKED_AHEAD, at + MOST_PROTECTED
    around = clip_spans(unavailable(since, until), since, until)
    return next((span for span in around if span[0] <= at < span[1]), None)


def with_night(unavailable: UnavailableSpans, night: UnavailableSpans) -> UnavailableSpans:
    """What a player's availability protects, and their nights."""

    def spans_between(since: datetime, until: datetime) -> Sequence[Span]:
        return (*unavailable(since, until), *night(since, until))

    return spans_between
