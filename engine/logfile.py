"""A log as it is written to a file: JSON Lines, each line one fact, checked one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from engine import codec
from engine.actions import Illegal
from engine.board import Board
from engine.events import Event, GameStarted, InvalidEvent
from engine.evolve import evolve, start
from engine.log_validation import check
from engine.position import Position


class InvalidLog(ValueError):
    """A log that cannot be; the sentence names the event, counted from 1, and the reason."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"event {number}: {reason}")
        self.number = number


def check_log(
    lines: Iterable[bytes], boards: Mapping[str, Board], board: Board | None = None
) -> Iterator[tuple[Event, Position]]:
    """Each fact of a log with the position after it, every one checked against the rules, lazily.

    `boards` are those a log may name; `board` is used whatever name it gives. Raises `InvalidLog` at the
    first fact that cannot stand where it does.
    """
    position: Position | None = None
    for number, line in enumerate(lines, start=1):
        try:
            data = parse(line)
            if position is None:
                board = board or _named_board(data, boards)
                event = codec.decode(data, board)
                position = start(board, check_start(event))
            else:
                event = codec.decode(data, position.table.board)
                check(position, event)
                position = evolve(position, event)
        except (InvalidEvent, Illegal) as error:
            raise InvalidLog(number, str(error)) from None
        yield event, position
    if position is None:
        raise InvalidLog(1, "the log is empty (rule 2.2)")


def parse(line: bytes) -> object:
    """The JSON value of one line; raises `InvalidEvent`."""
    try:
        value: object = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise InvalidEvent("bad JSON: each line must be one JSON object") from None
    return value


def _refuse_constant(name: str) -> object:
    """NaN and the infinities, which Python reads and JSON does not have (RFC 8259, section 6)."""
    raise ValueError(name)


def _named_board(data: object, boards: Mapping[str, Board]) -> Board:
    name = data.get("board") if isinstance(data, dict) and data.get("type") == "game_started" else None
    if isinstance(name, str):
        if name not in boards:
            raise InvalidEvent(f"there is no board called {name[:40]!a}")
        return boards[name]
    return next(iter(boards.values()))  # the event is wrong in another way, which decoding it tells


def check_start(event: Event) -> GameStarted:
    """The first fact of a log, checked (2.2); raises `InvalidEvent`."""
    if not isinstance(event, GameStarted):
        raise InvalidEvent("the first event must be game_started (rule 2.2)")
    if not 2 <= len(event.seats) <= 4:
        raise InvalidEvent("a game has 2 to 4 seats (rule 1.2)")
    if len(event.hands) != len(event.seats) or any(len(hand) != 1 for hand in event.hands):
        raise InvalidEvent("each seat is dealt one card (rule 2.2)")
    if len(event.display) != 2:
        raise InvalidEvent("two cards are turned face up (rule 2.2)")
    return event
