"""Thinkers: run a function of the engine here, or in a child process that is ended when it takes too long."""

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
from typing import Protocol, TypeVar, TypeVarTuple

from server.configuration.settings import CREDENTIALS
from server.thinking.messages import Messenger
from server.thinking.thinking_worker import Answer

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


SETTINGS = "ALEXANDROS_"
"""How the names of those variables begin that the process is not given."""
MOST_LOSSES, LOSSES_COUNT_FOR = 3, 600.0
"""So many processes lost within so many seconds are no accident."""
LONGEST_CALL = 60.0
"""Seconds that a call takes at most that names none, so that nothing is thought of for ever."""
WAITING_SHARE = 0.5
"""What part of a call's seconds may go with waiting for others, so that enough is left to think."""
STARTING_TAKES = 15.0
"""Seconds in which a process is ready that was started, on a machine that does a lot besides."""
NICENESS = 10
"""By how much a process gives way to whatever else the machine does, unless somebody waits for it."""
ENDING_TAKES = 5.0
"""Seconds in which a process that was killed has ended."""


class ProcessLoss(StrEnum):
    """Why a process was lost."""

    DIED = "died"
    TOO_LONG = "too-long"


@dataclass(slots=True)
class _Child:
    """A process at work."""

    process: subprocess.Popen[bytes]
    connection: Connection[bytes, bytes]
    messenger: Messenger = field(default_factory=Messenger)
    begun: float = field(default_factory=monotonic)
    is_ready: bool = False

    @classmethod
    def start(cls, niceness: int = NICENESS) -> _Child:
        """Start one; it says when it is ready. Raises `OSError`."""
        ours, theirs = Pipe()
        with theirs:
            paths = os.pathsep.join(path for path in sys.path if path)
            kept = (name for name in os.environ if not name.startswith((SETTINGS, CREDENTIALS)))
            environment = {name: os.environ[name] for name in kept}
            number = theirs.fileno()
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "server.thinking.thinking_worker", str(number), str(niceness)],
                env={**environment, "PYTHONPATH": paths},
                stdin=subprocess.DEVNULL,
                pass_fds=(number,),
                start_new_session=True,  # Ctrl+C is for the server
            )
        return cls(process, ours)

    def ask(self, function: Callable[..., object], arguments: tuple[object, ...], until: float) -> Answer:
        """What comes of a function. Raises `ThinkingTooLong`, `ThinkerBusy`, `EOFError`, `OSError`."""
        self._wait_until_ready(until)
        self.connection.send_bytes(self.messenger.encode((function, arguments)))
        if not self.connection.poll(max(0.0, until - monotonic())):
            raise ThinkingTooLong
        answer: Answer = self.messenger.decode(self.connection.recv_bytes())
        return answer

    def _wait_until_ready(self, until: float) -> None:
        """Whoever has no time for that lets it start all the same: it is there for who asks next."""
        if self.is_ready:
            return
        if not self.connection.poll(max(0.0, until - monotonic())):
            raise ThinkerBusy if monotonic() < self.begun + STARTING_TAKES else ThinkingTooLong
        self.connection.recv_bytes()
        self.is_ready = True

    def end(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.wait(ENDING_TAKES)
        self.connection.close()


class ThinkingProcess:
    """Works functions out in a process of its own, one at a time."""

    def __init__(
        self, note_loss: Callable[[ProcessLoss], None] = lambda _: None, niceness: int = NICENESS
    ) -> None:
        self._note_loss, self._niceness = note_loss, niceness
        self._turn = Lock()
        """Held by whose function is worked out."""
        self._guard = Lock()
        """Held while the process is exchanged, so that none is started once the server stops."""
        self._child: _Child | None = None
        self._is_stopping = False
        self._losses: deque[float] = deque(maxlen=MOST_LOSSES)

    def call(
        self,
        function: Callable[[*Arguments], Result],
        *arguments: *Arguments,
        seconds: float | None = None,
    ) -> Result:
        """What a function gives, tried once more where the process ends; raises what it raises.

        To wait for others, to start the process and to try again all take of the same seconds. Raises
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
        """Whether its processes last."""
        lost = tuple(self._losses)
        return len(lost) < MOST_LOSSES or monotonic() - lost[0] > LOSSES_COUNT_FOR

    @property
    def is_asked(self) -> bool:
        """Whether a function is being worked out."""
        return self._turn.locked()

    @property
    def number(self) -> int | None:
        """The number of the process at work, if there is one."""
        child = self._child
        return None if child is None else child.process.pid

    def ask_to_stop(self) -> None:
        """End the process and start no other; whoever waits for it gets `ThinkerStopped`."""
        with self._guard:
            self._is_stopping = True
            if self._child is not None:
                self._child.process.kill()

    def join(self, seconds: float = ENDING_TAKES) -> None:
        """Wait until nobody waits for it and the process has ended, so long at most."""
        if self._turn.acquire(timeout=max(0.0, seconds)):
            try:
                self._let_go()
            finally:
                self._turn.release()

    def stop(self) -> None:
        """End the process, and wait for that."""
        self.ask_to_stop()
        self.join()

    def _try(
        self, function: Callable[..., object], arguments: tuple[object, ...], until: float
    ) -> Answer | None:
        """What came of a function, None where the process has ended."""
        try:
            return self._child_at_work().ask(function, arguments, until)
        except ThinkingTooLong:
            self._let_go()
            self._count_loss(ProcessLoss.TOO_LONG)
            raise
        except (EOFError, OSError):
            self._let_go()
            self._count_loss(ProcessLoss.DIED)
            return None

    def _child_at_work(self) -> _Child:
        child = self._child
        if child is not None and child.process.poll() is not None:  # nobody has asked for long
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
