"""Players of the house think beside all else: while one never ends, mails, clock and pages go on."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from server.app import _stop
from server.loops import Loops
from server.store.context import Context
from server.thinking.thinker import ThinkingProcess
from tests.breadth import BREADTH
from tests.server.desk import Clock, Collector, desk, game_row, set_preferences, start_timed_game
from tests.server.test_loops import PATIENCE, at_work, beat, write_order
from tests.server.turns.test_bot_turns import STEADY, STRONG, doors, seated
from tests.server.turns.test_play import whole_turn
from tests.server.web.site import Site

AT_ONCE = Event()
"""Never set: who looks again and again leaves the machine to others meanwhile."""
HANGING = """
import os, time
try:
    os.mkdir({!r})
except FileExistsError:
    pass  # the second time
else:
    time.sleep(1000)
"""


class Hanging:
    """Thinks in a process of its own, where the first thought never ends."""

    def __init__(self, begun: Path) -> None:
        self.process, self.begun = ThinkingProcess(niceness=0), begun

    def call(self, function, *arguments, seconds=None):
        self.process.call(exec, HANGING.format(str(self.begun)), seconds=seconds)
        return self.process.call(function, *arguments, seconds=seconds)

    def await_first(self) -> None:
        while not self.begun.exists():
            AT_ONCE.wait(0.005)


@contextmanager
def thinking(begun: Path) -> Iterator[Hanging]:
    found = Hanging(begun)
    yield found
    found.process.stop()


@pytest.fixture
def hanging(tmp_path) -> Iterator[Hanging]:
    with thinking(tmp_path / "begun") as found:
        yield found


def serve_house(folder: Path, hanging: Hanging, seconds: str = "600") -> Context:
    context = desk(folder, ALEXANDROS_TICK="0.2", ALEXANDROS_HOUSE_SECONDS=seconds)
    context.thinker = hanging
    return context


@pytest.mark.breadth
def test_nothing_waits_for_one_who_thinks_and_killed_meanwhile_they_play_once(tmp_path, hanging):
    context, clock = serve_house(tmp_path, hanging), Clock()
    game = seated(context, STEADY, "Anna")
    other, late = seated(context, "Anna", "Ben"), start_timed_game(context, "Ben", "Cleo", hours=1)
    for name, theirs in (("Anna", other), ("Ben", other), ("Cleo", late)):
        set_preferences(context, theirs, name, everywhere=True, pictures=False)  # which take long to draw
    with at_work(context, Collector(), clock) as watch:
        hanging.await_first()
        beat(context, clock() + timedelta(hours=2))  # first: else a look of the loops finds the house asleep
        clock.forward(2)
        write_order(context, other, "\n".join([*whole_turn(context, other), "draw", "draw"]), clock())
        watch.until(lambda: game_row(context, other).turn == 2)
        watch.until(lambda: game_row(context, late).turn > 1)
        assert Site(context).app.test_client().get("/rules").status_code == 200
        assert game_row(context, game).turn == 1
        os.kill(hanging.process.number, 9)
        watch.until(lambda: game_row(context, game).turn == 2)
    assert doors(context, game) == ["house"]


@BREADTH
def test_one_who_thinks_too_long_is_ended_and_what_steady_sees_is_played(tmp_path, hanging):
    context = serve_house(tmp_path, hanging, seconds="0.5")
    game = seated(context, STRONG, "Anna")
    with at_work(context, Collector(), Clock()) as watch:
        watch.until(lambda: game_row(context, game).turn == 2)
    assert doors(context, game) == ["house"]
    value = context.events.metrics.registry.get_sample_value
    assert value("alexandros_thought_seconds_sum", {"strength": "strong"}) >= 0.5


@BREADTH
def test_a_server_that_stops_waits_for_no_thought_and_the_next_plays_the_turn(tmp_path, hanging):
    context, clock = serve_house(tmp_path, hanging), Clock()
    game = seated(context, STEADY, "Anna")
    loops = Loops.of(context, [Collector()], clock, time.monotonic)
    loops.start(context)
    hanging.await_first()
    begun = monotonic()
    _stop([loops, hanging.process])
    assert monotonic() - begun < PATIENCE / 2
    assert doors(context, game) == []
    with thinking(hanging.begun) as other, at_work(serve_house(tmp_path, other), Collector(), clock) as watch:
        watch.until(lambda: game_row(context, game).turn == 2)
    assert doors(context, game) == ["house"]
