"""Two servers whose games differ only in what a player of the house cannot know: it plays the same there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.cards import SYMBOLS
from engine.event_log import encode
from engine.rules import due
from server.admin.archive import import_log, read_log
from server.store.context import Context
from server.store.game_terms import SeatRequest
from tests.attacks.twin_games import Course, cut, events_of, position_of, random_course, twin
from tests.bots import adapter
from tests.breadth import spread
from tests.engine.build import alexandros
from tests.server.desk import NOON, desk


class EvenDice(Random):
    """Dice that pick the same card from two bags wherever both have it."""

    def __init__(self) -> None:
        super().__init__(1)
        self.thrown = 0

    def choice(self, seq: Sequence[Any]) -> Any:
        self.thrown += 1
        return max(seq, key=lambda one: sha256(f"{one} {self.thrown}".encode()).digest())


def twin_courses(name: str, number: int, reader: int = 1) -> tuple[Course, Course]:
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


def seat_at(folder: Path, course: Course) -> tuple[Context, str]:
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
    before = len(adapter.acts(context, game))
    adapter.play_bot_turns(context, NOON)
    return adapter.acts(context, game)[before].said


NAMES = ("Philip", "Roxana", "Seleucus", "Ptolemy")


@pytest.mark.parametrize(("name", "number"), spread(6, product(NAMES, range(5))))
def test_the_house_plays_the_same_turn_in_both(tmp_path: Path, name: str, number: int) -> None:
    one, other = twin_courses(name, number)
    said = [turn_of_house(tmp_path / label, course) for label, course in (("one", one), ("other", other))]
    assert said[0] == said[1]
    assert said[0]


@pytest.mark.breadth
def test_a_strong_one_too(tmp_path: Path) -> None:
    one, other = twin_courses("Darius", 0)
    said = [turn_of_house(tmp_path / label, course) for label, course in (("one", one), ("other", other))]
    assert said[0] == said[1]


# --- control --------------------------------------------------------------------------------------------


@pytest.mark.breadth
def test_control_two_games_that_differ_in_what_the_house_knows_are_played_otherwise(tmp_path: Path) -> None:
    differ = 0
    for number in range(6):
        courses = twin_courses("Roxana", number, reader=0)
        said = {turn_of_house(tmp_path / f"{number}{label}", one) for label, one in enumerate(courses)}
        differ += len(said) > 1
    assert differ
