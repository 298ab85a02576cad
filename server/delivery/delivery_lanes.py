"""The lanes of delivery, as they know of each other: who is written to, and which letters are being sent."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition, Lock, Thread
from time import monotonic

from server.delivery.relay_record import RelayRecord
from server.mail_addresses import normalise_address
from server.store.dialects.systems import SharedKeys

LOG = logging.getLogger(__name__)
READER = "reader "
"""How the key of somebody begins who is written to."""


def _do_nothing() -> None:
    return None


@dataclass(slots=True)
class DeliveryLanes:
    """Shared by all lanes of a server: no two write to one reader at a time, so letters keep their order."""

    relay: RelayRecord = field(default_factory=RelayRecord)
    shared: SharedKeys | None = None
    """The keys by which no two processes do so either; who finds a reader's key taken goes on to the next."""
    call_lane: Callable[[], None] = _do_nothing
    """Called by a lane that has taken a letter: another one looks for the next."""
    _readers: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def take(self, reader: str) -> bool:
        """Whether a lane may send to this reader now; then it does until it lets go."""
        name = normalise_address(reader)
        with self._lock:
            if name in self._readers:
                return False
            self._readers.add(name)
        try:
            taken = self.shared is None or self.shared.take(READER + name)
        except BaseException:
            self._forget(name)
            raise
        if not taken:
            self._forget(name)
        return taken

    def let_go(self, reader: str) -> None:
        """Another lane may send to this reader."""
        name = normalise_address(reader)
        if self.shared is not None:
            self.shared.let_go(READER + name)
        self._forget(name)

    def _forget(self, name: str) -> None:
        with self._lock:
            self._readers.discard(name)

    @property
    def seconds_away(self) -> float:
        """Seconds for which the relay takes no letters; 0 where it does."""
        return self.relay.seconds_away


@dataclass(slots=True)
class _Repeated:
    """Work that is done again and again."""

    work: Callable[[], None]
    seconds: float
    due: float


class Repeater:
    """Does work again and again for as long as something lasts, all of it in one thread.

    The thread ends when there has been nothing to do for one pause, and begins when there is.
    """

    def __init__(self) -> None:
        self._tasks: list[_Repeated] = []
        self._changed = Condition()
        self._thread: Thread | None = None

    @contextmanager
    def every(self, seconds: float, work: Callable[[], None]) -> Iterator[None]:
        """While the block lasts, call `work` after each so many seconds; it may still run when that ends."""
        task = _Repeated(work, seconds, monotonic() + seconds)
        with self._changed:
            self._tasks.append(task)
            if self._thread is None:
                self._thread = Thread(target=self._run, args=(seconds,), name="claims", daemon=True)
                self._thread.start()
            else:
                self._changed.notify()  # it may be due before all others
        try:
            yield
        finally:
            with self._changed:
                self._tasks.remove(task)

    def _run(self, pause: float) -> None:
        while True:
            with self._changed:
                due = min((one.due for one in self._tasks), default=monotonic() + pause)
                self._changed.wait(max(0.0, due - monotonic()))
                if not self._tasks:
                    self._thread = None
                    return
                due_now = [one for one in self._tasks if one.due <= monotonic()]
            for task in due_now:
                self._do_task(task)

    def _do_task(self, task: _Repeated) -> None:
        task.due = monotonic() + task.seconds
        try:
            task.work()
        except Exception:
            LOG.exception("a claim could not be renewed")  # the next time it may


REPEATER = Repeater()
"""One for all letters that are in hand in this process."""
