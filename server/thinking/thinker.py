"""Who works a function of the engine out: `InlineThinker` here and now, `ThinkingProcess` elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar, TypeVarTuple

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")


class ThinkingFailed(Exception):
    """A function was not worked out, through no fault of its own."""


class ThinkingTooLong(ThinkingFailed):
    """It took longer than it was given, and was ended."""


class ThinkerBusy(ThinkingFailed):
    """Others were still being worked out after half of the time it was given, or its process was starting."""


class ThinkerLost(ThinkingFailed):
    """The process that worked it out ended, and was not there again in time, or ended twice."""


class ThinkerStopped(ThinkingFailed):
    """The server stops."""


class Thinker(Protocol):
    """Works out functions of the engine, one at a time."""

    def call(
        self,
        function: Callable[[*Arguments], Result],
        *arguments: *Arguments,
        seconds: float | None = None,
    ) -> Result:
        """What a function gives that stands in a module; raises what it raises, or `ThinkingFailed`.

        `seconds`: how long that may take, with waiting for others; None: as long as it lets anything take.
        """


class InlineThinker:
    """Works functions out in the thread that asks, however long they take."""

    def call(
        self,
        function: Callable[[*Arguments], Result],
        *arguments: *Arguments,
        seconds: float | None = None,
    ) -> Result:
        """What a function gives."""
        return function(*arguments)
