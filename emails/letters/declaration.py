"""What a kind of letter declares: its payload, its policy, when it is obsolete, and how it is composed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, TypeVar, dataclass_transform

from emails.i18n import gettext, gettext_noop
from emails.letters.parts import (
    GameLetterContext,
    InvitationContext,
    Layout,
    LetterSection,
    titled_subject,
    turn_subject,
)
from emails.letters.renderer import Letter
from emails.names import SeatNames
from emails.terms import AbsenceRule
from emails.tokens import LinkBuilder
from emails.wording.requests import Request, VoteKind
from engine.position import VisibleEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules for letters of one kind; by default sent at once, but not to unsubscribed recipients."""

    rank: int = 0
    """Of the ranked letters that wait for a seat, only the highest is sent; 0: never replaced by another."""
    waits: bool = False
    """True if the letter waits for the recipient's daily hour."""
    despite_unsubscribe: bool = False
    """True if sent to unsubscribed recipients too, as a requested or necessary letter."""
    despite_bounce: bool = False
    """True if sent even to an address from which letters bounce, to notice when the address works again."""
    despite_suspension: bool = False
    """True if sent although the operator has suspended the game."""
    answers_mail: bool = False
    """True if the letter answers a mail to a game, and shows the game."""
    asks_back: bool = False
    """True if the letter answers a mail to a game only with a question, without the position of the game."""
    gameless: bool = False
    to_unused_address: bool = False
    """True if sent to an address that no player uses yet or any more; the letter has no link to a game."""
    to_former_player: bool = False
    """True if sent although the seat has another player by now, or none."""
    recorded: bool = False
    """True if the outbox has a row for the letter even if the recipient's preferences forbid sending it."""
    unsolicited: bool = False
    """True if other people can cause the letter; server/outbox/budgets.py limits such letters."""


@dataclass(kw_only=True)
class Situation:
    """Facts that decide whether a letter is obsolete.

    The defaults are the facts assumed while a letter is queued. A subclass loads the facts before sending.
    """

    is_proposed: bool
    is_open: bool
    is_running: bool
    is_over: bool
    wants_letters: bool
    wants_news: bool
    """True if the recipient wants a letter after each turn of another player; False with a daily letter."""
    wants_daily: bool
    wants_messages: bool
    """True if a letter may be sent for unread messages alone; False: the next letter on the game has them."""
    has_unread: bool = True
    """True if there are messages that no letter has contained."""
    is_mover: bool = False
    is_turn_over: bool = False
    """True if the recipient can no longer play the turn: the position has changed, or a caretaker plays."""
    is_absent: bool = True
    """True if a caretaker plays for the recipient."""
    is_blocked: bool = False
    is_bouncing: bool = False
    has_resigned: bool = False
    has_seat_changed: bool = False
    is_shown_since: bool = False
    """True if a later letter, already sent, shows the content of this letter."""

    def has_accepted(self) -> bool:
        return False

    def has_left(self) -> bool:
        """Return whether the recipient has not accepted the seat, or has given the seat back."""
        return False

    def is_proposal_current(self) -> bool:
        return True

    def is_nudge_stale(self) -> bool:
        return False

    def is_vacant(self, seat: int) -> bool:
        return True

    def is_offered(self, seat: int) -> bool:
        return True

    def is_vote_open(self, vote: VoteKind, done: bool) -> bool:
        return True

    def is_code_valid(self, digest: str) -> bool:
        return True

    def is_sign_in_valid(self, digest: str) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class AddressCode:
    """A new mail address that a player has not yet confirmed by the code from a letter."""

    name: str
    """Name of the player."""
    address: str
    due_at: datetime | None
    """Time at which the new address takes effect unless the player objects; None: the player must confirm."""
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Sources(ABC):
    """The data that letters are composed from."""

    game_id: str
    title: str
    """Name of the game."""
    seat: int
    seat_name: str
    letter: int
    """Number of the letter in the outbox."""
    answered: str
    one_conversation: bool
    links: LinkBuilder
    now: datetime
    is_open: bool
    is_cancelled: bool

    @abstractmethod
    def game(self) -> GameLetterContext | None:
        """Return the context of the game; None before it has begun."""

    @abstractmethod
    def invitation(self) -> InvitationContext: ...

    @abstractmethod
    def proposal(self) -> str:
        """Return the organiser's stored `GameRequest`, as JSON."""

    @abstractmethod
    def awaited(self) -> tuple[str, ...]:
        """Return the names of the players who have not accepted their seats yet."""

    @abstractmethod
    def is_joined_by_link(self) -> bool: ...

    @abstractmethod
    def when_late(self) -> AbsenceRule: ...

    @abstractmethod
    def events(self) -> Sequence[VisibleEvent]:
        """Return all events of the game, as a spectator sees them."""

    @abstractmethod
    def review(self, names: Sequence[SeatNames]) -> Sequence[str]:
        """Return what a review of the finished game found, as sentences; empty if there is no review."""

    @abstractmethod
    def sections(self, context: GameLetterContext, requests: Sequence[Request]) -> tuple[LetterSection, ...]:
        """Return the requested parts of the game as sections."""

    @abstractmethod
    def address_code(self, digest: str) -> AddressCode: ...

    @abstractmethod
    def player_name(self, sign_in: str = "") -> str:
        """Return the name of the seat's player or, given a sign-in link's digest, of the link's owner."""

    @abstractmethod
    def describe_browser(self, agent: str) -> str: ...


class ObsoleteLetter(Exception):
    """Raised if a letter needs the position of a game that has not begun."""


STRANGER_MARK = "[Alexandros] "
"""Beginning of each subject for a recipient with an unconfirmed address."""
ANY_SUBJECT = gettext_noop("[Alexandros] A game by mail")


@dataclass(frozen=True, slots=True)
class Payload(ABC):
    """The data stored for an unsent letter; each kind of letter is a subclass."""

    kind: ClassVar[str]
    """Name of the kind, stored in the outbox; the letter's template has the same name."""
    message_mark: ClassVar[str] = ""  # kind in Message-IDs, even if `kind` is renamed; empty: `kind`
    policy: ClassVar[Policy] = Policy()
    layout: ClassVar[Layout] = Layout()
    stranger_subject: ClassVar[str] = ANY_SUBJECT
    """Subject for a recipient with an unconfirmed address; contains no text from a player."""
    occasion: ClassVar[str] = ""
    """Occasion named in the subject of a letter about a game; empty: the subject says whose turn it is."""

    @classmethod
    def subject(cls, context: GameLetterContext) -> str:
        return titled_subject(context, gettext(cls.occasion)) if cls.occasion else turn_subject(context)

    def is_obsolete(self, now: Situation) -> bool:
        """Return whether the occasion of the letter has passed."""
        return False

    def waits(self, seat: int) -> bool:
        """Return whether the letter waits for the time at which the player in `seat` wants letters."""
        return self.policy.waits

    @abstractmethod
    def compose(self, sources: Sources) -> Letter:
        """Compose the letter. Raises `ObsoleteLetter`."""


KINDS: dict[str, type[Payload]] = {}
"""Payload class of each kind of letter; complete once server/outbox/notifications.py is imported."""
Declared = TypeVar("Declared", bound=Payload)


@dataclass_transform(frozen_default=True)
def letter(declared: type[Declared]) -> type[Declared]:
    """Turn a class into a frozen dataclass, and register it as the payload of its `kind`."""
    made = dataclass(frozen=True, slots=True)(declared)
    KINDS[made.kind] = made
    return made


def require_game(sources: Sources) -> GameLetterContext:
    """Return the context of a game that has begun. Raises `ObsoleteLetter`."""
    game = sources.game()
    if game is None:
        raise ObsoleteLetter
    return game


# --- reasons and events that some kinds of letters state ------------------------------------------------


class VacancyReason(StrEnum):
    """The reason why a seat of a game that has not begun is vacant again; stored with the letter."""

    DECLINED = "declined"
    LEFT = "left"
    """The player accepted, then gave the seat back."""
    SILENT = "silent"
    """The player requested the seat, but did not confirm in time."""


class SeatLoss(StrEnum):
    """The reason why a player lost a seat that another has taken; stored with the letter."""

    ABSENT = "absent"
    RESIGNED = "resigned"
    GIVEN = "given"
    """The operator gave the seat away although the player was present."""
    LATE = "late"
    """The player wrote after the seat was taken; the letter answers that mail."""


class AccountEvent(StrEnum):
    """A change to an account that is reported to the player by mail; stored with the letter."""

    SIGNED_IN = "signed in"
    KEY_MADE = "key made"
    ADDRESS_ASKED = "address asked"
