"""APScheduler's background scheduler, made robust against changes of the wall clock.

APScheduler sleeps until the wall clock shows the time of the next job. If the clock is set back, the sleep
lasts longer by as much; so `SteadyScheduler` compares wall clock and monotonic clock every second.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from threading import Thread
from time import monotonic

from apscheduler.executors.base import BaseExecutor, run_job
from apscheduler.job import Job
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.schedulers.base import STATE_STOPPED

LOOKS_EVERY = 1.0
LEAST_JUMP = timedelta(seconds=1)
"""Minimum time by which the wall clock must fall behind the monotonic clock to count as set back."""

logging.getLogger("apscheduler").setLevel(logging.CRITICAL)  # jobs log their own failures


class SteadyScheduler(BackgroundScheduler):
    """A scheduler that runs each job in a daemon thread, at most once at a time."""

    def __init__(self) -> None:
        super().__init__(
            executors={"default": DaemonThreads()},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
            timezone=UTC,
        )

    def _main_loop(self) -> None:
        wall, steady, pause = datetime.now(UTC), monotonic(), 0.0
        while self.state != STATE_STOPPED:
            self._event.wait(min(pause, LOOKS_EVERY))
            self._event.clear()
            now, passed = datetime.now(UTC), timedelta(seconds=monotonic() - steady)
            if now - wall < passed - LEAST_JUMP:  # the wall clock was set back
                for job in self.get_jobs():
                    job.modify(next_run_time=now)
            wall, steady = now, monotonic()
            due_in = self._process_jobs()
            pause = LOOKS_EVERY if due_in is None else due_in


class DaemonThreads(BaseExecutor):
    """Runs each job in a daemon thread, so that a job that hangs does not stop the process from ending.

    Threads of `concurrent.futures`, APScheduler's default, are joined at exit.
    """

    def _do_submit_job(self, job: Job, run_times: Sequence[datetime]) -> None:
        Thread(target=self._run, args=(job, run_times), name=job.id, daemon=True).start()

    def _run(self, job: Job, run_times: Sequence[datetime]) -> None:
        try:
            events = run_job(job, job._jobstore_alias, run_times, self._logger.name)
        except BaseException:
            _, error, trace = sys.exc_info()
            self._run_job_error(job.id, error, trace)
        else:
            self._run_job_success(job.id, events)
