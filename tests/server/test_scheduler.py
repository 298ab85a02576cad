"""Background jobs: no wake-up is lost, none holds up another, and no change of the wall clock stops them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from time import sleep

import pytest
from apscheduler.schedulers.background import BackgroundScheduler

from server import scheduler
from server.loops import Loop
from server.scheduler import SteadyScheduler
from server.store.context import utc_now
from tests.server.test_loops import PATIENCE, scheduled


class WallClock:
    """The time of day that the scheduler reads, which a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = timedelta(0)
        wall = self

        class Now(datetime):
            @classmethod
            def now(cls, tz=None):
                return datetime.now(tz) + wall.ahead

        monkeypatch.setattr(scheduler, "datetime", Now)
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

    jobs = SteadyScheduler()
    loops = [Loop("hangs", hang, utc_now, 0.01), Loop("goes on", work, utc_now, 0.01)]
    for loop in loops:
        loop.start(jobs)
    jobs.start()
    assert begun.wait(PATIENCE)
    assert enough.wait(PATIENCE)
    assert not loops[0].is_waiting
    for loop in loops:
        loop.ask_to_stop()
    released.set()
    for loop in loops:
        loop.join()
    jobs.shutdown(wait=False)
