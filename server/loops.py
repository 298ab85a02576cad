"""Background work: jobs of APScheduler, robust against changes of the wall clock."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event, Thread
from time import monotonic

from apscheduler.events import EVENT_JOB_EXECUTED, JobExecutionEvent
from apscheduler.executors.base import BaseExecutor, run_job
from apscheduler.job import Job
from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers import SchedulerNotRunningError
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.schedulers.base import STATE_STOPPED
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger
from sqlalchemy.exc import OperationalError

from server import clock
from server.clock import Chore, ClockWatch
from server.delivery import sending
from server.delivery.relay import RecipientLocks, Transport
from server.inbox import dispatch
from server.monitoring import ChoreFailures
from server.reviews import review_finished_games
from server.store.context import Context
from server.store.states import EVERY_ROLE, Role, Roles
from server.turns.bot_turns import LOOKS_EVERY, MOST_PLANS, BotTurns
from server.turns.play import play_due_plans

CLOCKS_COMPARED_EVERY = 1.0
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
        # APScheduler sleeps by the wall clock, so a clock that is set back would prolong the sleep.
        wall, steady, pause = datetime.now(UTC), monotonic(), 0.0
        while self.state != STATE_STOPPED:
            self._event.wait(min(pause, CLOCKS_COMPARED_EVERY))
            self._event.clear()
            now, passed = datetime.now(UTC), timedelta(seconds=monotonic() - steady)
            if now - wall < passed - LEAST_JUMP:  # the wall clock was set back
                for job in self.get_jobs():
                    job.modify(next_run_time=now)
            wall, steady = now, monotonic()
            due_in = self._process_jobs()
            pause = CLOCKS_COMPARED_EVERY if due_in is None else due_in


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


LOG = logging.getLogger(__name__)
LISTENS_AGAIN_AFTER = 2.0


class WakeUps(Thread):
    """Wakes the loops of this process when another process commits; listens in a thread."""

    def __init__(self, context: Context, wake: Callable[[], None]) -> None:
        super().__init__(name="wake-ups", daemon=True)
        self._listen = partial(context.system.listen, context.settings.database, context.sender, wake)
        self._stopping = Event()

    def ask_to_stop(self) -> None:
        self._stopping.set()

    def run(self) -> None:
        is_logged = False
        while not self._stopping.is_set():
            try:
                if not self._listen(self._stopping):
                    return
                is_logged = False
            except Exception as error:  # meanwhile the loops check for work at intervals
                if not is_logged:
                    LOG.warning("no wake-ups from other processes: %s", type(error).__name__)
                is_logged = True
                self._stopping.wait(LISTENS_AGAIN_AFTER)


STOPPING_TAKES = 20.0
ROUND_TAKES = 15.0
"""Seconds after which one piece of work counts as hanging."""
LANE = "delivery"
ROLE_OF = {
    "mail": Role.MAIL,
    "clock": Role.CLOCK,
    "plans": Role.CLOCK,
    "operator": Role.LETTERS,
    LANE: Role.LETTERS,
    "house": Role.HOUSE,
    "reviews": Role.HOUSE,
}

Work = Callable[[datetime], int]
"""Performs some of the work that is due; returns how many items were done, 0 if none is left."""


class Loop:
    """Repeated work of one kind, run as a job of the scheduler."""

    def __init__(
        self,
        name: str,
        work: Work,
        now: Callable[[], datetime],
        pause: float,
        takes: float = ROUND_TAKES,
        *,
        cron: Mapping[str, int] | None = None,
        on_commit: bool = True,
    ) -> None:
        """`pause`: seconds between two runs; `takes`: seconds after which a piece of work counts as hanging.

        `cron`: exact times in place of `pause`, as fields of a `CronTrigger`; `on_commit`: also run after
        each commit.
        """
        self.name = name
        self._work, self._now, self._pause, self._takes = work, now, pause, takes
        self._cron, self.on_commit = cron, on_commit
        self._scheduler: SteadyScheduler | None = None
        self._called, self._stopping, self._waiting = Event(), Event(), Event()
        self._waiting.set()
        self._well_at = monotonic()
        self._failure = ""

    def start(self, scheduler: SteadyScheduler) -> None:
        self._scheduler = scheduler
        self._called.set()
        scheduler.add_listener(self._note_run, EVENT_JOB_EXECUTED)
        trigger = (
            CronTrigger(**self._cron, timezone=UTC)
            if self._cron
            else IntervalTrigger(seconds=self._pause, timezone=UTC)
        )
        scheduler.add_job(self._run, trigger, id=self.name, next_run_time=datetime.now(UTC))

    def wake(self) -> None:
        self._called.set()
        if self._scheduler is not None:
            with suppress(JobLookupError):  # the scheduler has stopped
                self._scheduler.modify_job(self.name, next_run_time=datetime.now(UTC))

    def ask_to_stop(self) -> None:
        """Finish the work in progress, and start no more."""
        self._stopping.set()

    def join(self, seconds: float = STOPPING_TAKES) -> None:
        """Wait at most `seconds` until no work is in progress."""
        self._waiting.wait(seconds)

    @property
    def is_waiting(self) -> bool:
        return self._waiting.is_set()

    @property
    def seconds_since_round(self) -> float:
        """Seconds since the loop last finished a piece of work, or found none."""
        return monotonic() - self._well_at

    @property
    def is_stuck(self) -> bool:
        """Whether the loop hangs at a piece of work, or fails repeatedly."""
        return self.seconds_since_round > self._pause + self._takes

    def _run(self) -> None:
        self._waiting.clear()
        self._called.clear()
        try:
            while not self._stopping.is_set() and self._work(self._now()):
                self._well_at = monotonic()
            self._well_at, self._failure = monotonic(), ""
        except Exception as error:  # the next run tries again
            self._log_failure(error)
        finally:
            self._waiting.set()

    def _note_run(self, event: JobExecutionEvent) -> None:
        """Run again if `wake` was called during a run; the scheduler runs a job only once at a time."""
        if event.job_id == self.name and self._called.is_set() and not self._stopping.is_set():
            self.wake()

    def _log_failure(self, error: Exception) -> None:
        kind = type(error).__name__
        if kind == self._failure:
            return
        self._failure = kind
        if isinstance(error, OperationalError):  # often a full disk: log no traceback
            LOG.error("the loop %s waits for the database: %s", self.name, error.orig)
        else:
            LOG.exception("the loop %s could not finish its work", self.name)


@dataclass(frozen=True, slots=True)
class Loops:
    """All background loops of a process."""

    each: tuple[Loop, ...]
    recipient_locks: RecipientLocks
    failures: ChoreFailures
    _scheduler: SteadyScheduler = field(default_factory=SteadyScheduler)

    @classmethod
    def of(
        cls,
        context: Context,
        lanes: Sequence[Transport],
        now: Callable[[], datetime],
        steady: Callable[[], float] = monotonic,
        roles: Roles = EVERY_ROLE,
    ) -> Loops:
        """Create the loops of the given roles.

        Each transport in `lanes` sends letters in its own loop, so that a slow letter does not delay the
        others. The first transport sends only mails to the operator. `steady`: monotonic clock in seconds, by
        which changes of the wall clock are detected.
        """
        recipient_locks, failures = RecipientLocks(shared=context.shared_keys), ChoreFailures()
        pause = context.settings.tick
        each: list[Loop] = []
        if Role.MAIL in roles:
            read = partial(dispatch.process_waiting_mail, context, most=1, shared=context.shared_keys)
            each.append(Loop("mail", read, now, pause))
        if Role.CLOCK in roles:
            watch = ClockWatch(context, steady, awaits_mail=Role.MAIL not in roles)
            each += [_loop_of(context, chore, watch, failures, now) for chore in clock.CHORES]
        takes = ROUND_TAKES + MOST_PLANS * context.settings.house_seconds
        if Role.HOUSE in roles:
            house = BotTurns(context, steady)
            each += [
                Loop("house", house.play, now, min(pause, LOOKS_EVERY), takes),
                Loop("reviews", partial(review_finished_games, context), now, pause, takes),
            ]
        if Role.CLOCK in roles:
            each.append(Loop("plans", partial(play_due_plans, context), now, min(pause, LOOKS_EVERY)))
        if Role.LETTERS in roles:
            for_operator, *for_letters = lanes
            tell = partial(sending.send_operator_mails, context, for_operator, most=1, locks=recipient_locks)
            each.append(Loop("operator", tell, now, pause))
            for number, lane in enumerate(for_letters or [for_operator], 1):
                send = partial(sending.send_due_letters, context, lane, most=1, locks=recipient_locks)
                each.append(Loop(f"{LANE} {number}", send, now, pause))
        found = cls(tuple(each), recipient_locks, failures)
        recipient_locks.wake_lane = found.wake_lane
        return found

    def of_role(self, role: Role) -> tuple[Loop, ...]:
        return tuple(one for one in self.each if ROLE_OF[one.name.split(" ")[0]] is role)

    def start(self, context: Context) -> None:
        """Start all loops; let each commit of the context wake them."""
        context.wake = self.wake
        for one in self.each:
            one.start(self._scheduler)
        self._scheduler.start()

    def wake(self) -> None:
        for one in self.each:
            if one.on_commit and not one.name.startswith(LANE):
                one.wake()
        self.wake_lane()

    def wake_lane(self) -> None:
        """Wake one idle sending loop. If it finds a letter, it wakes the next loop.

        If all loops were woken at once, most would find no letter, and would slow down the others.
        """
        lanes = [one for one in self.each if one.name.startswith(LANE)]
        for one in [one for one in lanes if one.is_waiting][:1] or lanes:
            one.wake()

    def ask_to_stop(self) -> None:
        """Let each loop finish its work in progress, such as sending a letter, and then end."""
        for one in self.each:
            one.ask_to_stop()

    def join(self, seconds: float = STOPPING_TAKES) -> None:
        """Wait at most `seconds` until all loops have stopped; open work continues at the next start."""
        until = monotonic() + seconds
        for one in self.each:
            one.join(max(0.0, until - monotonic()))
        with suppress(SchedulerNotRunningError):
            self._scheduler.shutdown(wait=False)

    def stop(self) -> None:
        self.ask_to_stop()
        self.join()


def _loop_of(
    context: Context, chore: Chore, watch: ClockWatch, failures: ChoreFailures, now: Callable[[], datetime]
) -> Loop:
    """Return the loop of a chore, which runs only while wall clock and steady clock agree."""
    at_ticks = chore.every is None

    def work(_: datetime) -> int:
        with watch.lock:
            moment = now()
            if not watch.look(moment):
                return 0
            if at_ticks:  # deadlines are compared with the moment, so neither may be moved meanwhile
                return chore.run(context, moment, watch.is_settled, failures)
        return chore.run(context, moment, watch.is_settled, failures)

    name = "clock" if at_ticks else f"clock {chore.name}"
    pause = chore.every or context.settings.tick
    return Loop(name, work, now, pause, chore.takes, cron=chore.cron, on_commit=at_ticks)
