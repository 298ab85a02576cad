"""Time for a turn: the time control with its bank, counted time, and reminders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from emails.terms import TurnTime
from emails.wording.absences import MOST_DAYS_WAITED
from server.time_control.availability import Span, clip_spans, measure_spans, subtract_spans

MINUTE = timedelta(minutes=1)
NO_TIME = timedelta(0)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time the players of a game have."""

    grace: timedelta
    """For each turn, never charged; none: as long as one likes."""
    bank: timedelta = NO_TIME
    """For each player, beyond the grace of their turns."""
    refill: timedelta = NO_TIME
    """What a turn that its player ends in time adds to their bank, which is never fuller than at first."""

    @classmethod
    def of(cls, time: TurnTime) -> TimeControl:
        """The control of a time for turns as it is told."""
        return cls(time.minutes * MINUTE, time.bank * MINUTE, time.refill * MINUTE)

    def bank_after(self, before: timedelta, left: timedelta, *, by_player: bool = True) -> timedelta:
        """The bank after a turn: it held `before` at its beginning, and `left` was left in all at its end.

        It refills when its player has ended the turn in time.
        """
        rest = max(min(before, left), NO_TIME)
        return max(rest, min(rest + self.refill, self.bank)) if by_player and left > NO_TIME else rest


UnavailableSpans = Callable[[datetime, datetime], Sequence[Span]]
"""The spans between two moments in which a player is not to be asked to move."""
MOST_PROTECTED = timedelta(days=MOST_DAYS_WAITED)
"""From when a turn began: what its player asks for later is not protected."""
TIME_TO_COME_BACK = timedelta(hours=6)
"""So much is counted at least once a player's availability has changed, if their turn had so much left."""
CATCH_UP = timedelta(minutes=10)
"""No turn ends sooner after the server or its mail was down: mail written in time is still to come."""
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


SHARES_LEFT: Mapping[int, float] = {1: 1 / 2, 2: 1 / 8}
"""What is left of the time for a turn when a reminder comes, by the mark that a turn stores of it."""
BEFORE_REST = timedelta(hours=1)
"""How long before a night a reminder comes that would be too late after it."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """A reminder of a turn."""

    mark: int
    at: datetime


def list_reminders(
    whole: timedelta, deadline: datetime, unavailable: UnavailableSpans, resting: UnavailableSpans
) -> list[Reminder]:
    """The reminders of a turn, by when they are due.

    `unavailable`: when no time is counted; `resting`: when no mail is to come, such as at night.
    """
    found = []
    for mark, share in SHARES_LEFT.items():
        left = whole * share
        at = _leave_rest(count_back(deadline, left, unavailable), left, whole, deadline, resting)
        if at < deadline:
            found.append(Reminder(mark, at))
    return sorted(found, key=lambda one: one.at)


def passed_marks(reminders: list[Reminder], now: datetime) -> int:
    """The marks of all reminders whose time has come, together."""
    return sum(one.mark for one in reminders if one.at <= now)


def _leave_rest(
    at: datetime, left: timedelta, whole: timedelta, deadline: datetime, resting: UnavailableSpans
) -> datetime:
    """A moment outside of rest: after it, or before it where too little time would be left after it."""
    rest = rest_around(at, resting)
    if rest is None:
        return at
    before, after = rest[0] - BEFORE_REST, rest[1]
    is_in_time = deadline - after >= left / 2
    began_later = deadline - before >= whole
    return after if is_in_time or began_later or rest_around(before, resting) is not None else before
