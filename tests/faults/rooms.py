"""A server within the test: its own database, clocks that can be set, a relay that only collects.

The only file of this room that knows how such a server is wired; the tests say what is to be seen of it.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from inspect import signature
from pathlib import Path
from typing import Any

from server.delivery.relay import RelayAway
from server.loops import Loops
from server.store.database import MODELS
from server.store.states import MomentName
from tests.faults.databases import database_of, execute, open_durable
from tests.faults.players import Players
from tests.faults.times import Times, Watch
from tests.server.desk import NOON, Collector, Desk, desk
from tests.server.web.site import Site

__all__ = ["MODELS", "NOON", "AwayRelay", "Collector", "Server"]

TICK = 0.2
"""Seconds between two looks at the clock, of servers in tests."""
MOST_ROUNDS = 200


class AwayRelay(Collector):
    def __init__(self) -> None:
        super().__init__()
        self.is_away = False

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        if self.is_away:
            raise RelayAway("nobody answers")
        super().send(sender, recipient, raw)

    def probe(self) -> None:
        if self.is_away:
            raise RelayAway("nobody answers")


class Server(Players):
    """A server on the database in a folder, which was there before or is made."""

    def __init__(
        self,
        folder: Path,
        times: Times | None = None,
        relay: Any = None,
        *,
        seed: int = 1,
        lanes: int = 1,
        oldest: int = 0,
        **settings: str,
    ) -> None:
        """`oldest`, for a control: it reads no mail while so many wait."""
        self.folder, self.times, self.seed = folder, times or Times(), seed
        self.relay = Collector() if relay is None else relay
        self.context = self._open(**settings)
        self._site: Site | None = None
        self._lanes, self._oldest = lanes, oldest
        self._loops = self._new_loops()
        self._written = 0

    def _open(self, **settings: str) -> Desk:
        return desk(self.folder, self.seed, ALEXANDROS_TICK=str(TICK), **settings)

    def _new_loops(self) -> Loops:
        lanes = [self.relay] * self._lanes
        if "steady" in signature(Loops.of).parameters:
            loops = Loops.of(self.context, lanes, self.times.wall, steady=self.times.steady)
        else:
            loops = Loops.of(self.context, lanes, self.times.wall)
        if self._oldest:
            [mail] = (one for one in loops.each if one.name == "mail")
            reads = mail._work
            mail._work = lambda now: 0 if self.mail_states().count("waiting") >= self._oldest else reads(now)
        return loops

    def work(self, *order: str) -> int:
        """Do step by step, at this moment, what the loops do beside each other, until nothing is left.

        `order`: the names of the loops that work, one after the other; all of them where none is named.
        """
        done = 0
        loops = {one.name: one for one in self._loops.each}
        for _ in range(MOST_ROUNDS):
            did = sum(loops[name]._work(self.times.wall()) for name in order or loops)
            done += did
            if not did:
                return done
        raise AssertionError("the server never comes to rest")

    def work_for(self, span: timedelta, step: timedelta) -> None:
        for _ in range(round(span / step)):
            self.pass_time(step)
            self.work()

    def pass_time(self, span: timedelta) -> None:
        self.times.go_on(span)
        self.context.note_moment(MomentName.HEARTBEAT, self.times.wall())

    @contextmanager
    def running(self) -> Iterator[Watch]:
        """Let its loops work, each in a thread of its own."""
        watch, loops = Watch(), self._new_loops()
        loops.start(self.context)

        def wake() -> None:
            loops.wake()
            watch.note()

        self.context.wake = wake
        try:
            yield watch
        finally:
            loops.stop()

    def looks(self) -> int:
        return self.times.asked.get("clock", 0)

    def has_looked(self, times: int) -> bool:
        return self.looks() >= times

    def stop(self) -> None:
        self.context.database.dispose()

    def again(self) -> "Server":
        return Server(self.folder, self.times, self.relay, seed=self.seed + 1)

    def count(self, table: str, where: str) -> int:
        with closing(sqlite3.connect(database_of(self.folder))) as connection:
            found: int = connection.execute(f'SELECT count(*) FROM "{table}" WHERE {where}').fetchone()[0]
        return found

    def forget_itself(self) -> None:
        execute(database_of(self.folder), "DELETE FROM moment")


class Durable(Server):
    """A server whose database is opened as `alexandros serve` does it, with every precaution."""

    def _open(self, **_: str) -> Desk:
        return open_durable(self.folder)


def tells_of_jump(log: str) -> bool:
    return bool(re.search(r"clock\b.*\b(jump|was set|put back|went|ahead|back)", log, re.IGNORECASE))


def names_row(log: str, game: str) -> bool:
    return game in log or bool(re.search(r"event=row-failed .*\brow=\d+", log))
