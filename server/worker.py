"""What the server does between requests: moves the bots, keeps time, reads mail, sends letters.

One thread does it, so that letters leave in order and nothing heavy is inside a request. It works when
somebody calls `wake` after a commit, and at every tick of APScheduler; whatever it misses, the next tick
finds in the database.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from threading import Event, Thread

from apscheduler.schedulers.background import BackgroundScheduler

from server import clock
from server.delivery import operator_delivery, outgoing
from server.delivery.transports import Transport
from server.inbox import incoming
from server.store.context import Context

LOG = logging.getLogger(__name__)
MOST_ROUNDS = 100


def work_until_idle(context: Context, carrier: Transport, now: datetime) -> None:
    """Do all that is due at `now`. Safe to run twice, late, or in two servers at once."""
    for _ in range(MOST_ROUNDS):
        read = incoming.process_waiting_mail(context, now)
        done = clock.tick(context, now)
        sent = outgoing.send_due_letters(context, carrier, now)
        sent += operator_delivery.send_operator_mails(context, carrier, now)
        if not read and not done and not sent:
            return


class Worker:
    """The thread that does the work, and the scheduler that wakes it."""

    def __init__(self, context: Context, carrier: Transport, now: Callable[[], datetime]) -> None:
        self._office = context
        self._carrier = carrier
        self._now = now
        self._called = Event()
        self._stopped = False
        self._thread = Thread(target=self._run, name="worker", daemon=True)
        self._scheduler = BackgroundScheduler(timezone="UTC")

    def start(self) -> None:
        """Begin to work; from now on the context wakes this worker."""
        self._office.wake = self.wake
        seconds = self._office.settings.tick
        self._scheduler.add_job(self.wake, "interval", seconds=seconds, coalesce=True, max_instances=1)
        self._scheduler.start()
        self._thread.start()
        self.wake()

    def wake(self) -> None:
        """Look at once what there is to do."""
        self._called.set()

    def stop(self) -> None:
        """Finish the letter in hand and stop."""
        self._scheduler.shutdown(wait=False)
        self._stopped = True
        self.wake()
        self._thread.join(timeout=20)

    def _run(self) -> None:
        while True:
            self._called.wait()
            self._called.clear()
            if self._stopped:
                return
            try:
                work_until_idle(self._office, self._carrier, self._now())
            except Exception:
                # The database may be away for a while; the next tick tries again.
                LOG.exception("the work could not be finished")
