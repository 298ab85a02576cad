"""The details of letters that are about no game: addresses, sign-ins, what was done for a player."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

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
