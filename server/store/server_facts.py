"""The server's own facts in a game's log, their JSON, and the votes and agreements folded from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Annotated, Any

from pydantic import BeforeValidator, StrictInt, TypeAdapter, ValidationError

from emails.terms import AbsenceRule, Caretaker, JoinedBy, TurnTime
from emails.wording.requests import VoteAnswer, VoteKind
from engine import event_log
from engine.board import Board
from engine.events import Event


def _read_moment(value: object) -> datetime | None:
    if isinstance(value, datetime) or value is None:
        return value
    if not isinstance(value, str):
        raise ValueError("a moment is a text")
    return datetime.fromisoformat(value)


Moment = Annotated[datetime | None, BeforeValidator(_read_moment)]


@dataclass(frozen=True, slots=True)
class GameTerms:
    joined_by: JoinedBy = JoinedBy.NOBODY
    watched: bool = False
    rematch_of: str | None = None
    caretaker: Caretaker = Caretaker.QUIET
    advice: bool = False
    absence: AbsenceRule = AbsenceRule.ALWAYS
    vacation_days: StrictInt | None = None


# --- before the game begins -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GameOpened:
    name: str
    board: str
    edition: str
    time: TurnTime
    seats: tuple[str, ...]
    terms: GameTerms


@dataclass(frozen=True, slots=True)
class GameImported:
    """The facts that follow come from an imported log."""


@dataclass(frozen=True, slots=True)
class SeatJoined:
    """A free seat was taken."""

    seat: StrictInt
    name: str
    is_bot: bool = False
    epoch: StrictInt | None = None
    """`Seating.generation` of the new player's links; None if the game has not begun."""


@dataclass(frozen=True, slots=True)
class SeatVacated:
    seat: StrictInt


@dataclass(frozen=True, slots=True)
class SeatAccepted:
    seat: StrictInt


@dataclass(frozen=True, slots=True)
class GameCancelled:
    """The game was cancelled before it began."""


# --- time and absence -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TurnTimedOut:
    """The deadline passed; the facts that follow are the caretaker's."""

    seat: StrictInt


@dataclass(frozen=True, slots=True)
class BankLeft:
    """The rest of a player's time reserve, stored when a turn ends or a substitute takes the seat."""

    seat: StrictInt
    seconds: StrictInt


@dataclass(frozen=True, slots=True)
class ClockStopped:
    """A seat's clock was stopped, because mail to its player is returned."""

    seat: StrictInt
    since: Moment = None
    """Time at which the letter that came back was sent; from then on, the player's time does not count."""


@dataclass(frozen=True, slots=True)
class ClockResumed:
    seat: StrictInt


@dataclass(frozen=True, slots=True)
class TimeAdded:
    """Hours were added to a seat's turn, by the player of seat `by` or (None) by the operator."""

    seat: StrictInt
    hours: StrictInt
    by: StrictInt | None


@dataclass(frozen=True, slots=True)
class TimeWithdrawn:
    """Added hours were withdrawn after the player of seat `by` disagreed."""

    seat: StrictInt
    hours: StrictInt
    by: StrictInt


@dataclass(frozen=True, slots=True)
class GamePaused:
    until: Moment = None


@dataclass(frozen=True, slots=True)
class GameResumed:
    pass


# --- vacant seats -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SeatResigned:
    """The player of a seat resigned; the caretaker plays the seat."""

    seat: StrictInt


@dataclass(frozen=True, slots=True)
class SeatCaretaken:
    """The caretaker plays each turn of a seat at once, until its player returns."""

    seat: StrictInt


@dataclass(frozen=True, slots=True)
class SeatReturned:
    """A resigned or absent player returned."""

    seat: StrictInt


@dataclass(frozen=True, slots=True)
class SeatOffered:
    """A seat was offered to substitutes, who would continue from the current position."""

    seat: StrictInt


@dataclass(frozen=True, slots=True)
class SeatPassedOver:
    """A vacant seat is skipped until it has a player again."""

    seat: StrictInt


# --- votes ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VoteCast:
    """A seat opened a vote or answered it."""

    seat: StrictInt
    vote: VoteKind
    answer: VoteAnswer
    about: StrictInt | None = None
    until: Moment = None


@dataclass(frozen=True, slots=True)
class EarlierVote:
    """A vote of an earlier version, without effect and written back unchanged."""

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
ActFact = Event | ServerFact | EventJson
"""A fact in an act: of the game, of the server, or of an imported log."""


GAME_OPENED = "game_opened"
EARLIER_VOTES = ("motion_agreed", "motion_declined")
FACTS: Mapping[str, type] = {
    GAME_OPENED: GameOpened,
    "seat_joined": SeatJoined,
    "seat_left": SeatVacated,
    "seat_accepted": SeatAccepted,
    "game_cancelled": GameCancelled,
    "game_imported": GameImported,
    "turn_timed_out": TurnTimedOut,
    "clock_stopped": ClockStopped,
    "clock_resumed": ClockResumed,
    "seat_resigned": SeatResigned,
    "bank_left": BankLeft,
    "vote_cast": VoteCast,
    "time_added": TimeAdded,
    "time_withdrawn": TimeWithdrawn,
    "game_paused": GamePaused,
    "game_resumed": GameResumed,
    "seat_kept": SeatCaretaken,
    "seat_returned": SeatReturned,
    "seat_offered": SeatOffered,
    "seat_passed_over": SeatPassedOver,
}
SERVER_FACT_TYPES = frozenset({*EARLIER_VOTES, *FACTS})
NAMES: Mapping[type, str] = {made: name for name, made in FACTS.items()}
KEYS: Mapping[str, str] = {"is_bot": "house"}


class InvalidServerFact(ValueError):
    pass


# --- reading ----------------------------------------------------------------------------------------------


def decode_server_fact(fact: Mapping[str, object]) -> ServerFact:
    try:
        name, values = str(fact["type"]), {**fact, "is_bot": fact.get("house", False)}
        if name in EARLIER_VOTES:
            return EarlierVote(tuple(fact.items()))
        if name == GAME_OPENED:
            values |= {"time": _decode_turn_time(fact), "terms": fact}
        return _adapter_of(FACTS[name]).validate_python(values)
    except ValidationError as error:
        wrong = error.errors()[0]
        place = KEYS.get(str(wrong["loc"][-1]), wrong["loc"][-1])
        raise InvalidServerFact(f"{name}: {place}: {wrong['input']!r:.40}: {wrong['msg']}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidServerFact(f"{fact.get('type')}: {error}") from None


@cache
def _adapter_of(made: type) -> TypeAdapter[ServerFact]:
    return TypeAdapter(made)


def _decode_turn_time(fact: Mapping[str, object]) -> TurnTime:
    if "minutes" in fact:
        return TurnTime(*(_read_int(fact, key) for key in MINUTES_OF_TURN))
    bank, refill = (_read_int({key: 0, **fact}, key) for key in ("bank", "refill"))
    return TurnTime.of_hours(_read_int(fact, "hours"), bank, refill)


def _read_int(fact: Mapping[str, object], key: str) -> int:
    value = fact[key]
    if type(value) is not int:
        raise ValueError(f"{key}: {value!r:.40} is not a whole number")
    return value


# --- writing ----------------------------------------------------------------------------------------------


def encode_fact(fact: ActFact, board: Board) -> Mapping[str, object]:
    """Encode a fact for the log; facts in JSON are returned unchanged."""
    if isinstance(fact, dict):
        return fact
    if isinstance(fact, Event):
        return event_log.encode(fact, board)
    match fact:
        case EarlierVote(stored):
            return dict(stored)
        case GameOpened():
            return {"type": GAME_OPENED, **_encode_opening(fact)}
        case _:
            return {"type": NAMES[type(fact)], **_encode_fields(fact)}


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


# --- votes and agreements ---------------------------------------------------------------------------------

LONGEST_PAUSE = timedelta(days=30)
VOTE_OPEN_FOR = timedelta(days=3)


@dataclass(frozen=True, slots=True)
class ClockPause:
    """The last pause of a seat's clock or of the game."""

    began: datetime
    ended: datetime | None = None
    undelivered_since: datetime | None = None
    """Time at which the letter that came back was sent; from then on, the player's time does not count."""

    @property
    def uncounted_from(self) -> datetime:
        return self.undelivered_since or self.began


VoteKey = tuple[VoteKind, int | None]
"""Only one vote of each key is open at a time. The seat is None unless the vote is about a vacant seat."""


@dataclass(frozen=True, slots=True)
class Vote:
    """A vote and its answers so far; the vote may have expired."""

    kind: VoteKind
    seat: int
    """The seat that opened the vote; in a vote about a vacant seat, the vacant seat."""
    at: datetime
    turn: int
    answers: Mapping[int, VoteAnswer] = field(default_factory=dict)
    until: datetime | None = None
    done: bool = False
    """Whether the extra time was given when the vote was opened; an answer "no" takes it away again."""

    @property
    def key(self) -> VoteKey:
        return self.kind, self.seat if self.kind is VoteKind.EMPTY_SEAT else None

    def has_lapsed(self, turn: int, now: datetime) -> bool:
        """Return whether the vote has expired.

        A vote for more time expires when its turn ends, any other vote after `VOTE_OPEN_FOR`.
        """
        if self.kind is VoteKind.MORE_TIME:
            return self.turn != turn
        return now >= self.at + VOTE_OPEN_FOR

    def seats_with(self, answer: VoteAnswer) -> frozenset[int]:
        return frozenset(seat for seat, one in self.answers.items() if one is answer)


@dataclass(frozen=True, slots=True)
class Extension:
    seq: int
    turn: int
    times: int
    hours: int  # negative if the extension was withdrawn


@dataclass(frozen=True, slots=True)
class GameAgreements:
    votes: Mapping[VoteKey, Vote] = field(default_factory=dict)
    """Votes by key; some may have expired (server/lobby/votes.py)."""
    pause: ClockPause | None = None
    pause_until: datetime | None = None
    pause_agreed: frozenset[int] = frozenset()
    extension: Extension | None = None

    @property
    def is_paused(self) -> bool:
        return self.pause is not None and self.pause.ended is None

    @property
    def pause_ends(self) -> datetime | None:
        """Return when the pause ends by itself; None if the game is not paused."""
        if self.pause is None or self.pause.ended is not None:
            return None
        latest = self.pause.began + LONGEST_PAUSE
        return latest if self.pause_until is None else min(latest, self.pause_until)

    def after_fact(self, fact: ServerFact, seq: int, turn: int, at: datetime) -> GameAgreements:
        match fact:
            case VoteCast():
                return self._after_answer(fact, turn, at)
            case SeatJoined(seat):  # the substitute has not answered any vote
                left = self._without_vote((VoteKind.EMPTY_SEAT, seat))
                votes = {
                    key: replace(one, answers={by: said for by, said in one.answers.items() if by != seat})
                    for key, one in left.votes.items()
                }
                return replace(self, votes=votes, pause_agreed=self.pause_agreed - {seat})
            case TimeAdded():
                return self._after_added_time(fact, seq, turn, at)
            case TimeWithdrawn():
                settled = self._without_vote((VoteKind.MORE_TIME, None))
                times = 0 if self.extension is None else self.extension.times
                return replace(settled, extension=Extension(seq, turn, times, -fact.hours))
            case GamePaused(until):
                vote = self.votes.get((VoteKind.PAUSE, None))
                agreed = frozenset[int]() if vote is None else vote.seats_with(VoteAnswer.YES)
                settled = self._without_vote((VoteKind.PAUSE, None))
                return replace(settled, pause=ClockPause(at), pause_until=until, pause_agreed=agreed)
            case GameResumed():
                pause = None if self.pause is None else ClockPause(self.pause.began, at)
                return replace(self, pause=pause)
            case SeatOffered(seat):
                vote = Vote(VoteKind.EMPTY_SEAT, seat, at, turn)
                return replace(self, votes={**self.votes, vote.key: vote})
            case SeatPassedOver(seat) | SeatReturned(seat):
                return self._without_vote((VoteKind.EMPTY_SEAT, seat))
        return self

    def _after_added_time(self, fact: TimeAdded, seq: int, turn: int, at: datetime) -> GameAgreements:
        before = self.extension
        earlier = before.times if before is not None and before.turn == turn else 0
        if fact.by is None:
            return replace(self, extension=Extension(seq, turn, earlier, fact.hours))
        settled = self._without_vote((VoteKind.MORE_TIME, None))
        if not earlier:
            answers = dict.fromkeys((fact.by, fact.seat), VoteAnswer.YES)
            vote = Vote(VoteKind.MORE_TIME, fact.by, at, turn, answers, done=True)
            settled = replace(settled, votes={**settled.votes, vote.key: vote})
        return replace(settled, extension=Extension(seq, turn, earlier + 1, fact.hours))

    def _after_answer(self, fact: VoteCast, turn: int, at: datetime) -> GameAgreements:
        key = (fact.vote, fact.about)
        vote = self.votes.get(key)
        asks_anew = vote is None or vote.has_lapsed(turn, at) or fact.seat in vote.answers
        if fact.answer is VoteAnswer.YES and asks_anew:
            vote = Vote(fact.vote, fact.seat, at, turn, until=fact.until)
        if vote is None:
            return self
        if vote.kind is VoteKind.EMPTY_SEAT and vote.has_lapsed(turn, at):
            vote = replace(vote, at=at, turn=turn, answers={})
        if vote.kind is VoteKind.PAUSE and fact.answer is VoteAnswer.NO:
            return self._without_vote(key)
        vote = replace(vote, answers={**vote.answers, fact.seat: fact.answer})
        return replace(self, votes={**self.votes, key: vote})

    def _without_vote(self, gone: VoteKey) -> GameAgreements:
        return replace(self, votes={key: one for key, one in self.votes.items() if key != gone})


NO_AGREEMENTS = GameAgreements()
