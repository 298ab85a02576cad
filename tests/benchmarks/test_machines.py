"""What several processes do together: acts a second of up to four; how soon two answer 1,000 open pages."""

import asyncio
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic

import pytest

from server.store.context import utc_now
from tests.benchmarks.processor_time import seconds_of
from tests.benchmarks.test_roles import system
from tests.paths import TOP
from tests.ports import free_port
from tests.server.desk import desk, start_game
from tests.server.storage import POSTGRESQL, choose, storage
from tests.server.test_race_of_processes import answers, at_once
from tests.server.test_serving import alexandros, served, settings
from tests.server.web.site import Site

__all__ = ["system"]

GAMES, ACTS = 16, 480
OPEN, ASKS_AFTER, LASTS = 1_000, 1.2, 20.0
"""Pages that are open, the seconds after which each asks again (live.js), and for which it is measured."""
WATCHED_GAMES = 50
FIRST_ANSWERS = 10.0
"""Seconds that are not counted: every page asks for the first time, and every process knows no game yet."""
PATIENCE = 60.0


# --- acts -----------------------------------------------------------------------------------------------


@contextmanager
def racers(system: str, url: str, number: int) -> Iterator[list[subprocess.Popen[str]]]:
    """So many processes, ready to be told what to do."""
    command = [sys.executable, "-m", "tests.server.racer", system, url]
    pipe = subprocess.PIPE
    with ExitStack() as stack:
        started = [
            stack.enter_context(subprocess.Popen(command, cwd=TOP, stdin=pipe, stdout=pipe, text=True))
            for _ in range(number)
        ]
        assert answers(started) == ["ready"] * number
        yield started
        for one in started:
            assert one.stdin is not None
            one.stdin.close()


@pytest.mark.parametrize("number", [1, 2, 4])
def test_acts_a_second_by_several_processes(figure, tmp_path, system, number):
    """Each plays in games of its own, as players of different games do; all write to one database."""
    context = desk(tmp_path)
    games = [start_game(context, "Anna", "Ben", now=utc_now()) for _ in range(GAMES)]
    with racers(system, storage().place(tmp_path), number) as processes:
        at_once(processes, "get to know", *games)
        shares = [games[place::number] for place in range(number)]
        began = monotonic()
        for one, share in zip(processes, shares, strict=True):
            tell(one, "play", ACTS // number, *share)
        done = sum(answers(processes))
        took = monotonic() - began
    assert done == ACTS
    aim = "as many as by 1" if number == 4 and system == POSTGRESQL else ""
    figure(f"acts by {number} processes, {system}", f"{done / took:.0f} a second", aim)


def tell(process: subprocess.Popen[str], *task: object) -> None:
    """Give one process a task."""
    assert process.stdin is not None
    process.stdin.write(json.dumps(task) + "\n")
    process.stdin.flush()


# --- open pages -----------------------------------------------------------------------------------------


class Pages:
    """Open pages that ask again and again whether anything has happened, each by a connection of its own."""

    def __init__(self) -> None:
        self.took: list[float] = []
        self.wrong: list[bytes] = []
        self.counts_from = monotonic() + FIRST_ANSWERS
        self.ends = self.counts_from + LASTS

    async def keep_open(self, port: int, link: str, after: float) -> None:
        """Ask as the script of a page does: some time after each answer."""
        await asyncio.sleep(after)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        asked = f"GET {link}/pulse HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
        while monotonic() < self.ends:
            began = monotonic()
            writer.write(asked)
            head = await reader.readuntil(b"\r\n\r\n")
            lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
            await reader.readexactly(int(lines[b"content-length"]))
            if began > self.counts_from:
                self.took.append(monotonic() - began)
            if not head.startswith(b"HTTP/1.1 200"):
                self.wrong.append(head)
            await asyncio.sleep(ASKS_AFTER)
        writer.close()

    async def keep_all_open(self, ports: list[int], links: list[str]) -> None:
        await asyncio.gather(
            *(
                self.keep_open(
                    ports[number % len(ports)], links[number % len(links)], number * ASKS_AFTER / OPEN
                )
                for number in range(OPEN)
            )
        )


def test_a_thousand_open_pages(figure, tmp_path):
    """What asks runs on the same cores."""
    choose(POSTGRESQL)
    context = desk(tmp_path)
    place = Site(context)
    games = [start_game(context, "Anna", "Ben", now=utc_now()) for _ in range(WATCHED_GAMES)]
    links = [place.link(game, seat=seat) for game in games for seat in (0, 1)]
    ports = [free_port(), free_port()]
    with ExitStack() as stack:
        started = []
        for port in ports:
            given = settings(tmp_path, port, DATABASE=storage().place(tmp_path))
            started.append(
                stack.enter_context(
                    alexandros("serve", "--only", "pages", folder=tmp_path, environment=given)
                )
            )
            served(started[-1], f"http://127.0.0.1:{port}/livez")
        before = sum(seconds_of(one.pid) for one in started)
        pages = Pages()
        asyncio.run(pages.keep_all_open(ports, links))
        spent = sum(seconds_of(one.pid) for one in started) - before
    assert pages.wrong == []
    took = sorted(pages.took)
    figure(
        f"{OPEN:,} open pages, 2 processes: the answer to “has anything happened?”, median",
        f"{statistics.median(took) * 1000:.0f} ms",
    )
    figure("  99 of 100", f"{took[len(took) * 99 // 100] * 1000:.0f} ms, {took[-1] * 1000:.0f} at most")
    answered = len(took) / LASTS
    figure("  answers a second", f"{answered:.0f}")
    figure("  processor of the two processes", f"{spent / (FIRST_ANSWERS + LASTS):.2f} cores")
