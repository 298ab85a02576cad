"""Mails as people write them, each with the verdict of a careful clerk who knows the position.

The data stand beside this file as JSON lines, to be read and edited by hand:

- `games/`: the logs of games that the house played from a seed, up to the last point used.
- `points.jsonl`: a point is a decision of one player. Its position is that after the first `events` lines of
  the log of its `game`; `choices` are the lettered turns that its player was shown, as canonical orders.
- `replies/`: what that player wrote, in English or Dutch.
- `doubts/`: mails with an order that is taken back, hedged or conditional, in eight languages. `place` is
  where the doubt stands: in the line of the order, in the line below, after a blank line, below the name, or
  above.
- `talk/`: mails with an order and harmless talk.

The verdicts: `play` the orders at once, since nothing about them is in doubt; `propose` them as the first
choice, with `alternatives` that are acceptable too; `ask` what is said in `about`; `refuse` for the reason in
`why`; or `talk`, where nothing is ordered. With the last three, `orders` and `alternatives` are what an
answer may well offer.

A mail belongs to one half by its id alone. The half not seen is kept until a reader is judged at the end:
whoever builds one looks at the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

from engine.board import Board
from engine.event_log import decode
from engine.events import GameStarted
from engine.evolve import evolve, start
from engine.position import Position
from tests.paths import BOARD_FILE

HERE = Path(__file__).parent

Orders = tuple[str, ...]
"""Canonical texts, one for each action."""


class Verdict(StrEnum):
    """What a careful clerk does with a mail."""

    PLAY = "play"
    PROPOSE = "propose"
    ASK = "ask"
    REFUSE = "refuse"
    TALK = "talk"


@dataclass(frozen=True, slots=True)
class Point:
    """A decision of one player."""

    id: str
    game: str
    events: int
    """How many facts of its game have happened."""
    edition: str
    players: int
    reader: str
    """Whose turn it is, and who writes the mails."""
    phase: str
    choices: dict[str, Orders]
    """The lettered turns that the reader was shown."""


@dataclass(frozen=True, slots=True)
class Mail:
    """What somebody wrote at a point, and what is right to do with it."""

    id: str
    point: str
    language: str
    text: str
    verdict: Verdict
    orders: Orders = ()
    alternatives: tuple[Orders, ...] = ()
    about: str = ""
    why: str = ""
    kind: str = ""
    """Of a doubt: a retraction, a hedge or a condition."""
    place: str = ""
    """Where in the mail a doubt stands."""

    @property
    def seen(self) -> bool:
        """Whether it is of the half that may be looked at while a reader is built."""
        return int(sha256(self.id.encode()).hexdigest(), 16) % 2 == 0


@cache
def board() -> Board:
    """The board of all the games."""
    return Board.read(BOARD_FILE.read_text("utf-8"))


@cache
def points() -> dict[str, Point]:
    """The points by their ids."""
    found = (_read_point(row) for row in _rows(HERE / "points.jsonl"))
    return {point.id: point for point in found}


@cache
def position(point: str) -> Position:
    """The position at a point."""
    told = points()[point]
    return _positions(told.game)[told.events - 1]


@cache
def mails(folder: str) -> tuple[Mail, ...]:
    """All the mails of a folder: `replies`, `doubts` or `talk`."""
    files = sorted((HERE / folder).glob("*.jsonl"))
    return tuple(_read_mail(row) for file in files for row in _rows(file))


def seen(all_mails: Iterable[Mail]) -> list[Mail]:
    """The half that may be looked at while a reader is built."""
    return [mail for mail in all_mails if mail.seen]


def unseen(all_mails: Iterable[Mail]) -> list[Mail]:
    """The half that is kept until the reader is judged."""
    return [mail for mail in all_mails if not mail.seen]


def _rows(file: Path) -> Iterator[dict[str, object]]:
    for line in file.read_text("utf-8").splitlines():
        yield json.loads(line)


@cache
def _positions(game: str) -> tuple[Position, ...]:
    """The position after each fact of a game."""
    opening, *events = (decode(row, board()) for row in _rows(HERE / "games" / f"{game}.jsonl"))
    assert isinstance(opening, GameStarted)
    return tuple(accumulate(events, evolve, initial=start(board(), opening)))


def _read_point(row: dict[str, object]) -> Point:
    choices = row.pop("choices")
    assert isinstance(choices, dict)
    return Point(**row, choices={letter: tuple(orders) for letter, orders in choices.items()})  # type: ignore[arg-type]


def _read_mail(row: dict[str, object]) -> Mail:
    verdict = Verdict(str(row.pop("verdict")))
    orders, others = row.pop("orders", ()), row.pop("alternatives", ())
    assert isinstance(orders, list | tuple)
    assert isinstance(others, list | tuple)
    alternatives = tuple(tuple(one) for one in others)
    return Mail(**row, verdict=verdict, orders=tuple(orders), alternatives=alternatives)  # type: ignore[arg-type]
