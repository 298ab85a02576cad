"""What the lanes of delivery know of each other: who is being written to, and whether the relay answers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from time import monotonic

from server.mail_addresses import normalise_address

LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class LettersInHand:
    """Shared by all lanes of a server: no two write to one reader at a time, so letters keep their order."""

    _readers: set[str] = field(default_factory=set)
    _away_since: float | None = None
    _lock: Lock = field(default_factory=Lock)

    def take(self, reader: str) -> bool:
        """Whether a lane may send to this reader now; then it does until it lets go."""
        with self._lock:
            if normalise_address(reader) in self._readers:
                return False
            self._readers.add(normalise_address(reader))
            return True

    def let_go(self, reader: str) -> None:
        """Another lane may send to this reader."""
        with self._lock:
            self._readers.discard(normalise_address(reader))

    def note_away(self, why: str) -> None:
        """The relay cannot be spoken with; the log says so once."""
        with self._lock:
            first, self._away_since = self._away_since is None, self._away_since or monotonic()
        if first:
            LOG.error("the relay takes no letters, and they wait: %s", why)

    def note_back(self) -> None:
        """The relay has answered; the log says so where it was away."""
        with self._lock:
            away, self._away_since = self._away_since, None
        if away is not None:
            LOG.warning("the relay takes letters again, after %.0f seconds", monotonic() - away)

    @property
    def seconds_away(self) -> float:
        """Seconds for which the relay has not answered; 0 where it does."""
        with self._lock:
            return 0.0 if self._away_since is None else monotonic() - self._away_since


@contextmanager
def every(seconds: float, work: Callable[[], None]) -> Iterator[None]:
    """While the block lasts, call `work` after each so many seconds, in a thread of its own."""
    ended = Event()

    def run() -> None:
        while not ended.wait(seconds):
            work()

    thread = Thread(target=run, name="claim", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
