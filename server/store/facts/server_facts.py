"""The server's own facts in the log of a game: they change no position, and an exported log has none of them.

fact_codec.py says how each is spelled there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from emails.terms import AbsenceRule, Caretaker, JoinedBy, TurnTime
from emails.wording.requests import VoteAnswer, VoteKind


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
