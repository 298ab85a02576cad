"""The facts of an act as JSON: the names and keys in the log of the server's own; codec.py has the others.

Names are chosen here, not taken from class names, so that renaming a class never changes a stored log. A key
that says nothing new is left out, as older games have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import assert_never

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
    SeatFact,
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
from server.time_control.availability import MOST_VACATION_DAYS

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
SEAT_FACTS: Mapping[ServerFactType, Callable[[int], SeatFact]] = {
    ServerFactType.LEFT: SeatVacated,
    ServerFactType.ACCEPTED: SeatAccepted,
    ServerFactType.RESIGNED: SeatResigned,
    ServerFactType.KEPT: SeatKept,
    ServerFactType.RETURNED: SeatReturned,
    ServerFactType.OFFERED: SeatOffered,
    ServerFactType.PASSED_OVER: SeatPassedOver,
    ServerFactType.TIMED_OUT: TurnTimedOut,
    ServerFactType.CLOCK_RESUMED: ClockResumed,
}
TYPES_OF_SEAT_FACTS: Mapping[object, ServerFactType] = {made: name for name, made in SEAT_FACTS.items()}


class InvalidServerFact(ValueError):
    """One of the server's own facts lacks a key, or has something else in it."""


# --- reading ----------------------------------------------------------------------------------------------


def decode_fact(fact: EventJson, board: Board) -> Event | ServerFact:
    """A fact as it stands in the log. Raises `InvalidEvent` and `InvalidServerFact`."""
    return decode_server_fact(fact) if fact["type"] in SERVER_FACT_TYPES else codec.decode(fact, board)


def decode_server_fact(fact: Mapping[str, object]) -> ServerFact:
    """One of the server's own facts, as it stands in the log. Raises `InvalidServerFact`."""
    try:
        return _decode(ServerFactType(str(fact["type"])), fact)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidServerFact(f"{fact.get('type')}: {error}") from None


def _decode(kind: ServerFactType, fact: Mapping[str, object]) -> ServerFact:
    if kind in SEAT_FACTS:
        return SEAT_FACTS[kind](_read_int(fact, "seat"))
    match kind:
        case ServerFactType.OPENED:
            return _decode_opening(fact)
        case ServerFactType.IMPORTED:
            return GameImported()
        case ServerFactType.CANCELLED:
            return GameCancelled()
        case ServerFactType.JOINED:
            is_bot, epoch = bool(fact.get("house")), _read_int(fact, "epoch") if "epoch" in fact else None
            return SeatJoined(_read_int(fact, "seat"), _read_text(fact, "name"), is_bot, epoch)
        case ServerFactType.BANK_LEFT:
            return BankLeft(_read_int(fact, "seat"), _read_int(fact, "seconds"))
        case ServerFactType.CLOCK_STOPPED:
            return ClockStopped(_read_int(fact, "seat"), _read_time(fact, "since"))
        case ServerFactType.TIME_ADDED:
            by = None if fact["by"] is None else _read_int(fact, "by")
            return TimeAdded(_read_int(fact, "seat"), _read_int(fact, "hours"), by)
        case ServerFactType.PAUSED:
            return GamePaused(_read_time(fact, "until"))
        case ServerFactType.RESUMED:
            return GameResumed()
        case ServerFactType.TIME_WITHDRAWN:
            return TimeWithdrawn(*(_read_int(fact, key) for key in ("seat", "hours", "by")))
        case ServerFactType.VOTE_CAST:
            return VoteCast(
                _read_int(fact, "seat"),
                VoteKind(_read_text(fact, "vote")),
                VoteAnswer(_read_text(fact, "answer")),
                _read_int(fact, "about") if "about" in fact else None,
                _read_time(fact, "until"),
            )
        case ServerFactType.EARLIER_YES | ServerFactType.EARLIER_NO:
            return EarlierVote(tuple(fact.items()))
        case _:
            raise InvalidServerFact(kind)


def _decode_opening(fact: Mapping[str, object]) -> GameOpened:
    seats, days, rematch_of = fact["seats"], fact.get("vacation_days"), fact.get("rematch_of")
    if not isinstance(seats, list):
        raise InvalidServerFact("seats are a list")
    terms = GameTerms(
        joined_by=JoinedBy(str(fact.get("joined_by", JoinedBy.NOBODY))),
        watched=fact.get("watched") is True,
        rematch_of=None if rematch_of is None else str(rematch_of),
        caretaker=Caretaker(str(fact.get("caretaker", Caretaker.QUIET))),
        advice=fact.get("advice") is True,
        absence=AbsenceRule(str(fact.get("absence", AbsenceRule.ALWAYS))),
        vacation_days=days if isinstance(days, int) and 0 <= days <= MOST_VACATION_DAYS else None,
    )
    return GameOpened(
        _read_text(fact, "name"),
        _read_text(fact, "board"),
        _read_text(fact, "edition"),
        _read_turn_time(fact),
        tuple(str(name) for name in seats),
        terms,
    )


def _read_turn_time(fact: Mapping[str, object]) -> TurnTime:
    """The time for turns, which is told in hours where it has whole hours alone."""
    if "minutes" in fact:
        return TurnTime(*(_read_int(fact, key) for key in MINUTES_OF_TURN))
    bank, refill = (_read_int(fact, key) if key in fact else 0 for key in ("bank", "refill"))
    return TurnTime.of_hours(_read_int(fact, "hours"), bank, refill)


def _read_int(fact: Mapping[str, object], key: str) -> int:
    value = fact[key]
    if type(value) is not int:
        raise InvalidServerFact(f"{key} is a whole number")
    return value


def _read_text(fact: Mapping[str, object], key: str) -> str:
    value = fact[key]
    if not isinstance(value, str):
        raise InvalidServerFact(f"{key} is a text")
    return value


def _read_time(fact: Mapping[str, object], key: str) -> datetime | None:
    return datetime.fromisoformat(_read_text(fact, key)) if key in fact else None


# --- writing ----------------------------------------------------------------------------------------------


def encode_fact(fact: ActFact, board: Board) -> Mapping[str, object]:
    """A fact as it stands in the log; one that is JSON already stays so."""
    if isinstance(fact, dict):
        return fact
    return codec.encode(fact, board) if isinstance(fact, Event) else encode_server_fact(fact)


def encode_server_fact(fact: ServerFact) -> EventJson:
    """The same as it stands in the log."""
    kind, keys = _keys_of(fact)
    return {"type": kind, **keys}


def _keys_of(fact: ServerFact) -> tuple[ServerFactType, EventJson]:
    match fact:
        case GameOpened():
            return ServerFactType.OPENED, _keys_of_opening(fact)
        case GameImported():
            return ServerFactType.IMPORTED, {}
        case GameCancelled():
            return ServerFactType.CANCELLED, {}
        case SeatJoined():
            said = {"house": fact.is_bot or None, "epoch": fact.epoch}
            return ServerFactType.JOINED, {"seat": fact.seat, "name": fact.name, **_said_of(said)}
        case BankLeft():
            return ServerFactType.BANK_LEFT, {"seat": fact.seat, "seconds": fact.seconds}
        case ClockStopped():
            return ServerFactType.CLOCK_STOPPED, {"seat": fact.seat, **_said_of({"since": _iso(fact.since)})}
        case TimeAdded():
            return ServerFactType.TIME_ADDED, {"seat": fact.seat, "hours": fact.hours, "by": fact.by}
        case GamePaused():
            return ServerFactType.PAUSED, _said_of({"until": _iso(fact.until)})
        case GameResumed():
            return ServerFactType.RESUMED, {}
        case TimeWithdrawn():
            return ServerFactType.TIME_WITHDRAWN, {"seat": fact.seat, "hours": fact.hours, "by": fact.by}
        case VoteCast():
            told = _said_of({"about": fact.about, "until": _iso(fact.until)})
            vote = {"seat": fact.seat, "vote": fact.vote, "answer": fact.answer, **told}
            return ServerFactType.VOTE_CAST, vote
        case EarlierVote():
            stored = dict(fact.stored)
            return ServerFactType(str(stored.pop("type"))), stored
        case (
            SeatVacated()
            | SeatAccepted()
            | SeatResigned()
            | SeatKept()
            | SeatReturned()
            | SeatOffered()
            | SeatPassedOver()
            | TurnTimedOut()
            | ClockResumed()
        ):
            return TYPES_OF_SEAT_FACTS[type(fact)], {"seat": fact.seat}
        case _:
            assert_never(fact)


def _keys_of_opening(fact: GameOpened) -> EventJson:
    terms = fact.terms
    said = {
        "joined_by": terms.joined_by or None,
        "watched": terms.watched or None,
        "rematch_of": terms.rematch_of,
        "caretaker": terms.caretaker if terms.caretaker != Caretaker.QUIET else None,
        "advice": terms.advice or None,
        "absence": terms.absence or None,
        "vacation_days": terms.vacation_days,
    }
    return {
        "name": fact.name,
        "board": fact.board,
        "edition": fact.edition,
        **_keys_of_turn_time(fact.time),
        "seats": list(fact.seats),
        **_said_of(said),
    }


def _keys_of_turn_time(time: TurnTime) -> EventJson:
    given = time.minutes, time.bank, time.refill
    if any(one % MINUTES_OF_HOUR for one in given):
        return dict(zip(MINUTES_OF_TURN, given, strict=True))
    hours, bank, refill = (one // MINUTES_OF_HOUR for one in given)
    return {"hours": hours, **({"bank": bank, "refill": refill} if bank else {})}


def _said_of(keys: Mapping[str, object]) -> EventJson:
    """Those keys that say anything."""
    return {key: value for key, value in keys.items() if value is not None}


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds")
