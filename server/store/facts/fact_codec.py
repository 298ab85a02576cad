"""The facts of an act as JSON: the names and keys in the log of the server's own; codec.py has the others.

Names are chosen here, not taken from class names, so that renaming a class never changes a stored log. The
keys are the fields of a fact. One that has its default is left out, as older games have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, cast, get_type_hints

from emails.terms import AbsenceRule, Caretaker, JoinedBy, TurnTime
from emails.wording.requests import VoteAnswer, VoteKind
from engine import codec
from engine.board import Board
from engine.events import Event
from server.store.facts.server_facts import (
    BankLeft,
    ClockResumed,
    ClockStopped,
    EarlierVote,
    GameCancelled,
    GameImported,
    GameOpened,
    GamePaused,
    GameResumed,
    GameTerms,
    SeatAccepted,
    SeatJoined,
    SeatKept,
    SeatOffered,
    SeatPassedOver,
    SeatResigned,
    SeatReturned,
    SeatVacated,
    ServerFact,
    TimeAdded,
    TimeWithdrawn,
    TurnTimedOut,
    VoteCast,
)

MINUTES_OF_HOUR = 60
MINUTES_OF_TURN = "minutes", "bank_minutes", "refill_minutes"
EventJson = dict[str, object]
"""A fact as JSON: a fact of the game, or one of the server's own."""
ActFact = Event | ServerFact | EventJson
"""What an act writes: a fact of the game, one of the server's own, or one as an imported log has it."""


class ServerFactType(StrEnum):
    """The name of each of the server's own facts."""

    OPENED = "game_opened"
    JOINED = "seat_joined"
    LEFT = "seat_left"
    ACCEPTED = "seat_accepted"
    CANCELLED = "game_cancelled"
    IMPORTED = "game_imported"
    TIMED_OUT = "turn_timed_out"
    CLOCK_STOPPED = "clock_stopped"
    CLOCK_RESUMED = "clock_resumed"
    RESIGNED = "seat_resigned"
    BANK_LEFT = "bank_left"
    VOTE_CAST = "vote_cast"
    EARLIER_YES = "motion_agreed"
    EARLIER_NO = "motion_declined"
    TIME_ADDED = "time_added"
    TIME_WITHDRAWN = "time_withdrawn"
    PAUSED = "game_paused"
    RESUMED = "game_resumed"
    KEPT = "seat_kept"
    RETURNED = "seat_returned"
    OFFERED = "seat_offered"
    PASSED_OVER = "seat_passed_over"


SERVER_FACT_TYPES = frozenset(one.value for one in ServerFactType)
EARLIER_VOTES = (ServerFactType.EARLIER_YES, ServerFactType.EARLIER_NO)
FACTS: Mapping[ServerFactType, type] = {
    ServerFactType.JOINED: SeatJoined,
    ServerFactType.LEFT: SeatVacated,
    ServerFactType.ACCEPTED: SeatAccepted,
    ServerFactType.CANCELLED: GameCancelled,
    ServerFactType.IMPORTED: GameImported,
    ServerFactType.TIMED_OUT: TurnTimedOut,
    ServerFactType.CLOCK_STOPPED: ClockStopped,
    ServerFactType.CLOCK_RESUMED: ClockResumed,
    ServerFactType.RESIGNED: SeatResigned,
    ServerFactType.BANK_LEFT: BankLeft,
    ServerFactType.VOTE_CAST: VoteCast,
    ServerFactType.TIME_ADDED: TimeAdded,
    ServerFactType.TIME_WITHDRAWN: TimeWithdrawn,
    ServerFactType.PAUSED: GamePaused,
    ServerFactType.RESUMED: GameResumed,
    ServerFactType.KEPT: SeatKept,
    ServerFactType.RETURNED: SeatReturned,
    ServerFactType.OFFERED: SeatOffered,
    ServerFactType.PASSED_OVER: SeatPassedOver,
}
"""The facts of which each key is a field."""
TYPES: Mapping[type, ServerFactType] = {made: name for name, made in FACTS.items()}
HINTS: Mapping[type, Mapping[str, object]] = {
    made: get_type_hints(made) for made in (*FACTS.values(), GameTerms)
}
KEYS: Mapping[str, str] = {"is_bot": "house"}
"""The keys that are not called like their fields."""


class InvalidServerFact(ValueError):
    """One of the server's own facts lacks a key, or has something else in it."""


# --- reading ----------------------------------------------------------------------------------------------


def decode_fact(fact: EventJson, board: Board) -> Event | ServerFact:
    """A fact as it stands in the log. Raises `InvalidEvent` and `InvalidServerFact`."""
    return decode_server_fact(fact) if fact["type"] in SERVER_FACT_TYPES else codec.decode(fact, board)


def decode_server_fact(fact: Mapping[str, object]) -> ServerFact:
    """One of the server's own facts, as it stands in the log. Raises `InvalidServerFact`."""
    try:
        kind = ServerFactType(str(fact["type"]))
        if kind in EARLIER_VOTES:
            return EarlierVote(tuple(fact.items()))
        if kind is ServerFactType.OPENED:
            return _decode_opening(fact)
        return cast(ServerFact, _decode_fields(FACTS[kind], fact))
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidServerFact(f"{fact.get('type')}: {error}") from None


def _decode_fields(made: type, fact: Mapping[str, object]) -> Any:
    """The value of a class with the fields that a fact tells."""
    told = {name: hint for name, hint in HINTS[made].items() if KEYS.get(name, name) in fact}
    return made(**{name: READERS[hint](fact[KEYS.get(name, name)]) for name, hint in told.items()})


def _decode_opening(fact: Mapping[str, object]) -> GameOpened:
    seats = fact["seats"]
    if not isinstance(seats, list):
        raise InvalidServerFact("seats are a list")
    return GameOpened(
        _read_text(fact["name"]),
        _read_text(fact["board"]),
        _read_text(fact["edition"]),
        _decode_turn_time(fact),
        tuple(str(name) for name in seats),
        _decode_fields(GameTerms, fact),
    )


def _decode_turn_time(fact: Mapping[str, object]) -> TurnTime:
    """The time for turns, which is told in hours where it has whole hours alone."""
    if "minutes" in fact:
        return TurnTime(*(_read_int(fact[key]) for key in MINUTES_OF_TURN))
    bank, refill = (_read_int(fact.get(key, 0)) for key in ("bank", "refill"))
    return TurnTime.of_hours(_read_int(fact["hours"]), bank, refill)


def _read_int(value: object) -> int:
    if type(value) is not int:
        raise InvalidServerFact(f"{value!r:.40} is no whole number")
    return value


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidServerFact(f"{value!r:.40} is no text")
    return value


def _read_time(value: object) -> datetime:
    return datetime.fromisoformat(_read_text(value))


def _read_int_or_none(value: object) -> int | None:
    return None if value is None else _read_int(value)


READERS: Mapping[object, Callable[[Any], object]] = {
    int: _read_int,
    int | None: _read_int_or_none,
    str: _read_text,
    str | None: _read_text,
    bool: bool,
    datetime | None: _read_time,
    VoteKind: VoteKind,
    VoteAnswer: VoteAnswer,
    JoinedBy: JoinedBy,
    Caretaker: Caretaker,
    AbsenceRule: AbsenceRule,
}
"""How the value of a field is read, by its type."""


# --- writing ----------------------------------------------------------------------------------------------


def encode_fact(fact: ActFact, board: Board) -> Mapping[str, object]:
    """A fact as it stands in the log; one that is JSON already stays so."""
    if isinstance(fact, dict):
        return fact
    return codec.encode(fact, board) if isinstance(fact, Event) else encode_server_fact(fact)


def encode_server_fact(fact: ServerFact) -> EventJson:
    """The same as it stands in the log."""
    match fact:
        case EarlierVote(stored):
            return dict(stored)
        case GameOpened():
            return {"type": ServerFactType.OPENED, **_encode_opening(fact)}
        case _:
            return {"type": TYPES[type(fact)], **_encode_fields(fact)}


def _encode_fields(value: Any) -> EventJson:
    """The fields of a value that say more than their defaults."""
    told = {one.name: (getattr(value, one.name), one.default) for one in fields(value)}
    return {
        KEYS.get(name, name): now.isoformat(timespec="seconds") if isinstance(now, datetime) else now
        for name, (now, default) in told.items()
        if default is MISSING or now != default
    }


def _encode_opening(fact: GameOpened) -> EventJson:
    return {
        "name": fact.name,
        "board": fact.board,
        "edition": fact.edition,
        **_encode_turn_time(fact.time),
        "seats": list(fact.seats),
        **_encode_fields(fact.terms),
    }


def _encode_turn_time(time: TurnTime) -> EventJson:
    given = time.minutes, time.bank, time.refill
    if any(one % MINUTES_OF_HOUR for one in given):
        return dict(zip(MINUTES_OF_TURN, given, strict=True))
    hours, bank, refill = (one // MINUTES_OF_HOUR for one in given)
    return {"hours": hours, **({"bank": bank, "refill": refill} if bank else {})}
