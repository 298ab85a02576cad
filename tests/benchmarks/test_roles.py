"""How soon a letter leaves by another process than the one that caused it, and how many leave by two.

What a letter costs each part of the machine is told beside: who shares the cores bounds what two can do.
"""

import os
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from queue import Empty, Queue
from threading import Event
from time import monotonic
from typing import NamedTuple

import pytest
from aiosmtpd.controller import Controller
from sqlalchemy import delete, func, update
from sqlmodel import col, select

from engine.bots import stand_in
from server.store.context import Context, utc_now
from server.store.models import OutgoingLetter, PreparedLetter
from server.store.states import Channel, LetterState
from server.turns.play import play_turn
from tests.benchmarks.processor_time import seconds_of, seconds_with_children
from tests.judges.court import program
from tests.ports import free_port
from tests.postgresql import cluster
from tests.server.desk import desk, game_row, set_preferences, start_game
from tests.server.storage import DATABASES, POSTGRESQL, SQLITE, choose, storage
from tests.server.test_serving import alexandros, settings

PATIENCE = 120.0
QUIET = 2.0
"""Seconds after which no more letters of an act are to come."""
ACTS, GAMES, ROUNDS = 15, 60, 3


class Sink:
    """A relay that takes each letter at once, and notes when."""

    def __init__(self) -> None:
        self.taken: Queue[float] = Queue()

    async def handle_DATA(self, *_: object) -> str:  # noqa: N802 - aiosmtpd calls it so
        self.taken.put(monotonic())
        return "250 taken"

    def drain(self) -> None:
        """Wait until nothing more comes."""
        try:
            while True:
                self.taken.get(timeout=QUIET)
        except Empty:
            return


@pytest.fixture
def sink() -> Iterator[tuple[Sink, int]]:
    found, port = Sink(), free_port()
    relay = Controller(found, hostname="127.0.0.1", port=port)
    relay.start()
    yield found, port
    relay.stop()


@pytest.fixture(params=[POSTGRESQL, SQLITE])
def system(request) -> Iterator[str]:
    choose(request.param)
    yield request.param
    choose(SQLITE)
    DATABASES.drop_but(set())


@contextmanager
def at_work(folder: Path, relay: int, number: int, **more: str) -> Iterator[list[int]]:
    """So many processes that send letters, and do nothing else; their numbers."""
    out = {"DATABASE": storage().place(folder), "MAIL_OUT": f"smtp://127.0.0.1:{relay}", **more}
    given = settings(folder, free_port(), **out)
    with ExitStack() as stack:
        arguments = ("serve", "--only", "letters")
        started = [
            stack.enter_context(alexandros(*arguments, folder=folder, environment=given))
            for _ in range(number)
        ]
        for one in started:
            assert "letters" in (one.stdout.readline() if one.stdout else "")
        yield [one.pid for one in started]


@pytest.mark.parametrize("pictures", [False, True])
def test_from_a_commit_to_the_relay_by_another_process(figure, tmp_path, sink, system, pictures):
    context = desk(tmp_path)
    game = start_game(context, "Anna", "Ben", now=utc_now())
    if not pictures:
        for name in ("Anna", "Ben"):
            set_preferences(context, game, name, everywhere=True, pictures=False)
    found = []
    with at_work(tmp_path, sink[1], 1):
        sink[0].drain()
        for _ in range(ACTS):
            play_turn(context, game, game_row(context, game).after, stand_in, Channel.WEB, utc_now())
            committed = monotonic()
            found.append(sink[0].taken.get(timeout=PATIENCE) - committed)
            sink[0].drain()
    what = "with its picture" if pictures else "of text alone"
    median, most = statistics.median(found) * 1000, max(found) * 1000
    aim = "100 ms" if system == POSTGRESQL else ""
    figure(
        f"commit to relay by another process, {what}, {system}", f"{median:.0f} ms, {most:.0f} at most", aim
    )


def queue_letters(context: Context, pictures: bool) -> int:
    """Let letters wait for tomorrow; how many."""
    now = utc_now()
    people = [(f"P{number}", f"Q{number}", f"R{number}") for number in range(GAMES)]
    games = [start_game(context, *names, now=now) for names in people]
    if not pictures:
        for game, names in zip(games, people, strict=True):
            for name in names:
                set_preferences(context, game, name, everywhere=True, pictures=False)
    release(context, now + timedelta(days=1))
    return 3 * GAMES


def release(context: Context, at) -> None:
    """Let all letters be due at a moment, as if none had left."""
    with context.writing() as session:
        session.execute(delete(PreparedLetter))
        anew = update(OutgoingLetter).values(due_at=at, state=LetterState.WAITING, tries=0, sent_at=None)
        session.execute(anew)
        context.commit_work(session)


@contextmanager
def light_relay() -> Iterator[tuple[int, int]]:
    """A relay that takes all letters and needs next to nothing of the cores for it: its port and number."""
    port = free_port()
    command = [program("smtp-sink", package="postfix"), f"127.0.0.1:{port}", "100"]
    as_other = ["-u", "nobody"] if os.geteuid() == 0 else []
    with subprocess.Popen([command[0], *as_other, *command[1:]]) as relay:
        try:
            yield port, relay.pid
        finally:
            relay.terminate()


def count_sent(context: Context) -> int:
    with context.reading() as session:
        sent = select(func.count()).where(col(OutgoingLetter.state) == LetterState.SENT)
        return session.exec(sent).one()


def last_sent(context: Context) -> datetime:
    """When the last letter left."""
    with context.reading() as session:
        return session.exec(select(func.max(OutgoingLetter.sent_at))).one()


class Spent(NamedTuple):
    """Seconds by the wall, and of the processor by who spent them; and transactions."""

    wall: float
    processes: float
    database: float
    relay: float
    transactions: float

    @property
    def processor(self) -> float:
        """Seconds of the processor in all."""
        return self.processes + self.database + self.relay


def read_spent(context: Context, system: str, processes: list[int], relay: int) -> Spent:
    """What was spent up to now; of SQLite the processes do the work of the database themselves."""
    database = transactions = 0.0
    if system == POSTGRESQL:
        name = context.database.url.database or ""
        counted = f"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{name}'"
        database, [(transactions,)] = seconds_with_children(cluster().pid), cluster().execute(counted)
    return Spent(monotonic(), sum(map(seconds_of, processes)), database, seconds_of(relay), transactions)


def send_all(context: Context, folder: Path, system: str, number: int, many: int) -> Spent:
    """Let all letters leave by so many processes; what one took, when they have all left once before.

    It is looked seldom whether they have, for to look takes of the cores; the letters tell when they left.
    """
    release(context, utc_now() + timedelta(days=1))
    with light_relay() as (port, relay), at_work(folder, port, number) as processes:
        for _ in range(2):
            before = read_spent(context, system, processes, relay)
            release(context, utc_now())
            began = utc_now()
            while count_sent(context) < many:
                assert monotonic() - before.wall < PATIENCE
                Event().wait(0.5)
            after = read_spent(context, system, processes, relay)
    took = Spent(*((there - here) / many for here, there in zip(before, after, strict=True)))
    return took._replace(wall=(last_sent(context) - began).total_seconds() / many)


@pytest.mark.parametrize("pictures", [False, True])
def test_letters_a_second(figure, tmp_path, system, pictures):
    """By one process and by two in turn, for the machine has other things to do now and then."""
    context = desk(tmp_path)
    many = queue_letters(context, pictures)
    found: dict[int, list[Spent]] = {1: [], 2: []}
    for number in (1, 2) * ROUNDS:
        found[number].append(send_all(context, tmp_path, system, number, many))
    what = "with pictures" if pictures else "of text alone"
    for number, rounds in found.items():
        one = Spent(*map(statistics.median, zip(*rounds, strict=True)))
        figure(f"letters {what} by {number} processes, {system}", f"{1 / one.wall:.1f} a second")
        parts = f"{one.processes * 1000:.1f} + {one.database * 1000:.1f} + {one.relay * 1000:.1f} ms"
        figure("  processor for each: processes, database, relay", parts)
        figure("  so much of the cores was used", f"{one.processor / one.wall:.2f}")
        figure("  what two cores could give at that", f"{2 / one.processor:.1f} a second")
        figure("  transactions for each", f"{one.transactions:.1f}")
    apart = [2 * alone.processes / both.processes for alone, both in zip(found[1], found[2], strict=True)]
    figure(
        "  by two for one by one, if the processes had two cores for themselves",
        f"{statistics.median(apart):.2f}",
    )
    ratios = [alone.wall / both.wall for alone, both in zip(found[1], found[2], strict=True)]
    figure(f"letters {what} by two for one by one, {system}", f"{statistics.median(ratios):.2f}", "1.8")
