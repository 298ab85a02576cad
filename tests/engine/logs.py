"""Whole games as logs, and what is wrong with a log that is not as it should be."""

import json

import pytest

from engine.event_log import InvalidLog, check_log
from engine.position import Position
from tests.engine.build import alexandros
from tests.paths import GAMES

Event = dict[str, object]


def good(name: str = "walls") -> list[Event]:
    """The events of a game that is as it should be."""
    return [json.loads(line) for line in (GAMES / f"{name}.jsonl").read_text("utf-8").splitlines()]


def first_of(kind: str, events: list[Event] | None = None) -> int:
    """The index of the first event of a kind."""
    return next(i for i, event in enumerate(events or good()) if event["type"] == kind)


def last_position(lines: list[bytes]) -> Position:
    *_, (_, now) = check_log(lines, {"Alexandros": alexandros()})
    return now


def refusal(lines: list[bytes]) -> InvalidLog:
    """Why a log is refused: one line, and every event before the wrong one has been told."""
    told: list[object] = []
    with pytest.raises(InvalidLog) as caught:
        told.extend(check_log(lines, {"Alexandros": alexandros()}))
    assert str(caught.value).startswith(f"event {len(told) + 1}: ")
    assert caught.value.number == len(told) + 1
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 300
    return caught.value


def wrong(events: list[Event], number: int, reason: str = "") -> None:
    """Make sure that these events are refused at that index, for a reason with these words."""
    caught = refusal([json.dumps(event).encode() for event in events])
    assert caught.number == number + 1, caught
    assert reason in str(caught), caught


def changed(kind: str, why: str = "", /, **fields: object) -> None:
    """Make sure that the first event of a kind is refused with these fields."""
    events = good()
    at = first_of(kind, events)
    events[at] |= fields
    wrong(events[: at + 1], at, why)
