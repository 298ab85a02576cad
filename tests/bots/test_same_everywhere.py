"""The same choice in every process; the same verdict on two games that a seat cannot tell apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from engine.events import TurnEnded
from engine.position import view
from tests.attacks.twin_games import Course, cut, events_of, position_of, positions_of, random_course, twin
from tests.bots import adapter
from tests.bots.adapter import Steps
from tests.bots.alike import few_positions
from tests.breadth import spread
from tests.engine.build import PEOPLE, alexandros
from tests.paths import TOP

HASH_SEEDS = ("0", "1", "4711")
TELL = "from tests.bots.test_same_everywhere import tell; tell({slow}, {seed})"


def tell(slow: bool, seed: int) -> None:
    """Print what everybody would do in some positions."""
    asked = few_positions(2 if slow else 12, seed=seed)
    for name, player in adapter.players().items():
        if adapter.is_slow(name) == slow:
            print(name, [adapter.asked(player, now) for now in asked])  # noqa: T201


def told_with(hash_seed: str, *, slow: bool, seed: int = 0) -> str:
    """What a process prints in which sets and tables are ordered by this seed."""
    command = [sys.executable, "-c", TELL.format(slow=slow, seed=seed)]
    known = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(TOP)}
    said = subprocess.run(command, cwd=TOP, env=known, capture_output=True, text=True, timeout=600)
    assert said.returncode == 0, said.stderr
    return said.stdout


@pytest.mark.parametrize("slow", spread(1, [False, True]))
def test_every_process_chooses_the_same(slow: bool) -> None:
    told = {told_with(one, slow=slow) for one in HASH_SEEDS}
    assert len(told) == 1
    assert len(told.pop().splitlines()) == len(
        [name for name in adapter.players() if adapter.is_slow(name) == slow]
    )


# --- reviews --------------------------------------------------------------------------------------------


def twin_courses(number: int) -> tuple[int, Course, Course]:
    """Two games that are one to a seat, which is among those that have moved."""
    dice = Random(number)
    names = PEOPLE[: 2 + number % 3]
    me = dice.randrange(len(names))
    while True:
        edition = ("rio-grande", "identity-games")[number % 2]
        course = cut(random_course(alexandros(), edition, names, "governors", dice.randrange(3)), dice)
        other = twin(alexandros(), course, me, dice)
        if other != course and sum(act.seat == me for act in course) > 3:
            return me, course, other


def steps_of(course: Course) -> Steps:
    events = events_of(course)
    return [*zip(positions_of(alexandros(), events), events[1:], strict=False)]


def verdicts_on(course: Course, seat: int, most: int) -> list[adapter.Verdict]:
    """What is said of the first turns of a seat."""
    steps = steps_of(course)
    turns = sorted({now.table.turn for now, _ in steps if now.table.seat == seat})
    last = position_of(alexandros(), course).table.turn
    done = [turn for turn in turns if turn < last][-most:]
    return [one for one in adapter.verdicts(steps, done) if one.seat == seat]


@pytest.mark.parametrize("number", spread(4, range(12)))
def test_a_verdict_rests_on_what_the_seat_could_know(number: int) -> None:
    """The same turns of the same seat, while others held other cards."""
    me, *courses = twin_courses(number)
    one, other = (verdicts_on(course, me, 3) for course in courses)
    assert one
    assert one == other


@pytest.mark.breadth
def test_a_verdict_on_a_turn_does_not_know_what_came_later() -> None:
    """The same beginning of a game, which goes on in two ways."""
    course = random_course(alexandros(), "rio-grande", PEOPLE[:2], "governors", 1)
    ends = [
        number for number, act in enumerate(course) if any(isinstance(one, TurnEnded) for one in act.events)
    ]
    early, late = course[: ends[6] + 1], course[: ends[12] + 1]
    turns = range(1, 5)
    assert adapter.verdicts(steps_of(early), turns) == adapter.verdicts(steps_of(late), turns)


# --- control --------------------------------------------------------------------------------------------


def test_control_a_choice_that_goes_by_the_order_of_a_set_is_noticed(tmp_path: Path) -> None:
    script = "print([*{'a', 'b', 'c', 'd', 'e', 'f', 'g'}])"
    told = set()
    for seed in HASH_SEEDS:
        known = {**os.environ, "PYTHONHASHSEED": seed}
        told.add(subprocess.run([sys.executable, "-c", script], env=known, capture_output=True).stdout)
    assert len(told) > 1


def test_control_the_twins_differ_in_what_the_seat_does_not_know() -> None:
    me, *courses = twin_courses(0)
    one, other = (positions_of(alexandros(), events_of(course)) for course in courses)
    assert any(now != then for now, then in zip(one, other, strict=True))
    assert all(view(now, me) == view(then, me) for now, then in zip(one, other, strict=True))
