"""Health checks by part of the server, and failures of the clock's chores."""

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
    """The chores that could not be done when they were tried last, and by what each has failed."""

    _kinds: dict[str, str] = field(default_factory=dict)

    @property
    def chores(self) -> tuple[str, ...]:
        """Which fail."""
        return tuple(self._kinds)

    def note_failure(self, chore: str, error: Exception) -> None:
        """A chore cannot be done. The log tells of it, with the trace, unless it failed so before."""
        kind = type(error).__name__
        if self._kinds.get(chore) != kind:
            self._kinds[chore] = kind
            LOG.error("the clock cannot do %s", chore, exc_info=error)

    def note_done(self, chore: str) -> None:
        """A chore was done."""
        self._kinds.pop(chore, None)


KEPT_FOR = 2.0
"""Seconds for which what was found is good."""
CHECKED_EVERY = 5.0
"""Seconds between two rounds of the thread that checks."""
WELL_TOLD_AFTER = 60.0
"""Seconds for which a part is well before the log tells so: one that fails by turns fills no log."""
CHECKS_TAKE = 10.0
"""Seconds that a round may take at most."""
LEAST_FREE = 100 * 2**20
"""Bytes that should be free where the database lies."""


class HealthPart(StrEnum):
    """A part of the server that can fail; the word by which it is named."""

    DATABASE = "database"
    """Nothing can be written, or only after long."""
    SCHEMA = "schema"
    """The database has another version than this program needs."""
    DISK = "disk"
    """There is little room left, or something could not be written of late."""
    RELAY = "relay"
    """It does not answer, and letters wait."""
    MAILBOX = "mailbox"
    """It cannot be read, or was not looked into for long."""
    LETTERS = "letters"
    """One that is due has not left for long, or some come back for a fault of ours."""
    MAILS = "mails"
    """One has not been read for long."""
    CHORES = "chores"
    """One of those that have their time fails, while all else goes on."""
    THINKING = "thinking"
    """The processes in which players of the house think end again and again."""
    ROLE_MAIL = "role-mail"
    """No process takes mail in and reads it; so with the other roles that this process has not."""
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
        """The part that a loop is, by its name; the lanes of delivery are one."""
        try:
            return cls(f"loop-{name.split(' ')[0]}")
        except ValueError:
            return cls.LOOP


Check = Callable[[], bool]
"""Whether a part is well; one that raises is not."""


@dataclass(slots=True)
class Health:
    """The checks of one server, and what they found last."""

    events: EventLog
    is_watched: bool = False
    """Whether a thread runs the checks, so that nobody who asks has to."""
    _checks: dict[HealthPart, Check] = field(default_factory=dict)
    _failing: set[HealthPart] = field(default_factory=set)
    _told: dict[HealthPart, float] = field(default_factory=dict)
    """When the log has told that each part fails, of which it has not told that it is well again."""
    _well_since: dict[HealthPart, float] = field(default_factory=dict)
    """Of the parts that were told of: when each was found well."""
    _checked_at: float | None = None
    _lock: Lock = field(default_factory=Lock)

    def add(self, checks: Mapping[HealthPart, Check]) -> None:
        """Check these parts too; one that is checked already is checked in this way from now on."""
        with self._lock:
            self._checks = {**self._checks, **checks}
            self._checked_at = None

    @property
    def parts(self) -> tuple[HealthPart, ...]:
        """The parts that are checked."""
        return tuple(self._checks)

    @property
    def last_failing(self) -> frozenset[HealthPart]:
        """The parts that failed when each was checked last: what a check may ask of others."""
        return frozenset(self._failing)

    def find_failing(self) -> tuple[HealthPart, ...]:
        """The parts that fail, as found a moment ago or, where no thread looks, now."""
        age = inf if self._checked_at is None else monotonic() - self._checked_at
        if not self.is_watched and age > KEPT_FOR:
            self.check_all()
        elif age > CHECKED_EVERY + CHECKS_TAKE:  # whoever checks hears nothing of the database or the disk
            return tuple(sorted({*self._failing, HealthPart.DATABASE}))
        return tuple(sorted(set(self._failing)))

    def check_all(self) -> None:
        """Run all checks; where somebody does just now, wait for them."""
        with self._lock:
            for part, check in self._checks.items():
                try:
                    self._note_part(part, check(), None)
                except Exception as error:
                    self._note_part(part, False, error)
            self._checked_at = monotonic()

    def _note_part(self, part: HealthPart, well: bool, error: Exception | None) -> None:
        """Keep what was found of a part, and let the log tell of a change that lasts."""
        now = monotonic()
        if not well:
            self._failing.add(part)
            self._well_since.pop(part, None)
            if part not in self._told:
                self._told[part] = now
                self.events.note_health(part, PartState.FAILING, 0, error)
            return
        self._failing.discard(part)
        if part in self._told and now - self._well_since.setdefault(part, now) >= WELL_TOLD_AFTER:
            failed = self._well_since.pop(part) - self._told.pop(part)
            self.events.note_health(part, PartState.WELL, failed)


class HealthWatch:
    """Checks the health of a server again and again, so that the log tells of it though nobody asks."""

    def __init__(self, health: Health, pause: float = CHECKED_EVERY) -> None:
        self._health, self._pause = health, pause
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="health", daemon=True)

    def start(self) -> None:
        """Check once, and from now on again and again."""
        self._health.check_all()
        self._health.is_watched = True
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Check no more."""
        self._stopping.set()

    def join(self, seconds: float = CHECKED_EVERY) -> None:
        """Wait for what is being checked, so many seconds at most."""
        self._thread.join(timeout=seconds)

    def _run(self) -> None:
        while not self._stopping.wait(self._pause):
            self._health.check_all()
