"""Who plays a year on a server, what they tell it, and what is seen of its letters at the border."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from zoneinfo import ZoneInfo

from server.delivery.relay import RelayAway
from server.turn_time import Interval, TimeControl
from tests.server.time_control.sleepers import DAY, Sleeper, unite

LEAST_ABSENCE = timedelta(minutes=1)
"""A relay that was away for less has kept nobody from anything."""


@dataclass
class Border:
    """The relay, which may be away: it notes what it has taken, and when it was asked in vain."""

    now: Callable[[], datetime]
    is_away: bool = False
    missed_since: datetime | None = None
    missed: list[Interval] = field(default_factory=list)
    taken: dict[str, list[datetime]] = field(default_factory=dict)

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        self.probe()
        self.taken.setdefault(recipient, []).append(self.now())

    def probe(self) -> None:
        if self.is_away:
            self.missed_since = self.missed_since or self.now()
            raise RelayAway("nobody answers")
        if self.missed_since is not None:
            if self.now() - self.missed_since >= LEAST_ABSENCE:
                self.missed.append((self.missed_since, self.now()))
            self.missed_since = None


@dataclass
class Turn:
    """A turn that goes on, as its player sees it."""

    number: int
    seat: int
    came: datetime
    bank: timedelta
    began: datetime | None = None
    """When its letter was taken at the border."""
    given: timedelta = timedelta(0)
    answer: datetime | None = None
    is_delayed: bool = False
    """Whether that waits since the server was down."""
    more: timedelta = timedelta(0)
    """What they may have got by changing what they wish."""
    looked: tuple[datetime, timedelta] | None = None
    """When its time was looked at last, and what was left."""
    perhaps: timedelta = timedelta(0)
    """What of `more` they may have got since then."""


@dataclass
class Trip:
    """Days away that somebody told while they played: since then, until they are over or they are back."""

    first: date
    last: date
    since: datetime
    until: datetime

    def span_on(self, day: date, zone: ZoneInfo) -> Interval:
        begins, ends = whole_day(day, zone)
        return max(begins, self.since), min(ends, self.until)


@dataclass
class Person:
    """A player on the server."""

    sleeper: Sleeper
    name: str
    bank: timedelta
    allowance: int | None = None
    """Days away in a calendar year for which their game lets time stand; None: any number."""
    planned: list[date] = field(default_factory=list)
    """The days away that they told before they played."""
    trips: list[Trip] = field(default_factory=list)
    missed: int = 0
    taken: int = 0

    @property
    def address(self) -> str:
        return f"{self.name.lower()}@example.org"

    def spans(self, since: datetime, until: datetime) -> Sequence[Interval]:
        told = ((max(begins, since), min(ends, until)) for begins, ends in self._away())
        return unite([*self._rest.spans(since, until), *(one for one in told if one[0] < one[1])])

    def is_protected(self, at: datetime) -> bool:
        """Whether a moment lies inside a protected span, and not at its edge."""
        return self._rest.is_protected(at) or any(begins < at < ends for begins, ends in unite(self._away()))

    def is_exceeded(self, since: datetime, until: datetime) -> bool:
        """Whether time runs between two moments though they are away, for their game allows no more days."""
        runs = (span for _, span, is_allowed in self._days_away() if not is_allowed)
        return any(begins < until and ends > since for begins, ends in runs)

    @cached_property
    def _rest(self) -> Sleeper:
        return self.sleeper if self.allowance is None else self.sleeper.at_home()

    def _away(self) -> Iterator[Interval]:
        yield from self._first_days_home()
        if self.allowance is None:
            yield from ((one.since, one.until) for one in self.trips)
        else:
            yield from (span for _, span, is_allowed in self._days_away() if is_allowed)

    def _first_days_home(self) -> Iterator[Interval]:
        """The day after a whole day away on which time stands, where they are home then."""
        zone, found = self.sleeper.zone, list(self._days_away())
        days = {day for day, _, _ in found}
        for day, span, is_allowed in found:
            if is_allowed and span == whole_day(day, zone) and day + DAY not in days:
                yield whole_day(day + DAY, zone)

    def _days_away(self) -> Iterator[tuple[date, Interval, bool]]:
        """Each day away by the calendar, as it was told, and whether it is one of the first of a year.

        Those are the days on which their game lets time stand.
        """
        zone, used = self.sleeper.zone, Counter[int]()
        days = [(day, whole_day(day, zone)) for day in self.planned]
        for trip in self.trips:
            away = (trip.first + number * DAY for number in range((trip.last - trip.first).days + 1))
            days += [(day, trip.span_on(day, zone)) for day in away]
        for day, span in sorted(days):
            used[day.year] += 1
            yield day, span, self.allowance is None or used[day.year] <= self.allowance


@dataclass
class Table:
    """A game of two."""

    control: TimeControl
    people: list[Person]
    game: str = ""
    seen: int = 0
    turn: Turn | None = None
    timed_out: int = 0
    is_left: bool = False
    due: datetime | None = None
    """Its deadline, as it stood before the server worked."""
    dealt: set[datetime] = field(default_factory=set)
    """The deadlines with which the clock has dealt."""


def whole_day(day: date, zone: ZoneInfo) -> Interval:
    """A day from midnight to midnight, by the clock of a zone."""
    begins, ends = (datetime.combine(one, time(), zone).astimezone(UTC) for one in (day, day + DAY))
    return begins, ends


def runs_of(days: Iterable[date]) -> Iterator[tuple[date, date]]:
    """The first and the last of days that follow on each other."""
    found = sorted(set(days))
    while found:
        length = next((n for n, day in enumerate(found) if day != found[0] + n * DAY), len(found))
        yield found[0], found[length - 1]
        found = found[length:]
