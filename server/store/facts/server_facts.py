"""Facts of the server in the log of a game, and their JSON."""

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
    """What an organiser says of a game beyond its rules and its seats."""

    joined_by: JoinedBy = JoinedBy.NOBODY
    watched: bool = False
    """Whether anybody may watch."""
    rematch_of: str | None = None
    """The game that the same players have played before, if there is one."""
    caretaker: Caretaker = Caretaker.QUIET
    advice: bool = False
    """Whether players may ask for good turns."""
    absence: AbsenceRule = AbsenceRule.ALWAYS
    vacation_days: int | None = None
    """Days of vacation in a year for which a player's clock stands; None: any number."""


# --- before the game begins -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GameOpened:
    """Somebody has opened the game."""

    name: str
    board: str
    edition: str
    time: TurnTime
    seats: tuple[str, ...]
    """The names; empty for whoever joins."""
    terms: GameTerms


@dataclass(frozen=True, slots=True)
class GameImported:
    """The facts that follow were played elsewhere."""


@dataclass(frozen=True, slots=True)
class SeatJoined:
    """Somebody has taken a seat that nobody had."""

    seat: int
    name: str
    is_bot: bool = False
    """Whether the server plays it."""
    epoch: int | None = None
    """In a game that has begun: that of the first links of whoever plays on."""


@dataclass(frozen=True, slots=True)
class SeatVacated:
    """Nobody has a seat any more: its player will not play, or has not answered."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatAccepted:
    """The player of a seat will play."""

    seat: int


@dataclass(frozen=True, slots=True)
class GameCancelled:
    """The game will never begin."""


# --- time and absence -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TurnTimedOut:
    """The facts that follow were the caretaker's."""

    seat: int


@dataclass(frozen=True, slots=True)
class BankLeft:
    """What a player has of the game's bank of time after the turn that ends, or as they take a seat over."""

    seat: int
    seconds: int


@dataclass(frozen=True, slots=True)
class ClockStopped:
    """Mail to the player of a seat comes back: no time runs on its turns."""

    seat: int
    since: datetime | None = None
    """When the letter left that came back: what ran of its turn from then on is not counted either."""


@dataclass(frozen=True, slots=True)
class ClockResumed:
    """Time runs again on the turns of a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class TimeAdded:
    """A seat has so many more hours for this turn."""

    seat: int
    hours: int
    by: int | None
    """The seat whose word did it; None: the operator has given it."""


@dataclass(frozen=True, slots=True)
class TimeWithdrawn:
    """A seat loses again hours that were added to this turn, for another player objects."""

    seat: int
    hours: int
    by: int


@dataclass(frozen=True, slots=True)
class GamePaused:
    """No time runs on any turn."""

    until: datetime | None = None
    """When it goes on by itself; None: as late as one may."""


@dataclass(frozen=True, slots=True)
class GameResumed:
    """Time runs again."""


# --- seats that nobody plays ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SeatResigned:
    """The player of a seat has given the game up; a caretaker plays on for it."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatKept:
    """The caretaker plays each turn of a seat at once until its player is back."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatReturned:
    """The player is back for whom the caretaker has played, or who had given the game up."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatOffered:
    """A substitute is looked for, and whoever takes the seat plays on from here."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatPassedOver:
    """Those who play go on without a seat: its turns are skipped until somebody plays there again."""

    seat: int


# --- votes ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VoteCast:
    """A seat answers a vote, or asks for what is voted on."""

    seat: int
    vote: VoteKind
    answer: VoteAnswer
    about: int | None = None
    """The empty seat that it is about."""
    until: datetime | None = None
    """When the pause would end that it asks for."""


@dataclass(frozen=True, slots=True)
class EarlierVote:
    """A vote of a log from before: it changes nothing, and is written as it stands there."""

    stored: tuple[tuple[str, object], ...]


ServerFact = (
    GameOpened
    | GameImported
    | GameCancelled
    | SeatJoined
    | SeatVacated
    | SeatAccepted
    | SeatResigned
    | SeatKept
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
"""One of the server's own facts."""


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
    return decode_server_fact(fact) if fact["type"] in SERVER_FACT_TYPES else event_log.decode(fact, board)


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
    return event_log.encode(fact, board) if isinstance(fact, Event) else encode_server_fact(fact)


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
