"""The server's own facts in a game's log, and their JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, cast, get_type_hints

from emails.terms import AbsenceRule, Caretaker, JoinedBy, TurnTime
from emails.wording.requests import VoteAnswer, VoteKind
from engine import event_log
from engine.board import Board
from engine.events import Event


@dataclass(frozen=True, slots=True)
class GameTerms:
    joined_by: JoinedBy = JoinedBy.NOBODY
    watched: bool = False
    rematch_of: str | None = None
    caretaker: Caretaker = Caretaker.QUIET
    advice: bool = False
    absence: AbsenceRule = AbsenceRule.ALWAYS
    vacation_days: int | None = None
    """Vacation days a year that stop a player's clock; None: any number."""


# --- before the game begins -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GameOpened:
    name: str
    board: str
    edition: str
    time: TurnTime
    seats: tuple[str, ...]
    """Names of the seats; empty for an open seat."""
    terms: GameTerms


@dataclass(frozen=True, slots=True)
class GameImported:
    """The following facts were played elsewhere."""


@dataclass(frozen=True, slots=True)
class SeatJoined:
    """A free seat was claimed."""

    seat: int
    name: str
    is_bot: bool = False
    epoch: int | None = None
    """In a game that has begun: the epoch of the substitute's first links."""


@dataclass(frozen=True, slots=True)
class SeatVacated:
    seat: int


@dataclass(frozen=True, slots=True)
class SeatAccepted:
    seat: int


@dataclass(frozen=True, slots=True)
class GameCancelled:
    """The game was called off before it began."""


# --- time and absence -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TurnTimedOut:
    """The deadline passed; the following facts are the caretaker's."""

    seat: int


@dataclass(frozen=True, slots=True)
class BankLeft:
    """A player's reserve after the turn that ends, or at a substitute's start."""

    seat: int
    seconds: int


@dataclass(frozen=True, slots=True)
class ClockStopped:
    """Mail to the seat's player is returned: no time is counted for it."""

    seat: int
    since: datetime | None = None
    """When the returned letter left: time is given back from then on."""


@dataclass(frozen=True, slots=True)
class ClockResumed:
    seat: int


@dataclass(frozen=True, slots=True)
class TimeAdded:
    """Hours were added to a seat's turn."""

    seat: int
    hours: int
    by: int | None
    """The requesting seat; None: the operator."""


@dataclass(frozen=True, slots=True)
class TimeWithdrawn:
    """Added hours were withdrawn after another player's no."""

    seat: int
    hours: int
    by: int


@dataclass(frozen=True, slots=True)
class GamePaused:
    until: datetime | None = None
    """When it resumes by itself; None: the latest possible."""


@dataclass(frozen=True, slots=True)
class GameResumed:
    pass


# --- seats that nobody plays ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SeatResigned:
    """The player of a seat resigned; the caretaker plays on."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatCaretaken:
    """The caretaker plays each turn of a seat at once until its player returns."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatReturned:
    """A resigned or absent player returned."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatOffered:
    """A seat is offered to substitutes, who play on from here."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatPassedOver:
    """A vacant seat is skipped until it has a player again."""

    seat: int


# --- votes ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VoteCast:
    """A seat answers a vote, or opens it."""

    seat: int
    vote: VoteKind
    answer: VoteAnswer
    about: int | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class EarlierVote:
    """A vote of an earlier version: it has no effect and is written back unchanged."""

    stored: tuple[tuple[str, object], ...]


ServerFact = (
    GameOpened
    | GameImported
    | GameCancelled
    | SeatJoined
    | SeatVacated
    | SeatAccepted
    | SeatResigned
    | SeatCaretaken
    | SeatReturned
    | SeatOffered
    | SeatPassedOver
    | TurnTimedOut
    | BankLeft
    | ClockStopped
    | ClockResumed
    | TimeAdded
    | TimeWithdrawn
    | GamePaused
    | GameResumed
    | VoteCast
    | EarlierVote
)


MINUTES_OF_HOUR = 60
MINUTES_OF_TURN = "minutes", "bank_minutes", "refill_minutes"
EventJson = dict[str, object]
"""A fact as JSON, of the game or of the server."""
ActFact = Event | ServerFact | EventJson
"""What an act contains: a game fact, a server fact, or a fact of an imported log."""


class ServerFactType(StrEnum):
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
    ServerFactType.KEPT: SeatCaretaken,
    ServerFactType.RETURNED: SeatReturned,
    ServerFactType.OFFERED: SeatOffered,
    ServerFactType.PASSED_OVER: SeatPassedOver,
}
TYPES: Mapping[type, ServerFactType] = {made: name for name, made in FACTS.items()}
HINTS: Mapping[type, Mapping[str, object]] = {
    made: get_type_hints(made) for made in (*FACTS.values(), GameTerms)
}
KEYS: Mapping[str, str] = {"is_bot": "house"}


class InvalidServerFact(ValueError):
    pass


# --- reading ----------------------------------------------------------------------------------------------


def decode_fact(fact: EventJson, board: Board) -> Event | ServerFact:
    """Decode a fact of the log. Raises `InvalidEvent` and `InvalidServerFact`."""
    return decode_server_fact(fact) if fact["type"] in SERVER_FACT_TYPES else event_log.decode(fact, board)


def decode_server_fact(fact: Mapping[str, object]) -> ServerFact:
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
    """Decode the time for turns, stored in hours if they are whole."""
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


# --- writing ----------------------------------------------------------------------------------------------


def encode_fact(fact: ActFact, board: Board) -> Mapping[str, object]:
    """Encode a fact for the log; JSON stays as it is."""
    if isinstance(fact, dict):
        return fact
    return event_log.encode(fact, board) if isinstance(fact, Event) else encode_server_fact(fact)


def encode_server_fact(fact: ServerFact) -> EventJson:
    match fact:
        case EarlierVote(stored):
            return dict(stored)
        case GameOpened():
            return {"type": ServerFactType.OPENED, **_encode_opening(fact)}
        case _:
            return {"type": TYPES[type(fact)], **_encode_fields(fact)}


def _encode_fields(value: Any) -> EventJson:
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
