"""Flaws that a server is given so that a test can fail: each is what the test is there to find."""

from collections.abc import Callable
from threading import RLock, Timer
from typing import Any

from server import loops
from server.inbox import intake
from server.outbox.queue import UnitOfWork


def takes_mail_before_it_is_stored() -> None:
    """The sender of a mail hears that it was taken, and it is stored a while later."""
    store_mail = intake.store_mail

    def store_later(*given: Any, **named: Any) -> None:
        Timer(3.0, store_mail, given, named).start()

    intake.store_mail = store_later


def forgets_acts() -> None:
    """What a press does is undone instead of stored, and nobody hears of it."""

    def forget(unit: UnitOfWork) -> None:
        unit.session.rollback()

    UnitOfWork.commit = forget  # type: ignore[method-assign]


def does_everything_in_one_thread() -> None:
    """Mail, time, house players and letters wait for each other."""
    begin, turn = loops.Loop.__init__, RLock()

    def begin_together(
        self: loops.Loop, name: Any, work: Callable[..., int], *rest: Any, **named: Any
    ) -> None:
        def work_alone(*given: Any) -> int:
            with turn:
                return work(*given)

        begin(self, name, work_alone, *rest, **named)

    loops.Loop.__init__ = begin_together  # type: ignore[method-assign]
