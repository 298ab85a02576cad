"""Players in 24 zones over both changes of summer time, with a server that is down now and then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from random import Random
from typing import Protocol

import pytest

from server.time_control.control import TimeControl
from server.time_control.seat_clock import CATCH_UP, ClockHistory, TurnTaken, due, remaining
from server.time_control.spans import Span
from server.time_control.turn_time import add_counted, deadline_after_loss, within_turn
from tests.server.time_control.sleepers import DAY, FIRST_DAY, LAST_DAY, Sleeper, count_outside, unite

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
KEPT_TO = timedelta(milliseconds=1)
"""The database keeps no moment more exactly."""
BEGINS = datetime.combine(FIRST_DAY, time(), UTC)
TURNS = 6
"""Of each player."""
CONTROLS = [TimeControl.of_hours(48, 96), TimeControl.of_hours(12, 24), TimeControl.of_hours(24)]
LENGTHS = [4 * SECOND, 60 * SECOND, 20 * 60 * SECOND, 3 * HOUR, 30 * HOUR, 10 * DAY]
PLAYERS = [
    pytest.param(60, id="60"),
    pytest.param(240, marks=pytest.mark.breadth, id="240"),
    pytest.param(600, marks=pytest.mark.breadth, id="600"),
    pytest.param(10_000, marks=pytest.mark.long, id="10000"),
]


def outages(rng: Random, number_of_them: int = 120) -> tuple[Span, ...]:
    """When the server is down: restarts of four seconds, and what takes up to ten days."""
    found = []
    for number in range(number_of_them):
        since = BEGINS + rng.random() * (LAST_DAY - FIRST_DAY)
        found.append((since, since + LENGTHS[number % 5 if number % 40 else 5]))
    return unite(found)


@dataclass(frozen=True)
class TimedOut:
    """A turn whose time was up."""

    began: datetime
    at: datetime
    had: timedelta
    """What its player had for it."""


class Post:
    """A server that keeps a deadline for each turn, as the database does, and moves it when it was down."""

    def __init__(self, down: tuple[Span, ...], *, knows_heartbeat: bool = True) -> None:
        self._down, self._knows_heartbeat = down, knows_heartbeat

    def up_at(self, at: datetime) -> datetime:
        """The first moment from one on at which the server is up."""
        return next((until for since, until in self._down if since <= at < until), at)

    def end_of_turn(
        self, sleeper: Sleeper, began: datetime, had: timedelta, answer: datetime | None
    ) -> tuple[datetime, bool]:
        """When a turn ends, and whether it was played; a mail that waits is played at the start."""
        deadline = add_counted(began, had, within_turn(sleeper.wishes, began))
        heard = None if answer is None else self.up_at(answer)
        for lost in self._down:
            if lost[1] <= began or not self._knows_heartbeat:
                continue
            if lost[0] > deadline or (heard is not None and heard <= lost[0]):
                break
            deadline = deadline_after_loss(deadline, lost, began, sleeper.wishes, CATCH_UP)
            began += lost[1] - lost[0]
        deadline = deadline if self._knows_heartbeat else self.up_at(deadline)
        return (heard, True) if heard is not None and heard <= deadline else (deadline, False)


def draw_answer(rng: Random, at: datetime, grace: timedelta, had: timedelta) -> datetime | None:
    """When a player answers whose turn begins: soon, perhaps too late, or never."""
    return rng.choice([None, at + rng.random() * grace, at + rng.random() * 3 * had])


def play_year(
    rng: Random, sleeper: Sleeper, control: TimeControl, post: Post
) -> Iterator[tuple[ClockHistory, TimedOut | None]]:
    """The turns of a player: each with what was done up to it, and how it ended where time was up."""
    turns, down = [], post._down
    bank = control.bank
    at = post.up_at(BEGINS + rng.random() * 200 * DAY)
    for _ in range(TURNS):
        had = control.grace + bank
        answer = draw_answer(rng, at, control.grace, had)
        ended, played = post.end_of_turn(sleeper, at, had, answer)
        history = ClockHistory(control, (*turns, TurnTaken(at)), down=down)
        yield history, None if played else TimedOut(at, ended, had)
        left = remaining(history, sleeper.wishes, ended).whole if played else timedelta(0)
        bank = control.bank_after(bank, left)
        turns.append(TurnTaken(at, ended))
        at = post.up_at(ended + rng.random() * 5 * DAY)


class Protected(Protocol):
    """Somebody of whose time it is known what is protected."""

    def spans(self, since: datetime, until: datetime) -> Sequence[Span]:
        """What is protected between two moments."""
        ...

    def is_protected(self, at: datetime) -> bool:
        """Whether a moment lies inside a protected span, and not at its edge."""
        ...


def wrongs(
    player: Protected,
    found: TimedOut,
    down: Sequence[Span],
    lost: Sequence[Span] = (),
    more: timedelta = timedelta(0),
) -> Iterator[str]:
    """What is wrong with a turn that was ended for its player.

    `lost`: what is nobody's as well, after which there is nothing to catch up with. `more`: what its player
    may have got besides.
    """
    protected = player.spans(found.began - DAY, found.at + DAY)
    counted = count_outside(found.began, found.at, (*protected, *down, *lost))
    around = [span for span in down if span[1] > found.began and span[0] < found.at]
    if player.is_protected(found.at):
        yield "in protected time"
    if any(since < found.at < until for since, until in (*down, *lost)):
        yield "in time that is nobody's"
    if any(until <= found.at < until + CATCH_UP - KEPT_TO for _, until in around):
        yield "before the mail that waited could come"
    if counted < found.had - KEPT_TO:
        yield "too early"
    if counted > found.had + len(around) * CATCH_UP + more:
        yield "later than its bound"


def play_all(number: int, *, knows_heartbeat: bool = True) -> tuple[int, int, list[str]]:
    """How many turns there were, how many timed out, and what was wrong with those."""
    rng, turns, late, wrong = Random(number), 0, 0, list[str]()
    down = outages(rng)
    post = Post(down, knows_heartbeat=knows_heartbeat)
    for player in range(number):
        sleeper = Sleeper.of(rng, player)
        for history, found in play_year(rng, sleeper, rng.choice(CONTROLS), post):
            turns += 1
            if found is None:
                continue
            late += 1
            wrong += wrongs(sleeper, found, down)
            if knows_heartbeat and due(history, sleeper.wishes, found.at) != found.at:
                wrong.append("at another moment than the acts give")
    return turns, late, wrong


@pytest.mark.parametrize("number", PLAYERS)
def test_nobody_is_timed_out_in_time_that_is_not_theirs(number):
    turns, late, wrong = play_all(number)
    assert turns == TURNS * number
    assert late > turns / 4
    assert not wrong


def test_the_control_a_clock_that_ignores_the_heartbeat_takes_turns_that_it_must_not():
    _, _, wrong = play_all(60, knows_heartbeat=False)
    assert {"too early", "before the mail that waited could come"} <= set(wrong)
