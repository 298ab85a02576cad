"""Long computations: in the calling thread, or in a child process that is killed after a time limit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Lock
from time import monotonic
from typing import Any, Protocol, TypeVar, TypeVarTuple

from server.settings import CREDENTIALS
from server.thinker_process import Answer, FunctionCall

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")


class ThinkingFailed(Exception):
    """There is no result, for a reason other than an error of the called function."""


class ThinkingTooLong(ThinkingFailed):
    pass


class ThinkerBusy(ThinkingFailed):
    """Other calls took half of the time limit, or the process was still starting."""


class ThinkerLost(ThinkingFailed):
    """The process ended twice, or ended and did not start again in time."""


class ThinkerStopped(ThinkingFailed):
    pass


class Thinker(Protocol):
    """Computes functions of the engine, one at a time."""

    def call(
        self, function: Callable[[*Arguments], Result], *arguments: *Arguments, seconds: float | None = None
    ) -> Result:
        """Return the result of a module-level function. Raises its errors, and `ThinkingFailed`.

        `seconds`: time limit, including waiting; None: the thinker's own limit.
        """


class InlineThinker:
    def call(
        self, function: Callable[[*Arguments], Result], *arguments: *Arguments, seconds: float | None = None
    ) -> Result:
        return function(*arguments)


SETTINGS = "ALEXANDROS_"
"""Prefix of environment variables that are not passed to the child process."""
MOST_LOSSES, LOSSES_COUNT_FOR = 3, 600.0  # so many lost child processes within so many seconds are a fault
LONGEST_CALL = 60.0
"""Default time limit of a call, in seconds."""
WAITING_SHARE = 0.5
"""Maximum fraction of a call's time limit spent waiting for other calls."""
STARTING_TAKES = 15.0
NICENESS = 10
ENDING_TAKES = 5.0


class ProcessLoss(StrEnum):
    DIED = "died"
    TOO_LONG = "too-long"


@dataclass(slots=True)
class _Child:
    process: subprocess.Popen[bytes]
    connection: Connection[FunctionCall, Any]
    begun: float = field(default_factory=monotonic)
    is_ready: bool = False

    @classmethod
    def start(cls, niceness: int = NICENESS) -> _Child:
        ours, theirs = Pipe()
        with theirs:
            paths = os.pathsep.join(path for path in sys.path if path)
            passed = (name for name in os.environ if not name.startswith((SETTINGS, CREDENTIALS)))
            environment = {name: os.environ[name] for name in passed}
            number, main = theirs.fileno(), "from server.thinker_process import main; main()"
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", main, str(number), str(niceness)],
                env={**environment, "PYTHONPATH": paths},
                stdin=subprocess.DEVNULL,
                pass_fds=(number,),
                start_new_session=True,  # Ctrl+C is meant for the server only
            )
        return cls(process, ours)

    def call(self, function: Callable[..., object], arguments: tuple[object, ...], until: float) -> Answer:
        """Return the answer. Raises `ThinkingTooLong`, `EOFError`, `OSError`.

        Raises `ThinkerBusy` if the process is not ready in time; its start continues for a later call.
        """
        if not self.is_ready:
            if not self.connection.poll(max(0.0, until - monotonic())):
                raise ThinkerBusy if monotonic() < self.begun + STARTING_TAKES else ThinkingTooLong
            self.connection.recv()
            self.is_ready = True
        self.connection.send((function, arguments))
        if not self.connection.poll(max(0.0, until - monotonic())):
            raise ThinkingTooLong
        answer: Answer = self.connection.recv()
        return answer

    def end(self) -> None:
        self.process.kill()
        self.process.wait(ENDING_TAKES)
        self.connection.close()


class ThinkingProcess:
    """Computes functions in a separate process, one at a time."""

    def __init__(
        self, note_loss: Callable[[ProcessLoss], None] = lambda _: None, niceness: int = NICENESS
    ) -> None:
        self._note_loss, self._niceness = note_loss, niceness
        self._turn = Lock()
        self._guard = Lock()
        self._child: _Child | None = None
        self._is_stopping = False
        self._losses: deque[float] = deque(maxlen=MOST_LOSSES)

    def call(
        self, function: Callable[[*Arguments], Result], *arguments: *Arguments, seconds: float | None = None
    ) -> Result:
        """Return the result of a function, tried again once if the process ends. Raises its errors.

        The time limit includes waiting for other calls, starting the process and the second attempt. Raises
        `ThinkingFailed`.
        """
        seconds = LONGEST_CALL if seconds is None else seconds
        until = monotonic() + seconds
        if not self._turn.acquire(timeout=seconds * WAITING_SHARE):
            raise ThinkerBusy
        try:
            answer = self._try(function, arguments, until)
            if answer is None and monotonic() < until:
                answer = self._try(function, arguments, until)
        finally:
            self._turn.release()
        if answer is None:
            raise ThinkerLost
        given, error = answer
        if error is not None:
            raise error
        result: Result = given
        return result

    @property
    def is_well(self) -> bool:
        lost = tuple(self._losses)
        return len(lost) < MOST_LOSSES or monotonic() - lost[0] > LOSSES_COUNT_FOR

    @property
    def number(self) -> int | None:
        child = self._child
        return None if child is None else child.process.pid

    def ask_to_stop(self) -> None:
        """Kill the process and start no other. Running and waiting calls raise `ThinkerStopped`."""
        with self._guard:
            self._is_stopping = True
            if self._child is not None:
                self._child.process.kill()

    def join(self, seconds: float = ENDING_TAKES) -> None:
        """Wait at most `seconds` until no call is running and the process has ended."""
        if self._turn.acquire(timeout=max(0.0, seconds)):
            try:
                self._let_go()
            finally:
                self._turn.release()

    def stop(self) -> None:
        self.ask_to_stop()
        self.join()

    def _try(
        self, function: Callable[..., object], arguments: tuple[object, ...], until: float
    ) -> Answer | None:
        try:
            return self._running_child().call(function, arguments, until)
        except ThinkingTooLong:
            self._let_go()
            self._count_loss(ProcessLoss.TOO_LONG)
            raise
        except (EOFError, OSError):
            self._let_go()
            self._count_loss(ProcessLoss.DIED)
            return None

    def _running_child(self) -> _Child:
        child = self._child
        if child is not None and child.process.poll() is not None:  # the process has ended for lack of calls
            self._let_go()
        with self._guard:
            if self._is_stopping:
                raise ThinkerStopped
            if self._child is None:
                self._child = _Child.start(self._niceness)
            return self._child

    def _let_go(self) -> None:
        with self._guard:
            child, self._child = self._child, None
        if child is not None:
            child.end()

    def _count_loss(self, loss: ProcessLoss) -> None:
        if self._is_stopping:
            raise ThinkerStopped from None
        self._losses.append(monotonic())
        self._note_loss(loss)
