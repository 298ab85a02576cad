"""What the last letter tells of a game, read with nothing but its words: true, and each in a short line."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from engine.actions import Action, Choose, Draw, Levy, March, Occupy, Play, Recall, Take, TakeOver
from engine.cards import SYMBOLS
from engine.evolve import evolve
from engine.position import Position, view
from engine.rules import decide
from tests.bots import adapter
from tests.bots.adapter import Steps
from tests.bots.alike import keen_game, recorded_steps
from tests.bots.ledger import scores_by_levy
from tests.bots.test_reviews import before_turn
from tests.breadth import first
from tests.engine.players import draw_from

ORIGIN = re.compile(r"(?P<value>\d+) with (?:the guard on (?P<place>[\w ]+?)|other guards)(?=,| and|\.)")
SWING = re.compile(r"Turn (?P<turn>\d+) changed .* gave (?P<who>you|\w+) a chance of (?P<before>\d+)% to win before it, and of (?P<after>\d+)%")  # fmt: skip # noqa: E501
DEAREST = re.compile(
    r"cost you most: turn (?P<turn>\d+)(?:, about (?P<cost>\d+) points?\. Better|\. Much better)"
    r", the judge thinks: (?P<better>.*)\."
)


@cache
def told(name: str) -> tuple[Steps, Position, dict[int, list[str]]]:
    """A game that was looked through, and the lines that each seat is told."""
    if name.isdigit():
        game = keen_game(int(name))
        steps, last = [*game.steps()], game.last
    else:
        steps, last = recorded_steps(name)
    return steps, last, adapter.last_lines(steps, last)


GAMES = [
    *(pytest.param(name, marks=pytest.mark.breadth) for name in ("two-players", "1")),
    *(pytest.param(name, marks=pytest.mark.long) for name in ("points", "5", "8")),
]


@pytest.mark.parametrize("name", GAMES)
def test_points_that_are_told_are_all_the_points(name: str) -> None:
    steps, last, lines = told(name)
    winners, by_seat = last.table.winners or (), {}
    for seat in range(len(last.hands)):
        by_seat[seat] = Counter[str]()
    for _, seat, place, value in scores_by_levy(steps):
        by_seat[seat][last.table.board.names[place]] += value
    for reader, sentences in lines.items():
        origins = [one for one in sentences if one.startswith(("Your points", "The points of"))]
        assert len(origins) == len([seat for seat in winners if last.table.scores[seat]])
        for seat, sentence in zip(winners, origins, strict=True):
            assert sentence.startswith("Your points") == (seat == reader)
            parts = [(int(one["value"]), one["place"]) for one in ORIGIN.finditer(sentence)]
            assert sum(value for value, _ in parts) == last.table.scores[seat], sentence
            assert all(by_seat[seat][place] == value for value, place in parts if place), sentence


@pytest.mark.parametrize("name", GAMES)
def test_the_swing_that_is_told_is_the_largest(name: str) -> None:
    steps, last, lines = told(name)
    positions = [before_turn(steps, turn) for turn in range(1, last.table.turn + 1)]
    course = [adapter.chances(now) for now in [*positions, last]]
    rises = {
        (turn, seat): after[seat] - before[seat]
        for turn, (before, after) in enumerate(pairwise(course), 1)
        for seat in range(len(last.hands))
    }
    for reader, sentences in lines.items():
        [found] = [match for one in sentences if (match := SWING.search(one))]
        seat = reader if found["who"] == "you" else last.table.names.index(found["who"])
        rise = rises[int(found["turn"]), seat]
        assert rise == pytest.approx(max(rises.values()), abs=0.1), (found[0], max(rises, key=rises.get))  # type: ignore[arg-type]
        assert abs(int(found["after"]) - int(found["before"]) - 100 * rise) < 10


def deeds(better: str, now: Position) -> list[Action]:
    """The actions that a line tells in nouns; of marches to a corner any."""
    board, found = now.table.board, list[Action]()
    for part in re.split(r", | and (?=the |a |an |\d)", better):
        card = next((one for one in SYMBOLS if one.value in part), None)
        places = [board.places[name] for name in re.findall(r"[A-Z][a-z]+", part) if name in board.places]
        corner = re.search(r"\((\w+)\)", part)
        if corner and card:
            choice = Play(card) if "out of the hand" in part else Choose(card)
            found += [choice, March(places[0], (now.table.alexander, board.point_names[corner[1]]))]
        elif "takeover" in part:
            found.append(TakeOver(tuple(sorted(places)), now.hands[now.table.seat]))
        elif part.startswith(("a guard on", "guards on")):
            found.append(Occupy(tuple(sorted(places))))
        elif "back in the supply" in part:
            found.append(Recall(places[0]))
        elif "from the supply" in part:
            found += [Draw()] * (int(part.split()[0]) if part[0].isdigit() else 1)
        elif card and ("from the display" in part or part in (f"a {card}", f"an {card}")):
            found.append(Take(card))
        elif part.startswith("a levy with") and card:
            found.append(Levy(card))
        else:
            raise AssertionError(f"nobody can tell what this does: {part!r}")
    return found


def matters(action: Action) -> object:
    """What a line tells of an action: of a march its end, and of a takeover not what is given."""
    match action:
        case March(target, path):
            return target, path[-1]
        case TakeOver(guards, _):
            return TakeOver, guards
        case _:
            return action


def kinds(actions: list[Action]) -> list[str]:
    return [type(one).__name__ for one in actions]


@pytest.mark.parametrize("name", GAMES)
def test_what_would_have_been_better_could_be_played(name: str) -> None:
    steps, _, lines = told(name)
    dice = Random(1)
    assert any(DEAREST.search(one) for sentences in lines.values() for one in sentences)
    for reader, sentences in lines.items():
        for found in filter(None, map(DEAREST.search, sentences)):
            now = before_turn(steps, int(found["turn"]))
            assert now.table.seat == reader
            assert found["cost"] is None or int(found["cost"]) >= 1
            said = deeds(found["better"], now)
            [verdict] = adapter.verdicts(steps, [int(found["turn"])])
            done = [one for one in verdict.better if type(one).__name__ != "End"]
            assert kinds(said) == kinds(done), (found["better"], done)
            assert Counter(map(matters, said)) == Counter(map(matters, done))
            for best in done:
                for event in decide(now, reader, best, draw_from(dice)):
                    now = evolve(now, event)


@pytest.mark.breadth
def test_every_reader_hears_the_same_swing() -> None:
    _, last, lines = told("two-players")
    turns = {
        match["turn"] for sentences in lines.values() for one in sentences if (match := SWING.search(one))
    }
    assert len(turns) == 1
    assert lines.keys() == {*range(len(last.hands))}
    assert all(view(last, seat).me == seat for seat in lines)


# --- controls -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", first(2, ["a nice rest", "3 guards", "taxes"]))
def test_control_a_deed_that_nobody_understands_is_noticed(part: str) -> None:
    _, last = recorded_steps("points")
    with pytest.raises(AssertionError, match="nobody can tell"):
        deeds(part, last)


def test_control_points_that_are_left_out_are_noticed() -> None:
    line = "Your points: 12 with the guard on Larissa, 7 with the guard on Troy and 3 with other guards."
    assert sum(int(one["value"]) for one in ORIGIN.finditer(line)) == 22
    assert sum(int(one["value"]) for one in ORIGIN.finditer(line.replace("3 with", "3 of"))) == 19
