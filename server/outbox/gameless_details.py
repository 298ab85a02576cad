"""The details of letters that are about no game: addresses, sign-ins, what was done for a player."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from pydantic import TypeAdapter

from emails.letters.contexts import AccountEvent
from emails.letters.kinds import LetterKind, SeatLoss


@dataclass(frozen=True, slots=True)
class ConfirmDetail:
    """The code that confirms an address: the mark it is made from, the digest it is kept under."""

    kind: ClassVar = LetterKind.CONFIRM
    digest: str
    mark: str


@dataclass(frozen=True, slots=True)
class MoveAskedDetail:
    """The code with which an address agrees that its player moves to another: its mark and its digest."""

    kind: ClassVar = LetterKind.MOVE_ASKED
    digest: str
    mark: str
    browser: str = ""
    """In which it was asked for, as server/accounts/user_agents.py summarizes it."""


@dataclass(frozen=True, slots=True)
class MovedDetail:
    """The new address, and digest and mark of the code that takes the move back; empty where none does."""

    kind: ClassVar = LetterKind.MOVED
    address: str
    digest: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class SignInDetail:
    """The code of a link to sign in: the mark it is made from, the digest it is kept under."""

    kind: ClassVar = LetterKind.SIGNIN
    digest: str
    mark: str


@dataclass(frozen=True, slots=True)
class SeatClaimDetail:
    """The code of a link that signs in whoever takes an offered seat by it, or by an answer."""

    kind: ClassVar = LetterKind.SEAT_CLAIM
    digest: str
    """Of the code, as in `SignInDetail`."""
    mark: str
    taker: int
    """The player who would take the seat."""


@dataclass(frozen=True, slots=True)
class NoticeDetail:
    """What was done in a player's name, when, in which browser, and with what."""

    kind: ClassVar = LetterKind.NOTICE
    event: AccountEvent
    at: datetime
    browser: str = ""
    """As in `MoveAskedDetail`."""
    about: str = ""


@dataclass(frozen=True, slots=True)
class ReplacedDetail:
    """Whoever had a seat: what they were called there, the name of the game, their language, their loss."""

    kind: ClassVar = LetterKind.REPLACED
    name: str
    game: str
    language: str
    loss: SeatLoss


@dataclass(frozen=True, slots=True)
class SeatRefusedDetail:
    """What the asker of a seat is called, their language, and why they have not got it; empty: taken."""

    kind: ClassVar = LetterKind.SEAT_REFUSED
    name: str
    language: str
    why: str


GamelessDetail = (
    ConfirmDetail
    | MoveAskedDetail
    | MovedDetail
    | SignInDetail
    | SeatClaimDetail
    | NoticeDetail
    | ReplacedDetail
    | SeatRefusedDetail
)
"""What letters say that are about no game."""


@dataclass(frozen=True, slots=True)
class _OlderDetail:
    """What a letter about a seat said while it was one to sign in, or one of a seat that was lost."""

    digest: str = ""
    mark: str = ""
    taker: int = 0
    """Of a letter to sign in: whoever would take the seat of its game."""
    name: str = ""
    game: str = ""
    language: str = ""
    why: str = ""
    """Of the other: why its reader, who had no seat, has not got one."""
    late: bool = False
    resigned: bool = False
    loss: SeatLoss | None = None
    """Only as it is stored now."""


_OLDER = TypeAdapter(_OlderDetail)


def upgrade_detail(kind: LetterKind, detail: str) -> GamelessDetail | None:
    """What a letter says that an older program has queued in another form; None where it has none of these.

    Raises `ValueError` where its JSON is none of ours.
    """
    if kind not in (LetterKind.SIGNIN, LetterKind.REPLACED):
        return None
    told = _OLDER.validate_json(detail)
    if told.taker:
        return SeatClaimDetail(told.digest, told.mark, told.taker)
    if told.why:
        return SeatRefusedDetail(told.name, told.language, told.why)
    if told.loss is not None or not told.name:
        return None
    loss = SeatLoss.RESIGNED if told.resigned else SeatLoss.ABSENT
    return ReplacedDetail(told.name, told.game, told.language, SeatLoss.LATE if told.late else loss)
