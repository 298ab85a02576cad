"""Which chores of the clock fail: each is told of once, until it fails in another way or is done."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

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
