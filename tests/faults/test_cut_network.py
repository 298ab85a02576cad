"""One of two machines loses its cable amid play: no RST and no FIN comes, and nobody is told.

The other plays on, the one that is cut off says so in a sentence, and goes on by itself once the cable is
whole.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import monotonic

import pytest
from sqlalchemy.exc import DBAPIError

from server.store.context import Context
from server.store.database import open_database
from server.store.dialects import system_of
from server.store.states import Role
from tests.faults.networks import Machine, Network, Window, enter, network
from tests.faults.relays import Relay, relay
from tests.faults.several import UNAVAILABLE, Part, Several, several
from tests.faults.test_kills import live_a_while
from tests.faults.test_several_machines import NEVER_WAITS, go_on, line_of, playing
from tests.faults.visits import PATIENCE, until
from tests.postgresql import USER, Cluster, durable

pytestmark = pytest.mark.usefixtures("on_postgresql")

SLACK = 8.0
"""Seconds, on a machine that does a lot besides."""
LONGEST_HOLD = 12.0
"""Seconds for which a machine that is cut off holds a lock, of who writes or of what it has in hand.

A connection is given up after half as many, but one of its sessions may get a lock just before it ends.
"""
SESSIONS_END = 15.0
"""Seconds after which PostgreSQL has ended its sessions, those too that wait for a lock."""
LETTER_WITHIN = 15.0
"""Seconds after which a letter of a new game leaves; its opening and its sender may each wait."""
TOLD_WITHIN = 16.0
"""Seconds after which its visitors are answered: a connection is given up, and another one is tried."""
LONGEST_CUT = 60.0
AT_WORK_WITHIN = 10.0
"""Seconds after which a machine whose cable is whole again plays."""
TRY_AGAIN = 451
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE client_addr = '{}'"
LOCKS = (
    "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE locktype = 'advisory' AND client_addr = '{}'"
)


@contextmanager
def two_machines(net: Network, database: Cluster, post: Relay, folder: Path) -> Iterator[Several]:
    """A `serve` of all roles on each machine; a visitor comes by a window, which needs no cable."""
    with (database.folder / "data/pg_hba.conf").open("a") as file:
        file.write(f"host all all {net.range} trust\n")
    database.execute("SELECT pg_reload_conf()")
    database.execute("CREATE DATABASE games")
    url = f"postgresql+psycopg://{USER}@{net.address}/games"
    with several(folder, [(url, post.mail_out)] * len(net.machines), together=True) as place:
        windows = []
        for machine, part in zip(net.machines, place.parts[Role.PAGES], strict=True):
            windows += [pages := Window(machine), mail := Window(machine)]
            part.port, part.mail_port = pages.port, mail.port
            part.change = partial(enter, machine.name)
        try:
            yield place
        finally:
            for window in windows:
                window.close()


@dataclass
class SilentWriter:
    """A process of a machine that is amid a write, and has a letter in hand, and says nothing more."""

    context: Context
    machine: Machine
    began: Event = field(default_factory=Event)
    ends: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self.thread = Thread(target=self._run, daemon=True)
        self.thread.start()
        assert self.began.wait(PATIENCE), "it has begun to write"

    def _run(self) -> None:
        enter(self.machine.name)
        url = self.context.settings.database
        own = Context(self.context.settings, open_database(url), self.context.links)
        keys = system_of(url).open_keys(url)
        assert keys is not None
        assert keys.take("a letter in hand")
        with suppress(DBAPIError), own.writing() as session:
            session.connection()
            self.began.set()
            self.ends.wait(3 * LONGEST_CUT)
        with suppress(DBAPIError):
            keys.close()
        own.database.dispose()

    def end(self) -> None:
        self.ends.set()
        self.thread.join(PATIENCE)


@dataclass
class Cut:
    acts: float
    letter: float
    locks: float
    sessions: float
    page: float
    mail: float

    def line(self) -> str:
        return (
            f"cut off amid a write: the others act after {self.acts:.1f} s, a letter of theirs leaves after"
            f" {self.letter:.1f} s, its locks end after {self.locks:.1f} s, its sessions after"
            f" {self.sessions:.1f} s; its visitors are answered after {self.page:.1f} s, and mail after"
            f" {self.mail:.1f} s"
        )


def look_at_cut(place: Several, database: Cluster, machine: Machine, part: Part, post: Relay) -> Cut:
    """Cut a machine off amid a write, and see how long it keeps others waiting and how it answers."""
    game = place.open_game("Anna", "Ben")
    turn = place.turn(game)
    link = place.link(turn, "")
    written = SilentWriter(place.context, machine)
    machine.cut()
    part.is_cut, began = True, monotonic()
    acts_before = acts(place)

    def after(fits: Callable[[], object], what: str) -> float:
        until(fits, what, LONGEST_CUT)
        return monotonic() - began

    def none(query: str) -> bool:
        return database.execute(query.format(machine.address), "games") == [(0,)]

    def new_letters() -> float:
        new = place.open_game("Cleo", "Dirk")
        wanted = {row["message_id"] for row in place.queued(new)}
        assert wanted
        return after(
            lambda: wanted & {one.message_id for one in post.taken()}, "a letter of a new game leaves"
        )

    def page() -> float:
        status, words = part.ask(link, LONGEST_CUT)
        assert status == UNAVAILABLE, words
        assert "Traceback" not in words
        assert "<main" in words, "a page with a sentence"
        return monotonic() - began

    def mail() -> float:
        assert part.write_order(turn, place.next_message_id(), LONGEST_CUT) == TRY_AGAIN
        return monotonic() - began

    with ThreadPoolExecutor() as pool:
        looks = [
            pool.submit(lambda: after(lambda: acts(place) > acts_before, "the others act")),
            pool.submit(new_letters),
            pool.submit(lambda: after(lambda: none(LOCKS), "its locks end")),
            pool.submit(lambda: after(lambda: none(SESSIONS), "its sessions end")),
            pool.submit(page),
            pool.submit(mail),
        ]
        seen = Cut(*(look.result() for look in looks))
    machine.mend()
    written.end()
    part.is_cut = False
    return seen


def acts(place: Several) -> int:
    return int(place.rows("SELECT count(*) AS acts FROM act")[0]["acts"])


@pytest.mark.breadth
def test_a_machine_may_lose_its_cable_amid_a_write(tmp_path, figure):
    with (
        network(2) as net,
        durable(listen_addresses=net.address) as database,
        relay(net.address) as post,
        two_machines(net, database, post, tmp_path) as place,
    ):
        place.patience = NEVER_WAITS
        place.start()
        near, far = place.parts[Role.PAGES]
        assert far.is_live()
        with playing(place, 12) as tables:
            go_on(tables)
            live_a_while(tables, Random(12))
            seen = look_at_cut(place, database, net.machines[1], far, post)
            near.is_cut, began = True, monotonic()  # so that all comes by the other
            go_on(tables, LONGEST_CUT)
            again = monotonic() - began
            near.is_cut = False
            go_on(tables)
        line = line_of(place, post, tables, 0, 0.0, patient=True)
        assert near.is_there
        assert far.is_there
        assert "Traceback" not in near.log() + far.log()
    figure(f"{seen.line()}; it plays again after {again:.1f} s; {line}")
    assert seen.acts < LONGEST_HOLD + SLACK
    assert seen.letter < LETTER_WITHIN + SLACK
    assert seen.locks < LONGEST_HOLD + SLACK
    assert seen.sessions < SESSIONS_END + SLACK
    assert max(seen.page, seen.mail) < TOLD_WITHIN + SLACK
    assert again < AT_WORK_WITHIN
