"""What is worked out in a process of its own: in time or not at all, and again where the process ends."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from copy import copy
from functools import cache
from multiprocessing import Pipe
from random import Random
from threading import Event, Thread

import pytest

from engine.bots.strengths import PROFILES, Profile
from engine.evolve import start
from engine.position import View, view
from engine.rules import deal
from server.store import load_boards
from server.store.context import RecentlyUsed
from server.thinker import (
    MOST_LOSSES,
    InlineThinker,
    ProcessLoss,
    ThinkerBusy,
    ThinkerLost,
    ThinkerStopped,
    ThinkingProcess,
    ThinkingTooLong,
    _Child,
)
from server.thinker_process import answer_calls
from tests.breadth import BREADTH

PATIENCE = 20.0
"""Seconds, on a machine that does a lot besides."""
AT_ONCE = Event()
"""Never set: who looks again and again leaves the machine to others meanwhile."""
STEADY = PROFILES["Roxana"]


@cache
def known() -> View:
    board, dice = next(iter(load_boards().values())), Random(1)
    first = deal(board, "rio-grande", ("Anna", "Ben"), lambda bag: dice.choice(list(bag)))
    return view(start(board, first), 0)


@pytest.fixture(scope="module")
def losses() -> list[ProcessLoss]:
    return []


@pytest.fixture(scope="module")
def thinker(losses: list[ProcessLoss]) -> Iterator[ThinkingProcess]:
    made = ThinkingProcess(losses.append)
    yield made
    made.stop()


@contextmanager
def stopped_at_end(thinker: ThinkingProcess) -> Iterator[ThinkingProcess]:
    try:
        yield thinker
    finally:
        thinker.stop()


def test_a_profile_plans_there_what_it_plans_here(thinker):
    here = STEADY.plan(known())
    assert thinker.call(Profile.plan, STEADY, known(), seconds=PATIENCE) == here
    assert InlineThinker().call(Profile.plan, STEADY, known()) == here


def test_what_cannot_be_sent_leaves_both_ends_with_the_same_boards(thinker):
    with pytest.raises((AttributeError, TypeError)):
        thinker.call(copy, (known(), lambda: None))
    assert thinker.call(copy, known()) == known()


def test_what_a_function_raises_is_raised_here_and_says_where(thinker):
    with pytest.raises(ValueError, match="a spectator has no seat") as caught:
        thinker.call(Profile.plan, STEADY, view_of_spectator())
    assert "in my_seat" in caught.value.__notes__[0]


def view_of_spectator() -> View:
    seen = known()
    return View(seen.table, None, seen.hand, seen.hand_sizes, seen.supply_size)


def test_what_takes_too_long_is_ended_and_another_process_goes_on(thinker, losses):
    thinker.call(os.getpid)
    losses.clear()
    before = thinker.number
    with pytest.raises(ThinkingTooLong):
        thinker.call(time.sleep, PATIENCE, seconds=0.05)
    assert thinker.call(os.getpid, seconds=PATIENCE) not in (before, os.getpid())
    assert losses == [ProcessLoss.TOO_LONG]


def test_one_that_is_still_starting_is_let_start_for_who_asks_next():
    losses: list[ProcessLoss] = []
    with stopped_at_end(ThinkingProcess(losses.append)) as thinker:
        with pytest.raises(ThinkerBusy):
            thinker.call(os.getpid, seconds=0.001)
        assert thinker.call(os.getpid, seconds=PATIENCE) == thinker.number
    assert losses == []


def test_a_process_that_was_killed_while_it_thought_is_replaced_and_asked_again(thinker, losses, tmp_path):
    thinker.call(os.getpid)
    losses.clear()
    killed, made = thinker.number, str(tmp_path / "made once")
    with pytest.raises(FileExistsError):  # the first has made it, and the second tries to
        thinker.call(exec, f"import os; os.mkdir({made!r}); os.kill(os.getpid(), 9)")
    assert thinker.number not in (killed, None)
    assert losses == [ProcessLoss.DIED]


@BREADTH
def test_one_that_dies_twice_is_given_up_and_again_and_again_is_not_well():
    with stopped_at_end(ThinkingProcess()) as thinker:
        for _ in range(MOST_LOSSES // 2 + 1):
            assert thinker.is_well
            with pytest.raises(ThinkerLost):
                thinker.call(exec, "import os; os._exit(1)")
        assert not thinker.is_well


def test_who_waits_for_others_too_long_is_told_so(thinker):
    with waiting(thinker, time.sleep, 0.2), pytest.raises(ThinkerBusy):
        thinker.call(os.getpid, seconds=0.01)


@contextmanager
def waiting(
    thinker: ThinkingProcess, *call: object, seconds: float | None = None
) -> Iterator[list[Exception]]:
    """While a function is being worked out; what came of it is there in the end."""
    raised: list[Exception] = []

    def ask() -> None:
        try:
            thinker.call(*call)
        except Exception as error:
            raised.append(error)

    thread = Thread(target=ask)
    thread.start()
    while not thinker._turn.locked():
        AT_ONCE.wait(0.005)
    yield raised
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_server_that_stops_waits_for_nothing_and_starts_no_other():
    thinker = ThinkingProcess()
    with waiting(thinker, time.sleep, PATIENCE) as raised:
        begun = time.monotonic()
        thinker.stop()
    assert time.monotonic() - begun < PATIENCE / 2
    assert [type(one) for one in raised] == [ThinkerStopped]
    with pytest.raises(ThinkerStopped):
        thinker.call(os.getpid)
    assert thinker.number is None


def test_the_process_knows_no_setting_of_the_server(monkeypatch):
    monkeypatch.setenv("ALEXANDROS_SECRET", "a secret of more than sixteen letters")
    with stopped_at_end(ThinkingProcess()) as thinker:
        names = thinker.call(eval, "list(__import__('os').environ)")
    assert "PATH" in names
    assert not [name for name in names if "ALEXANDROS" in name]


def test_it_ends_when_the_server_is_gone_or_nobody_asks():
    ours, theirs = Pipe()
    with closing(theirs):
        answer_calls(theirs, lingers=0.0)
        ours.close()
        answer_calls(theirs, lingers=PATIENCE)


def test_it_ends_in_the_middle_of_a_thought_when_the_server_is_gone(tmp_path):
    begun = tmp_path / "begun"
    child = _Child.start()
    words = f"import os, time; os.mkdir({str(begun)!r}); time.sleep({PATIENCE})"
    child.connection.send((exec, (words,)))
    while not begun.exists():
        AT_ONCE.wait(0.005)
    child.connection.close()
    assert child.process.wait(PATIENCE / 2) == 0


def test_one_that_has_ended_because_nobody_asked_is_no_loss(thinker, losses):
    first = thinker.call(os.getpid)
    losses.clear()
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert thinker.call(os.getpid) != first
    assert losses == []


def test_of_several_who_ask_at_once_one_works_the_answer_out():
    answers, worked_out, begun = RecentlyUsed[str](), [], Event()

    def ask(name: str) -> None:
        begun.set()
        with answers.one_at_a_time("what"):
            if answers.get("what") is None:
                worked_out.append(name)
                answers.put("what", "this")

    other = Thread(target=ask, args=("second",))
    with answers.one_at_a_time("what"):
        other.start()
        assert begun.wait(10)
        with answers.one_at_a_time("something else"):
            assert worked_out == []
        answers.put("what", "that")
    other.join(10)
    assert worked_out == []
    assert answers.get("what") == "that"


def test_whoever_waited_works_it_out_where_the_first_could_not():
    answers = RecentlyUsed[str]()
    try:
        with answers.one_at_a_time("what"):
            raise ValueError
    except ValueError:
        pass
    with answers.one_at_a_time("what"):
        assert answers.get("what") is None
    assert not answers._waiting
