"""What letters are made from, at chosen points of the stored games."""

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from emails.letters import Sheet
from emails.links import Post
from engine.codec import decode
from engine.events import AlexanderMarched, Event, TurnEnded
from engine.evolve import evolve, replay
from engine.position import Position
from engine.views import told, view
from tests.emails.positions import BOARD

GAMES = Path(__file__).parents[1] / "engine" / "games"
POST = Post("https://play.example.org", "play.example.org", b"a secret for the tests")
GAME, NAME = "abcdefgh", "Spring"
DEADLINE = datetime(2027, 1, 14, 18, tzinfo=UTC)


@cache
def stored(name: str) -> tuple[Event, ...]:
    """The events of a stored game."""
    lines = (GAMES / f"{name}.jsonl").read_text("utf-8").splitlines()
    return tuple(decode(json.loads(line), BOARD) for line in lines)


@cache
def positions(name: str) -> tuple[Position, ...]:
    """The positions of a stored game: the one of index n is what the first n + 1 events make."""
    first, *others = stored(name)
    found = [replay(BOARD, [first])]
    for event in others:
        found.append(evolve(found[-1], event))
    return tuple(found)


def sheet(name: str, at: int, seat: int) -> Sheet:
    """What `seat` knows of a stored game after `at` events, and what happened since its last turn."""
    log = stored(name)[:at]
    ended = [
        number for number, event in enumerate(log) if isinstance(event, TurnEnded) and event.seat == seat
    ]
    begun = ended[-1] + 1 if ended else 1
    position = positions(name)[at - 1]
    return Sheet(
        game=GAME,
        name=NAME,
        view=view(position, seat),
        since=tuple(told(event, seat) for event in log[begun:]),
        before=positions(name)[begun - 1].table,
        after=at,
        deadline=None if position.table.over else DEADLINE,
        hours=48,
        post=POST,
    )


def turns(name: str) -> list[tuple[int, int]]:
    """For each turn of a stored game after how many events it begins, and whose it is."""
    return _where(name, "card")


def actions(name: str) -> list[tuple[int, int]]:
    """For each march of a stored game after how many events the actions begin, and whose they are."""
    log, found = stored(name), positions(name)
    return [
        (number + 1, found[number].table.seat)
        for number, event in enumerate(log)
        if isinstance(event, AlexanderMarched)
    ]


def _where(name: str, phase: str) -> list[tuple[int, int]]:
    """The last position of each turn that is in this phase with nothing due."""
    found: dict[int, tuple[int, int]] = {}
    for number, position in enumerate(positions(name)):
        if position.table.phase == phase:
            found[position.table.turn] = (number + 1, position.table.seat)
    return list(found.values())
