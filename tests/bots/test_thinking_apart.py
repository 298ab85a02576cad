"""A process that thinks is killed, hangs, answers nonsense: each gets their own answer or hears why not."""

from __future__ import annotations

import operator
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from engine.position import View
from server.thinking.thinker import (
    ThinkerLost,
    ThinkerStopped,
    ThinkingFailed,
    ThinkingProcess,
    ThinkingTooLong,
)
from tests.bots import adapter
from tests.bots.alike import few_positions
from tests.faults.house import until
from tests.paths import TOP

pytestmark = pytest.mark.breadth


@pytest.fixture(scope="module")
def shared() -> Iterator[ThinkingProcess]:
    found = ThinkingProcess()
    yield found
    found.stop()


def lives(number: int) -> bool:
    """Whether a process runs; one that has ended and was not fetched does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def known() -> View:
    now = few_positions(1)[0]
    return adapter.known_to_mover(now)


def turn_of(view: View) -> int:
    return view.table.turn


def with_board(view: View, more: object) -> tuple[View, object]:
    return view, more


# --- answers --------------------------------------------------------------------------------------------


def test_what_cannot_be_sent_spoils_no_later_answer(shared: ThinkingProcess) -> None:
    """A board that was to be sent with something that cannot be is sent with the next question."""
    fresh = ThinkingProcess()
    try:
        for _ in range(2):
            with pytest.raises(Exception, match=r"pickle|serial|local"):
                fresh.call(with_board, known(), lambda: None)
        assert fresh.call(turn_of, known()) == known().table.turn
        assert fresh.call(with_board, known(), 1) == (known(), 1)
    finally:
        fresh.stop()


def test_an_answer_that_cannot_be_sent_is_an_error_and_the_next_is_an_answer(shared: ThinkingProcess) -> None:
    with pytest.raises(Exception, match=r".+"):
        shared.call(open, "/dev/null")
    assert shared.call(operator.add, 2, 3) == 5
    with pytest.raises(ZeroDivisionError):
        shared.call(operator.floordiv, 1, 0)
    assert shared.call(with_board, known(), "x")[0] == known()


def test_an_answer_that_comes_too_late_is_given_to_nobody(shared: ThinkingProcess) -> None:
    for _ in range(2):
        with pytest.raises(ThinkingTooLong):
            shared.call(time.sleep, 5, seconds=0.05)
        assert shared.call(operator.mul, 6, 7, seconds=30) == 42


def test_what_ends_the_process_each_time_is_tried_twice_and_told(shared: ThinkingProcess) -> None:
    for ending in (os.abort, sys.exit):
        with pytest.raises(ThinkerLost):
            shared.call(ending, seconds=30)
    assert shared.call(operator.add, 1, 1, seconds=30) == 2


@pytest.mark.breadth
def test_each_gets_their_own_answer_while_the_process_is_killed_again_and_again() -> None:
    thinker, dice, enough = ThinkingProcess(), random.Random(1), Event()
    wrong, lost, right = list[object](), list[object](), list[object]()

    def ask(mine: int) -> None:
        while not enough.is_set():
            number = random.Random().randrange(10**9)
            try:
                found = thinker.call(operator.add, number, mine, seconds=30)
                (right if found == number + mine else wrong).append(found)
            except ThinkingFailed as failed:
                lost.append(failed)

    threads = [Thread(target=ask, args=[mine], daemon=True) for mine in range(4)]
    for one in threads:
        one.start()
    for _ in range(25):
        Event().wait(dice.uniform(0.05, 0.5))
        number = thinker.number
        if number is not None:
            os.kill(number, signal.SIGKILL)
    until(lambda: len(right) > 25, "it is answered again", 60)
    enough.set()
    for one in threads:
        one.join(60)
        assert not one.is_alive()
    thinker.stop()
    assert wrong == []
    assert all(isinstance(one, ThinkerLost) for one in lost), lost


# --- what it leaves -------------------------------------------------------------------------------------

ASKING = """
import sys, time
from server.thinking.thinker import ThinkingProcess
thinker = ThinkingProcess()
from threading import Thread
Thread(target=lambda: thinker.call(time.sleep, 600, seconds=2.0), daemon=True).start()
while thinker.number is None:
    time.sleep(0.01)
time.sleep(0.3)
print(thinker.number, flush=True)
time.sleep(600)
"""


@pytest.mark.breadth
def test_no_process_thinks_on_for_a_server_that_was_killed() -> None:
    """Even one that hangs in a function and does not see that nobody waits for it."""
    known_as = {**os.environ, "PYTHONPATH": str(TOP), "ALEXANDROS_SECRET": "told to nobody at all"}
    command = [sys.executable, "-c", ASKING]
    with subprocess.Popen(command, env=known_as, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        number = int(server.stdout.readline())
        assert lives(number)
        told = Path(f"/proc/{number}/environ").read_bytes()
        server.kill()
    try:
        until(lambda: not lives(number), "it ends too", 20)
    finally:
        if lives(number):
            os.kill(number, signal.SIGKILL)
    assert b"told to nobody" not in told


def test_it_has_neither_the_secret_nor_the_database_nor_a_door(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("ALEXANDROS_SECRET", "told to nobody at all")
    with (tmp_path / "games.sqlite").open("w+b") as database:
        thinker = ThinkingProcess()
        try:
            thinker.call(operator.add, 1, 1)
            folder = Path(f"/proc/{thinker.number}")
            assert b"told to nobody" not in (folder / "environ").read_bytes()
            assert b"told to nobody" not in (folder / "cmdline").read_bytes()
            opened = {str(one.readlink()) for one in (folder / "fd").iterdir()}
        finally:
            thinker.stop()
        assert str(Path(database.name)) not in opened
        assert sum(one.startswith("socket:") for one in opened) == 1


def test_who_stops_it_waits_for_nobody() -> None:
    thinker, told = ThinkingProcess(), list[Exception]()

    def hang() -> None:
        try:
            thinker.call(time.sleep, 600)
        except Exception as error:  # it is looked at below
            told.append(error)

    thread = Thread(target=hang, daemon=True)
    thread.start()
    until(lambda: thinker.number is not None, "it begins")
    number = thinker.number
    began = time.monotonic()
    thinker.stop()
    thread.join(10)
    assert time.monotonic() - began < 10
    assert not thread.is_alive()
    assert [type(one) for one in told] == [ThinkerStopped]
    assert number is not None
    assert not lives(number)
    with pytest.raises(ThinkerStopped):
        thinker.call(operator.add, 1, 1)


# --- controls -------------------------------------------------------------------------------------------


def test_control_an_answer_to_another_is_noticed() -> None:
    late: list[int] = [4]

    def confuse(function: Callable[..., int], *given: int, seconds: float | None = None) -> int:
        late.append(function(*given))
        return late.pop(0)

    assert confuse(operator.add, 1, 1) != 2


def test_control_a_process_that_was_left_behind_is_noticed() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert lives(process.pid)
        process.kill()
    assert not lives(process.pid)
