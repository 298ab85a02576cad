"""Players in 24 zones over both changes of summer time, with a server that is down now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from functools import partial
from itertools import pairwise
from random import Random

import pytest

from emails.terms import TurnTime
from server.turn_time import (
    CATCH_UP,
    TIME_TO_COME_BACK,
    Interval,
    TimeControl,
    UnavailableTimes,
    Vacation,
    add_counted,
    deadline_after_change,
    deadline_after_loss,
    protected_intervals,
    within_turn,
)
from tests.server.time_control.seat_clock import ClockHistory, TurnTaken, due, remaining
from tests.server.time_control.served_people import Person
from tests.server.time_control.sleepers import DAY, FIRST_DAY, LAST_DAY, Sleeper, count_outside, unite

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
KEPT_TO = timedelta(milliseconds=1)
BEGINS = datetime.combine(FIRST_DAY, time(), UTC)
TURNS = 6
LOOKS = 4
DAYS_AWAY = [1, 4, 9, 20, 30]
"""How long somebody is away who tells it amid their turn."""
CONTROLS = [TimeControl.of(TurnTime.of_hours(*one)) for one in ((48, 96, 24), (12, 24), (24,))]
LENGTHS = [4 * SECOND, 60 * SECOND, 20 * 60 * SECOND, 3 * HOUR, 30 * HOUR, 10 * DAY]
MAILBOX_LENGTHS = [10 * SECOND, 60 * SECOND, 20 * 60 * SECOND, 3 * HOUR, 30 * HOUR, 3 * DAY]
PLAYERS = [
    pytest.param(24, id="24"),
    pytest.param(240, marks=pytest.mark.breadth, id="240"),
    pytest.param(600, marks=pytest.mark.long, id="600"),
    pytest.param(10_000, marks=pytest.mark.long, id="10000"),
]


def outages(rng: Random, number_of_them: int = 120) -> tuple[Interval, ...]:
    """When the server is down: restarts of four seconds, and what takes up to ten days."""
    found = []
    for number in range(number_of_them):
        since = BEGINS + rng.random() * (LAST_DAY - FIRST_DAY)
        found.append((since, since + LENGTHS[number % 5 if number % 40 else 5]))
    return unite(found)


def mailbox_outages(rng: Random, down: Sequence[Interval], number_of_them: int = 60) -> tuple[Interval, ...]:
    """When the mailbox cannot be read while the server is up: from ten seconds to three days."""
    found = []
    for number in range(number_of_them):
        since = BEGINS + rng.random() * (LAST_DAY - FIRST_DAY)
        until = since + MAILBOX_LENGTHS[number % len(MAILBOX_LENGTHS)]
        if all(until < begins or ends < since for begins, ends in down):
            found.append((since, until))
    return unite(found)


@dataclass(frozen=True)
class Trip:
    """What a player tells amid a turn: that they are away from then on, for days."""

    told_at: datetime
    days: Vacation
    ends: datetime
    unavailable: UnavailableTimes
    """What is protected once they have told it."""


class Traveller:
    """A sleeper who tells now and then that they go away at once, for longer than a turn may take."""

    def __init__(self, sleeper: Sleeper) -> None:
        self.sleeper, self.trips = sleeper, list[Trip]()

    @property
    def told(self) -> tuple[tuple[datetime, UnavailableTimes], ...]:
        """What they told, as the history of a clock has it."""
        return tuple((one.told_at, one.unavailable) for one in self.trips)

    @property
    def unavailable(self) -> UnavailableTimes:
        """What is protected by all that they have told."""
        return self.trips[-1].unavailable if self.trips else self.sleeper.unavailable

    def trip_from(self, at: datetime, days: int) -> Trip:
        """That they go away now: up to midnight of the first day home, by the clock of their zone."""
        had, today = self.sleeper.availability, at.astimezone(self.sleeper.zone).date()
        away = Vacation(today, today + (days - 1) * DAY)
        there = replace(had, vacations=(*had.vacations, *(one.days for one in self.trips), away))
        ends = datetime.combine(away.last + 2 * DAY, time(), self.sleeper.zone).astimezone(UTC)
        return Trip(at, away, ends, partial(protected_intervals, there))

    def spans(self, since: datetime, until: datetime) -> Sequence[Interval]:
        """What is protected between two moments, as it is judged here."""
        told = ((max(one.told_at, since), min(one.ends, until)) for one in self.trips)
        return unite([*self.sleeper.spans(since, until), *(one for one in told if one[0] < one[1])])

    def is_protected(self, at: datetime) -> bool:
        """Whether a moment lies inside a protected span, and not at its edge."""
        return self.sleeper.is_protected(at) or any(one.told_at < at < one.ends for one in self.trips)


@dataclass(frozen=True)
class TimedOut:
    """A turn whose time was up."""

    began: datetime
    at: datetime
    had: timedelta


class Post:
    """A server that keeps a deadline for each turn, as the database does, and moves it when it was down.

    So it does for the time in which its mailbox could not be read, `unread`.
    """

    def __init__(
        self,
        down: tuple[Interval, ...],
        unread: tuple[Interval, ...] = (),
        *,
        knows_heartbeat: bool = True,
        knows_mailbox: bool = True,
    ) -> None:
        self._down, self._knows_heartbeat = down, knows_heartbeat
        self._unread, self._knows_mailbox = unread, knows_mailbox

    def up_at(self, at: datetime) -> datetime:
        """The first moment from one on at which the server is up."""
        return next((until for since, until in self._down if since <= at < until), at)

    def read_at(self, at: datetime) -> datetime:
        """The first moment from one on at which a mail is read."""
        return self.up_at(next((until for since, until in self._unread if since <= at < until), at))

    def end_of_turn(
        self, player: Traveller, began: datetime, had: timedelta, answer: datetime | None, trip: Trip | None
    ) -> tuple[datetime, bool]:
        """When a turn ends, and whether it was played; a mail that waits is played at the start."""
        unavailable = player.unavailable
        deadline = add_counted(began, had, within_turn(unavailable, began))
        heard = None if answer is None else self.read_at(answer)
        lost = [(span[0], span) for span in self._down if span[1] > began and self._knows_heartbeat]
        unread = ((max(span[0], began), span[1]) for span in self._unread if span[1] > began)
        lost += [(span[0], span) for span in unread if self._knows_mailbox]
        told = [] if trip is None else [(trip.told_at, trip)]
        for at, what in sorted([*lost, *told], key=lambda one: one[0]):
            if at > deadline or (heard is not None and heard <= at):
                break
            if isinstance(what, Trip):
                deadline = deadline_after_change(deadline, at, began, unavailable, what.unavailable, had)
                unavailable = what.unavailable
                player.trips.append(what)
                continue
            deadline = deadline_after_loss(deadline, what, began, unavailable, CATCH_UP)
            began += what[1] - what[0]
        deadline = deadline if self._knows_heartbeat else self.up_at(deadline)
        return (heard, True) if heard is not None and heard <= deadline else (deadline, False)


def draw_answer(rng: Random, at: datetime, grace: timedelta, had: timedelta) -> datetime | None:
    """When a player answers whose turn begins: soon, perhaps too late, or never."""
    return rng.choice([None, at + rng.random() * grace, at + rng.random() * 3 * had])


@dataclass(frozen=True)
class PlayedTurn:
    """A turn of a player, while it goes on and once it has ended."""

    history: ClockHistory
    running: ClockHistory
    """What of that is about this turn, which is quicker to look at."""
    over: ClockHistory
    unavailable: UnavailableTimes
    """What was protected before its player told of any trip."""
    ended: datetime
    late: TimedOut | None
    gifts: timedelta
    """What a trip that was told amid it may have brought."""


def play_year(rng: Random, player: Traveller, control: TimeControl, post: Post) -> Iterator[PlayedTurn]:
    """The turns of a player: each with what was done up to it, and how it ended."""
    turns, down, unavailable = [], (*post._down, *post._unread), player.unavailable
    bank = control.bank
    at = post.up_at(BEGINS + rng.random() * 200 * DAY)
    for _ in range(TURNS):
        had = control.grace + bank
        answer, many = draw_answer(rng, at, control.grace, had), len(player.trips)
        trip = player.trip_from(post.read_at(at + rng.random() * had), rng.choice(DAYS_AWAY))
        is_told = rng.random() < 0.2 and (not player.trips or player.trips[-1].ends < at)
        ended, played = post.end_of_turn(player, at, had, answer, trip if is_told else None)
        history = ClockHistory(control, (*turns, TurnTaken(at)), down=down, told=player.told)
        own = ClockHistory(
            replace(control, bank=bank),
            (TurnTaken(at),),
            down=tuple(span for span in down if span[1] > at and span[0] <= ended),
            told=history.told,
        )
        over = replace(own, turns=(TurnTaken(at, ended),))
        late = None if played else TimedOut(at, ended, had)
        gifts = (len(player.trips) - many) * TIME_TO_COME_BACK
        yield PlayedTurn(history, own, over, unavailable, ended, late, gifts)
        left = remaining(history, unavailable, ended).whole if played else timedelta(0)
        bank = control.bank_after(bank, left)
        turns.append(TurnTaken(at, ended))
        at = post.up_at(ended + rng.random() * 5 * DAY)


def left_of(turn: PlayedTurn, at: datetime) -> timedelta:
    """What is left of a turn at a moment."""
    return remaining(turn.running, turn.unavailable, at).whole


def left_when_counted_anew(turn: PlayedTurn, at: datetime) -> timedelta:
    """The same by a clock that gives back what had passed of the day on which its player went away."""
    told = [unavailable for told_at, unavailable in turn.running.told if told_at <= at]
    return remaining(replace(turn.running, told=()), told[-1] if told else turn.unavailable, at).whole


def wrongs_of_clock(
    rng: Random, turn: PlayedTurn, left_at: Callable[[PlayedTurn, datetime], timedelta] = left_of
) -> Iterator[str]:
    """What is wrong with the clock of a turn: it is due once, and what is left grows by acts alone."""
    history, began = turn.running, turn.running.turns[-1].began
    moments = sorted(began + rng.random() * (turn.ended - began) for _ in range(LOOKS))
    left = [left_at(turn, one) for one in moments]
    for (now, then), (before, after) in zip(pairwise(moments), pairwise(left), strict=True):
        caught_up = CATCH_UP if any(now < ends <= then for _, ends in history.down) else timedelta(0)
        told = TIME_TO_COME_BACK if any(now < at <= then for at, _ in history.told) else timedelta(0)
        if after > max(before, caught_up, told):
            yield "its time has grown, and no act says why"
    found = due(history, turn.unavailable, turn.ended)
    if turn.late is not None and not found == turn.ended == due(turn.history, turn.unavailable, turn.ended):
        yield "at another moment than the acts give"
    if turn.late is None and found is not None and found < turn.ended:
        yield "it was due before it was played"
    if due(turn.over, turn.unavailable, turn.ended) is not None:
        yield "it is due once more"


def wrongs(
    player: Traveller | Person, found: TimedOut, down: Sequence[Interval], more: timedelta = timedelta(0)
) -> Iterator[str]:
    """What is wrong with a turn that was ended for its player.

    `down`: when the server was, or its mail. `more`: what its player may have got besides.
    """
    protected = player.spans(found.began - DAY, found.at + DAY)
    counted = count_outside(found.began, found.at, (*protected, *down))
    around = [span for span in down if span[1] > found.began and span[0] < found.at]
    if player.is_protected(found.at):
        yield "in protected time"
    if any(since < found.at < until for since, until in down):
        yield "in time that is nobody's"
    if any(until <= found.at < until + CATCH_UP - KEPT_TO for _, until in around):
        yield "before the mail that waited could come"
    if counted < found.had - KEPT_TO:
        yield "too early"
    if counted > found.had + len(around) * CATCH_UP + more:
        yield "later than its bound"


def play_all(
    number: int, *, knows_heartbeat: bool = True, knows_mailbox: bool = True
) -> tuple[int, int, list[str]]:
    """How many turns there were, how many timed out, and what was wrong with those."""
    rng, turns, late, wrong = Random(number), 0, 0, list[str]()
    down = outages(rng)
    unread = mailbox_outages(rng, down)
    post = Post(down, unread, knows_heartbeat=knows_heartbeat, knows_mailbox=knows_mailbox)
    for one in range(number):
        player = Traveller(Sleeper.of(rng, one))
        for turn in play_year(rng, player, rng.choice(CONTROLS), post):
            turns += 1
            late += turn.late is not None
            if turn.late is not None:
                wrong += wrongs(player, turn.late, (*down, *unread), turn.gifts)
            if knows_heartbeat and knows_mailbox:
                wrong += wrongs_of_clock(rng, turn)
    return turns, late, wrong


@pytest.mark.breadth
@pytest.mark.parametrize("number", PLAYERS)
def test_nobody_is_timed_out_in_time_that_is_not_theirs(number):
    turns, late, wrong = play_all(number)
    assert turns == TURNS * number
    assert late > turns / 4
    assert not wrong


@pytest.mark.breadth
def test_the_control_a_clock_that_ignores_the_heartbeat_takes_turns_that_it_must_not():
    _, _, wrong = play_all(30, knows_heartbeat=False)
    assert {"too early", "before the mail that waited could come"} <= set(wrong)


@pytest.mark.breadth
def test_the_control_a_clock_that_ignores_the_mailbox_takes_turns_that_it_must_not():
    _, _, wrong = play_all(30, knows_mailbox=False)
    assert {"too early", "in time that is nobody's"} <= set(wrong)


@pytest.mark.breadth
def test_the_control_time_that_comes_back_unsaid_is_seen_and_so_is_what_is_due_twice():
    rng, down = Random(1), outages(Random(1))
    turns = [
        turn
        for one in range(12)
        for turn in play_year(rng, Traveller(Sleeper.of(rng, one)), CONTROLS[0], Post(down))
    ]
    grown = [wrong for turn in turns for wrong in wrongs_of_clock(rng, turn, left_when_counted_anew)]
    assert set(grown) == {"its time has grown, and no act says why"}
    twice = [wrong for turn in turns for wrong in wrongs_of_clock(rng, replace(turn, over=turn.running))]
    assert set(twice) == {"it is due once more"}
