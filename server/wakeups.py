"""What another process has committed wakes the loops of this one, where the database system tells of it.

Whatever is missed meanwhile the loops find by themselves, at the next tick.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread

from server.store.context import Context
from server.store.dialects.system_choice import system_of

LOG = logging.getLogger(__name__)
LISTENS_AGAIN_AFTER = 2.0
"""Seconds after a connection has ended."""
STOPPING_TAKES = 2.0
"""Seconds in which it is noticed that it is to stop."""


class WakeUps:
    """Listens to what other processes announce, in a thread of its own."""

    def __init__(self, context: Context, wake: Callable[[], None]) -> None:
        self._context, self._wake = context, wake
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="wake-ups", daemon=True)

    def start(self) -> None:
        """Listen from now on."""
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Listen no more."""
        self._stopping.set()

    def join(self, seconds: float = STOPPING_TAKES) -> None:
        """Wait until it has stopped, so long at most."""
        self._thread.join(timeout=seconds)

    def _run(self) -> None:
        url, is_told = self._context.settings.database, False
        while not self._stopping.is_set():
            try:
                if not system_of(url).listen(url, self._context.sender, self._wake, self._stopping):
                    return
                is_told = False
            except Exception as error:  # the database is away: the loops look by themselves meanwhile
                if not is_told:
                    LOG.warning("nothing is heard of other processes: %s", type(error).__name__)
                is_told = True
                self._stopping.wait(LISTENS_AGAIN_AFTER)
