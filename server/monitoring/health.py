"""Health checks of the parts of a server, and failures of the clock's chores."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from threading import Event, Lock, Thread
from time import monotonic

from server.monitoring.server_events import EventLog, PartState

LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class ChoreFailures:
    """The chores that failed when they ran last, and the kind of error of each."""

    _kinds: dict[str, str] = field(default_factory=dict)

    @property
    def chores(self) -> tuple[str, ...]:
        return tuple(self._kinds)

    def note_failure(self, chore: str, error: Exception) -> None:
        """Note a failure; it is logged with its traceback, unless the chore failed the same way before."""
        kind = type(error).__name__
        if self._kinds.get(chore) != kind:
            self._kinds[chore] = kind
            LOG.error("the chore %s failed", chore, exc_info=error)

    def note_done(self, chore: str) -> None:
        self._kinds.pop(chore, None)


CACHED_FOR = 2.0
"""Seconds for which the results of checks are cached."""
CHECKED_EVERY = 5.0
WELL_LOGGED_AFTER = 60.0
"""Seconds for which a part must be well before that is logged, so that flapping does not fill the log."""
CHECKS_TAKE = 10.0
"""Seconds that a round takes at most."""
LEAST_FREE = 100 * 2**20
"""Minimum of free bytes on the database's disk."""


class HealthPart(StrEnum):
    """A part of the server that can fail; its value is shown."""

    DATABASE = "database"
    """Nothing can be written, or only slowly."""
    SCHEMA = "schema"
    """The schema version is not that of this program."""
    DISK = "disk"
    """The disk is nearly full, or a write failed of late."""
    RELAY = "relay"
    """It does not answer, and letters wait."""
    MAILBOX = "mailbox"
    """It cannot be read, or was not read for long."""
    LETTERS = "letters"
    MAILS = "mails"
    CHORES = "chores"
    THINKING = "thinking"
    """Thinking processes end again and again."""
    ROLE_MAIL = "role-mail"
    """No process does the work of the role; likewise the other roles that this process does not have."""
    ROLE_LETTERS = "role-letters"
    ROLE_CLOCK = "role-clock"
    ROLE_HOUSE = "role-house"
    LOOP = "loop"
    LOOP_CLOCK = "loop-clock"
    LOOP_DELIVERY = "loop-delivery"
    LOOP_HOUSE = "loop-house"
    LOOP_MAIL = "loop-mail"
    LOOP_OPERATOR = "loop-operator"
    LOOP_PLANS = "loop-plans"
    LOOP_REVIEWS = "loop-reviews"

    @classmethod
    def of_loop(cls, name: str) -> HealthPart:
        """Return the part of a loop, by its name; all delivery loops are one part."""
        try:
            return cls(f"loop-{name.split(' ')[0]}")
        except ValueError:
            return cls.LOOP


Check = Callable[[], bool]


@dataclass(slots=True)
class Health:
    events: EventLog
    is_watched: bool = False
    _checks: dict[HealthPart, Check] = field(default_factory=dict)
    _failing: set[HealthPart] = field(default_factory=set)
    _logged_at: dict[HealthPart, float] = field(default_factory=dict)
    _well_since: dict[HealthPart, float] = field(default_factory=dict)
    """When each of those parts was well again."""
    _checked_at: float | None = None
    _lock: Lock = field(default_factory=Lock)

    def add(self, checks: Mapping[HealthPart, Check]) -> None:
        with self._lock:
            self._checks = {**self._checks, **checks}
            self._checked_at = None

    @property
    def parts(self) -> tuple[HealthPart, ...]:
        return tuple(self._checks)

    @property
    def last_failing(self) -> frozenset[HealthPart]:
        """The parts that failed at their last check; for checks that depend on others."""
        return frozenset(self._failing)

    def find_failing(self) -> tuple[HealthPart, ...]:
        age = inf if self._checked_at is None else monotonic() - self._checked_at
        if not self.is_watched and age > CACHED_FOR:
            self.check_all()
        elif age > CHECKED_EVERY + CHECKS_TAKE:  # the checking thread hangs at the database or the disk
            return tuple(sorted({*self._failing, HealthPart.DATABASE}))
        return tuple(sorted(set(self._failing)))

    def check_all(self) -> None:
        """Run all checks; if another thread is running them, wait for it."""
        with self._lock:
            for part, check in self._checks.items():
                try:
                    self._note_part(part, check(), None)
                except Exception as error:
                    self._note_part(part, False, error)
            self._checked_at = monotonic()

    def _note_part(self, part: HealthPart, well: bool, error: Exception | None) -> None:
        """Store the result of a check, and log a lasting change."""
        now = monotonic()
        if not well:
            self._failing.add(part)
            self._well_since.pop(part, None)
            if part not in self._logged_at:
                self._logged_at[part] = now
                self.events.note_health(part, PartState.FAILING, 0, error)
            return
        self._failing.discard(part)
        if part in self._logged_at and now - self._well_since.setdefault(part, now) >= WELL_LOGGED_AFTER:
            failed = self._well_since.pop(part) - self._logged_at.pop(part)
            self.events.note_health(part, PartState.WELL, failed)


class HealthWatch:
    """Checks the health in a thread at intervals, so that failures are logged without requests."""

    def __init__(self, health: Health, pause: float = CHECKED_EVERY) -> None:
        self._health, self._pause = health, pause
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="health", daemon=True)

    def start(self) -> None:
        """Check once, then start the thread."""
        self._health.check_all()
        self._health.is_watched = True
        self._thread.start()

    def ask_to_stop(self) -> None:
        self._stopping.set()

    def join(self, seconds: float = CHECKED_EVERY) -> None:
        self._thread.join(timeout=seconds)

    def _run(self) -> None:
        while not self._stopping.wait(self._pause):
            self._health.check_all()
