"""The details of letters that are about no game: addresses, sign-ins, what was done for a player."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from emails.letters.contexts import AccountEvent
from emails.letters.kinds import LetterKind


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
    taker: int = 0
    """The player who takes an offered seat of the game of the letter by an answer; 0: nobody does."""


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
    """What whoever had a seat was called there, the name of the game, and their language.

    Or whoever asked for one by mail, and `why` they have not got it.
    """

    kind: ClassVar = LetterKind.REPLACED
    name: str
    game: str
    language: str
    why: str = ""
    late: bool = False
    """Whether it answers a mail that they wrote when another had the seat already."""
    resigned: bool = False
    """Whether they had given it up, and could have come back until then."""


GamelessDetail = ConfirmDetail | MoveAskedDetail | MovedDetail | SignInDetail | NoticeDetail | ReplacedDetail
"""What letters say that are about no game."""
