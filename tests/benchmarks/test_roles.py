"""How soon a letter leaves by another process than the one that caused it, and how many leave by two."""

import os
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from queue import Empty, Queue
from threading import Event
from time import monotonic

import pytest
from aiosmtpd.controller import Controller
from sqlalchemy import func, update
from sqlmodel import col, select

from engine.bots import stand_in
from server.store.context import Context, utc_now
from server.store.models import OutgoingLetter
from server.store.states import Channel, LetterState
from server.turns.play import play_turn
from tests.judges.court import program
from tests.ports import free_port
from tests.server.desk import desk, game_row, start_game, wish
from tests.server.storage import DATABASES, POSTGRESQL, SQLITE, choose, storage
from tests.server.test_serving import alexandros, settings

PATIENCE = 120.0
QUIET = 2.0
"""Seconds after which no more letters of an act are to come."""
ACTS, GAMES = 15, 60


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
def at_work(folder: Path, relay: int, number: int, **more: str) -> Iterator[None]:
    """So many processes that send letters, and do nothing else."""
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
        yield


@pytest.mark.parametrize("pictures", [False, True])
def test_from_a_commit_to_the_relay_by_another_process(figure, tmp_path, sink, system, pictures):
    context = desk(tmp_path)
    game = start_game(context, "Anna", "Ben", now=utc_now())
    if not pictures:
        for name in ("Anna", "Ben"):
            wish(context, game, name, everywhere=True, pictures=False)
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
                wish(context, game, name, everywhere=True, pictures=False)
    release(context, now + timedelta(days=1))
    return 3 * GAMES


def release(context: Context, at) -> None:
    """Let all letters be due at a moment."""
    with context.writing() as session:
        session.execute(update(OutgoingLetter).values(due_at=at))
        context.commit_work(session)


@contextmanager
def light_relay() -> Iterator[int]:
    """The port of a relay that takes all letters and needs next to nothing of the cores for it."""
    port = free_port()
    command = [program("smtp-sink", package="postfix"), f"127.0.0.1:{port}", "100"]
    as_other = ["-u", "nobody"] if os.geteuid() == 0 else []
    with subprocess.Popen([command[0], *as_other, *command[1:]]) as relay:
        try:
            yield port
        finally:
            relay.terminate()


def count_sent(context: Context) -> int:
    with context.reading() as session:
        sent = select(func.count()).where(col(OutgoingLetter.state) == LetterState.SENT)
        return session.exec(sent).one()


@pytest.mark.parametrize("pictures", [False, True])
@pytest.mark.parametrize("number", [1, 2])
def test_letters_a_second(figure, tmp_path, system, number, pictures):
    context = desk(tmp_path)
    many = queue_letters(context, pictures)
    with light_relay() as port, at_work(tmp_path, port, number):
        began = monotonic()
        release(context, utc_now())
        while count_sent(context) < many:
            assert monotonic() - began < PATIENCE
            Event().wait(0.02)
        lasted = monotonic() - began
    what = "with pictures" if pictures else "of text alone"
    figure(f"letters {what} by {number} processes, {system}", f"{many / lasted:.1f} a second")
