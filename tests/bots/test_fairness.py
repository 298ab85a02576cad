"""Players of the house decide by what their seat knows, the same in every process and on every server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.bots.reviews import Verdict
from engine.cards import SYMBOLS
from engine.event_log import encode
from engine.events import TurnEnded
from engine.position import Position
from engine.rules import due
from server import clock
from server.admin.backups import import_log, read_log
from server.store.game_terms import SeatRequest
from server.store.models import Act
from tests.attacks.twin_games import Course, cut, events_of, position_of, positions_of, random_course, twin
from tests.bots import adapter
from tests.bots.adapter import Steps
from tests.bots.alike import alike, asked_positions, few_positions, holds_something_hidden
from tests.breadth import spread
from tests.engine.build import PEOPLE, alexandros
from tests.paths import TOP
from tests.server.desk import NOON, Desk, desk

PAIRS = 2000
"""Of positions that a seat cannot tell apart, for all who are asked together."""
QUICK = [name for name in adapter.players() if not adapter.is_slow(name)]
SLOW = [name for name in adapter.players() if adapter.is_slow(name)]


def differences(player: adapter.Player, now: Position, others: list[Position]) -> list[tuple[object, object]]:
    """What a player would do otherwise in positions that its seat cannot tell from this one."""
    said = adapter.asked(player, now)
    return [(said, other) for one in others if (other := adapter.asked(player, one)) != said]


def look_at(player: adapter.Player, found: Iterable[Position], *, seed: int = 0, each: int = 4) -> int:
    """Ask a player in positions and in so many others of each; how many of these hid something."""
    dice, hidden = Random(seed), 0
    for now in found:
        assert differences(player, now, alike(now, dice, each)) == []
        hidden += each * holds_something_hidden(now)
    return hidden


@pytest.mark.parametrize("name", QUICK)
def test_a_few_pairs_of_positions_that_a_seat_cannot_tell_apart(name: str) -> None:
    assert look_at(adapter.players()[name], few_positions(4))


@pytest.mark.parametrize("name", SLOW[::-1])
def test_a_pair_for_who_thinks_long(name: str) -> None:
    begun = (now for now in few_positions(50, seed=3) if now.table.actions_left == 1)
    assert look_at(adapter.players()[name], islice(begun, 1), each=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_two_thousand_pairs_of_positions_that_a_seat_cannot_tell_apart(seed: int, record_property) -> None:
    everybody = adapter.players()
    pairs = -(-PAIRS // 4 // len(everybody) // 4) * 4
    hidden = {
        name: look_at(player, asked_positions(pairs // 4, seed=100 * seed), seed=seed)
        for name, player in everybody.items()
    }
    assert all(hidden.values())
    record_property("figure", f"{pairs * len(everybody)} pairs told nobody apart: {hidden}")


@pytest.mark.parametrize("name", QUICK)
def test_asked_again_and_after_others_it_is_the_same(name: str) -> None:
    player = adapter.players()[name]
    found = few_positions(3, seed=5)
    once = [adapter.asked(player, now) for now in found]
    assert [adapter.asked(player, now) for now in reversed(found)] == once[::-1]


HASH_SEEDS = ("0", "1", "4711")
TELL = "from tests.bots.test_fairness import tell; tell({slow}, {seed})"


def tell(slow: bool, seed: int) -> None:
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


def verdicts_on(course: Course, seat: int, most: int) -> list[Verdict]:
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


def test_a_verdict_on_a_turn_does_not_know_what_came_later() -> None:
    """The same beginning of a game, which goes on in two ways."""
    course = random_course(alexandros(), "rio-grande", PEOPLE[:2], "governors", 1)
    ends = [
        number for number, act in enumerate(course) if any(isinstance(one, TurnEnded) for one in act.events)
    ]
    early, late = course[: ends[6] + 1], course[: ends[12] + 1]
    turns = range(1, 5)
    assert adapter.verdicts(steps_of(early), turns) == adapter.verdicts(steps_of(late), turns)


class EvenDice(Random):
    """Dice that pick the same card from two bags wherever both have it."""

    def __init__(self) -> None:
        super().__init__(1)
        self.thrown = 0

    def choice(self, seq: Sequence[Any]) -> Any:
        self.thrown += 1
        return max(seq, key=lambda one: sha256(f"{one} {self.thrown}".encode()).digest())


def house_courses(name: str, number: int, reader: int = 1) -> tuple[Course, Course]:
    """Two games that are one to a reader, where the player of the house on seat 1 is to move."""
    dice = Random(f"{name} {number}")
    while True:
        names = ("Anna", name, "Ben")[: dice.randint(2, 3)]
        course = random_course(alexandros(), "rio-grande", names, "governors", dice.randrange(3))
        one = cut(course, dice)
        other = twin(alexandros(), one, reader, dice)
        last = [position_of(alexandros(), each) for each in (one, other)]
        movable = not last[0].table.over and last[0].table.seat == 1 and due(last[0]) is None
        if one != other and movable and all(len(now.supply.kinds()) == len(SYMBOLS) for now in last):
            return one, other


def seat_at(folder: Path, course: Course) -> tuple[Desk, str]:
    """A server that has taken in a game, and the game."""
    folder.mkdir()
    context = desk(folder)
    context.rng = EvenDice()
    lines = [json.dumps(encode(event, alexandros())).encode() for event in events_of(course)]
    names = next(iter(events_of(course))).seats  # type: ignore[union-attr]
    people = [SeatRequest(one, f"{one.lower()}@example.org") for one in names if one not in adapter.NAMES]
    game = import_log(context, read_log(lines), NOON, requests=[*people, SeatRequest("", None)])
    return context, game


def turn_of_house(folder: Path, course: Course) -> str:
    """What the player of the house does there, in words."""
    context, game = seat_at(folder, course)
    before = context.game_row(game).seq
    clock.play_bot_turns(context, NOON)
    return context.rows_of(Act.said, Act.game == game)[before]


NAMES = ("Philip", "Roxana", "Seleucus", "Ptolemy")


@pytest.mark.parametrize(
    ("name", "number"), [*spread(6, product(NAMES, range(5))), *spread(1, [("Darius", 0)])]
)
def test_the_house_plays_the_same_turn_in_both(tmp_path: Path, name: str, number: int) -> None:
    one, other = (
        turn_of_house(tmp_path / label, course)
        for label, course in zip(("one", "other"), house_courses(name, number), strict=True)
    )
    assert one == other
    assert one
