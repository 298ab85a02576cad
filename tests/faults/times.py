"""Clocks that can be set, and a watch that measures by one that cannot."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Condition, Lock, current_thread
from time import monotonic

from tests.server.desk import NOON

SECOND, MINUTE, HOUR, DAY = (timedelta(seconds=number) for number in (1, 60, 3600, 86400))
PATIENCE = 20.0
"""Seconds that anything may take on a machine that does a lot besides, before it counts as never."""


class Times:
    """A wall clock that can be set, and a steady one that only goes on.

    `running`: both go on by themselves. `blind`: the steady one is set with the other, so nobody sees a jump.
    """

    def __init__(self, *, running: bool = False, blind: bool = False) -> None:
        self._began = monotonic() if running else None
        self._blind = blind
        self._passed, self._set_by = timedelta(), timedelta()
        self._lock = Lock()
        self.asked: dict[str, int] = {}
        """How often each thread has asked what time it is, by its name."""

    def steady(self) -> float:
        with self._lock:
            gone = self._gone() + (self._set_by if self._blind else timedelta())
        return 1000.0 + gone.total_seconds()

    def wall(self) -> datetime:
        with self._lock:
            name = current_thread().name
            self.asked[name] = self.asked.get(name, 0) + 1
            return NOON + self._gone() + self._set_by

    def _gone(self) -> timedelta:
        running = timedelta() if self._began is None else timedelta(seconds=monotonic() - self._began)
        return running + self._passed

    def go_on(self, span: timedelta) -> None:
        with self._lock:
            self._passed += span

    def set_by(self, span: timedelta) -> None:
        """Let somebody set the wall clock: ahead, or back where it is negative."""
        with self._lock:
            self._set_by += span


@dataclass
class Watch:
    """Waits until something holds, looking again after each commit and a little later."""

    _changed: Condition = field(default_factory=Condition)

    def note(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def until(self, fits: Callable[[], object], what: str = "it", patience: float = PATIENCE) -> float:
        began = monotonic()
        with self._changed:
            while not fits():
                assert monotonic() - began < patience, f"{what} never happened"
                self._changed.wait(0.02)
        return monotonic() - began

    def pause(self, seconds: float) -> None:
        began = monotonic()
        with self._changed:
            while (left := seconds - (monotonic() - began)) > 0:
                self._changed.wait(left)
