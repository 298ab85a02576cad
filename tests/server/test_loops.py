"""The loops beside the pages: one that hangs or fails keeps no other waiting, and each stops when asked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from time import sleep

import pytest
from apscheduler.schedulers.background import BackgroundScheduler

from server import clock as clock_module
from server import loops
from server import loops as loops_module
from server.loops import Loop, Loops, SteadyScheduler
from server.store.context import utc_now
from server.store.states import Role
from tests.server.desk import NOON, Clock, Collector, Desk, desk

PATIENCE = 60.0
"""Seconds, on a machine that does a lot besides."""


@pytest.fixture
def context(tmp_path):
    return desk(tmp_path, ALEXANDROS_TICK="0.2")


@contextmanager
def scheduled(*loops: Loop) -> Iterator[Loop]:
    """Loops as jobs of one scheduler, until they were asked to stop and have; gives the first."""
    jobs = SteadyScheduler()
    for loop in loops:
        loop.start(jobs)
    jobs.start()
    try:
        yield loops[0]
    finally:
        for loop in loops:
            loop.ask_to_stop()
        for loop in loops:
            loop.join()
        jobs.shutdown(wait=False)


def test_a_loop_that_fails_is_told_and_tries_again(caplog):
    tried, enough = [], Event()

    def work(_: datetime) -> int:
        tried.append(1)
        if len(tried) == 1:
            raise OSError("the disk is full")
        enough.set()
        return 0

    with scheduled(Loop("mail", work, Clock(), 0.01)):
        assert enough.wait(PATIENCE)
    assert "the loop mail could not finish its work" in caplog.text


def test_a_loop_that_is_told_to_stop_ends_the_piece_in_hand_and_begins_no_more():
    begun, released, done = Event(), Event(), []

    def work(_: datetime) -> int:
        begun.set()
        assert released.wait(PATIENCE)
        done.append(1)
        return 1  # there is always more

    with scheduled(Loop("delivery", work, Clock(), 60)) as loop:
        assert begun.wait(PATIENCE)
        loop.ask_to_stop()
        released.set()
    assert done == [1]
    assert loop.seconds_since_round < PATIENCE


def test_each_piece_of_work_has_a_moment_of_its_own():
    moments, enough, clock = [], Event(), Clock()

    def work(moment: datetime) -> int:
        moments.append(moment)
        clock.forward(1)
        if len(moments) == 3:
            enough.set()
            return 0
        return 1

    with scheduled(Loop("mail", work, clock, 60)):
        assert enough.wait(PATIENCE)
    assert moments == sorted(set(moments))


def test_each_chore_has_a_loop_which_waits_where_the_wall_clock_was_set_ahead(context):
    """What cannot be undone, such as a deletion, waits until the clock is settled; deadlines go on."""
    every, ran, wall, steady = clock_module.CHORES, [], [NOON], [0.0]

    def note(name: str) -> Callable[[Desk, datetime], int]:
        def work(_: Desk, now: datetime) -> int:
            ran.append((name, now))
            return 0

        work.__name__ = name
        return work

    with pytest.MonkeyPatch.context() as patched:
        chores = [replace(one, work=note(one.name)) for one in every]
        patched.setattr(clock_module, "CHORES", chores)
        loops = Loops.of(context, [Collector()], lambda: wall[0], lambda: steady[0])
    of_clock = loops.of_role(Role.CLOCK)
    assert {"clock", "clock delete_expired", "clock queue_daily_letters"} <= {one.name for one in of_clock}

    def run_all() -> set[str]:
        ran.clear()
        for one in of_clock:
            if one.name.startswith("clock"):
                one._work(wall[0])
        return {name for name, _ in ran}

    assert run_all() == {one.name for one in every}
    wall[0] += timedelta(days=40)
    steady[0] += 1
    assert run_all() == {one.name for one in every if not one.is_final}
    steady[0] += clock_module.SETTLED_AFTER
    wall[0] += timedelta(seconds=clock_module.SETTLED_AFTER)
    assert run_all() == {one.name for one in every}


def test_no_stored_time_moves_while_deadlines_are_compared_with_a_moment(context, monkeypatch):
    wall, moved, overtaken = [NOON], Event(), []

    def look() -> None:
        other._work(wall[0])
        moved.set()

    def compare(_: Desk, now: datetime) -> int:
        wall[0] = NOON - timedelta(hours=1)
        thread.start()
        overtaken.append(moved.wait(0.2))
        return 0

    def do_nothing(_: Desk, now: datetime) -> int:
        return 0

    chores = [clock_module.Chore(compare, every=None), clock_module.Chore(do_nothing)]
    monkeypatch.setattr(clock_module, "CHORES", chores)
    loops = Loops.of(context, [Collector()], lambda: wall[0], lambda: 0.0)
    at_ticks, other = loops.of_role(Role.CLOCK)[:2]
    thread = Thread(target=look, daemon=True)
    other._work(NOON)
    at_ticks._work(NOON)
    assert moved.wait(PATIENCE)
    assert overtaken == [False]


def test_a_backup_that_takes_a_minute_does_not_count_as_hanging(context, monkeypatch):
    steady = [0.0]
    monkeypatch.setattr(loops_module, "monotonic", lambda: steady[0])
    loops = Loops.of(context, [Collector()], Clock())
    backup = next(one for one in loops.each if one.name == "clock back_up_daily")
    steady[0] = 3600.0 + 60.0  # it runs each hour
    assert not backup.is_stuck
    steady[0] = 3 * 3600.0
    assert backup.is_stuck


class WallClock:
    """The time of day that the scheduler reads, which a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = timedelta(0)
        wall = self

        class Now(datetime):
            @classmethod
            def now(cls, tz=None):
                return datetime.now(tz) + wall.ahead

        monkeypatch.setattr(loops, "datetime", Now)
        monkeypatch.setattr("apscheduler.schedulers.base.datetime", Now)


def counted(count: int) -> tuple[Event, Callable[..., int]]:
    """Work that notes when it was done so often since the last look."""
    done, enough = [], Event()

    def work(*_: object) -> int:
        done.append(1)
        if len(done) % count == 0:
            enough.set()
        return 0

    return enough, work


@pytest.mark.parametrize("hours", [-1, 1])
def test_jobs_go_on_when_the_wall_clock_is_set(monkeypatch, hours):
    wall, (enough, work) = WallClock(monkeypatch), counted(3)
    with scheduled(Loop("mail", work, utc_now, 0.05)):
        assert enough.wait(PATIENCE)
        wall.ahead = timedelta(hours=hours)
        for _ in range(2):
            enough.clear()
            assert enough.wait(PATIENCE)


def test_no_wake_up_is_lost_while_the_job_runs():
    written: list[int] = []
    enough = Event()

    def work(_: datetime) -> int:
        found = len(written)
        sleep(0.002)
        if found == 4 * 50:
            enough.set()
        return 0

    def write(loop: Loop) -> None:
        for number in range(50):
            written.append(number)
            loop.wake()
            sleep(0.001)

    with scheduled(Loop("mail", work, utc_now, 600)) as loop:
        writers = [Thread(target=write, args=(loop,)) for _ in range(4)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert enough.wait(PATIENCE)


def test_a_job_that_hangs_holds_up_no_other():
    begun, released, (enough, work) = Event(), Event(), counted(5)

    def hang(_: datetime) -> int:
        begun.set()
        assert released.wait(PATIENCE)
        return 0

    with scheduled(Loop("hangs", hang, utc_now, 0.01), Loop("goes on", work, utc_now, 0.01)) as hanging:
        assert begun.wait(PATIENCE)
        assert enough.wait(PATIENCE)
        assert not hanging.is_waiting
        released.set()


def test_the_control_apscheduler_alone_sleeps_as_long_as_the_clock_is_put_back(monkeypatch):
    wall, (enough, work) = WallClock(monkeypatch), counted(3)
    alone = BackgroundScheduler(timezone=UTC)
    alone.add_job(work, "interval", seconds=0.05)
    alone.start()
    try:
        assert enough.wait(PATIENCE)
        wall.ahead = timedelta(hours=-1)
        sleep(0.2)  # what was due before the clock was set
        enough.clear()
        assert not enough.wait(2)
    finally:
        alone.shutdown(wait=False)
