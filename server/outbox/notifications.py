"""What one seat is to be told, and whether it still is: decided alike when queued and when sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from emails.letters.kinds import LetterKind
from emails.letters.preferences_text import Pace
from server.outbox.letter_details import LetterContent, kind_of
from server.outbox.letter_traits import TRAITS
from server.outbox.preferences import Preferences
from server.store.models import IncomingMail
from server.store.states import GameStatus, Hindrance, LetterState


@dataclass(frozen=True, slots=True)
class Notification:
    """Something that one seat is to be told."""

    seat: int
    content: LetterContent
    mail: IncomingMail | None = None
    """The mail it answers."""
    mark: str = ""
    """What tells it from another of its kind about the same act."""
    recipient: str = ""
    """Where it goes, if not to the address on file."""
    later: timedelta = timedelta(0)
    """How long it waits at least."""
    answered: str = ""
    """The subject of the letter that the mail answers; empty where it is not known."""
    asked: bool | None = None
    """Whether its reader has asked for it; None: as it is with its kind."""

    pressing: bool = False
    """Whether it is told by a letter of its own though its reader wants messages in the next one."""

    @property
    def kind(self) -> LetterKind:
        """The kind of its letter."""
        return kind_of(self.content)

    @property
    def is_unasked(self) -> bool:
        """Whether somebody else than its reader has caused it."""
        return TRAITS[self.kind].unasked if self.asked is None else not self.asked


class DropReason(StrEnum):
    """Why a letter is not sent, as the operator reads it."""

    OUTDATED = "its occasion has passed"
    TOLD_ELSEWHERE = "it is told in another letter"
    NO_LETTERS = "its reader wants no letters"
    BOUNCES = "letters to its reader come back"
    RESIGNED = "its reader has resigned"
    BLOCKED = "nothing is sent to its reader"
    READER_FULL = "its reader has got as many letters that they did not ask for as anybody may"
    ORIGIN_FULL = "whoever caused it has caused as many such letters as anybody may"

    @property
    def state(self) -> LetterState:
        """What becomes of the letter."""
        return LetterState.WITHHELD if self is DropReason.NO_LETTERS else LetterState.DROPPED

    @property
    def hindrance(self) -> Hindrance:
        """What is kept of it beside its words."""
        barred = (DropReason.BLOCKED, DropReason.READER_FULL, DropReason.ORIGIN_FULL)
        return Hindrance.BARRED if self in barred else Hindrance.NONE


def outcome_of(reason: DropReason | None) -> dict[str, object]:
    """What a letter's row says where it is not sent for a reason; where there is none, that it waits."""
    if reason is None:
        return {"state": LetterState.WAITING, "why": "", "hindrance": Hindrance.NONE}
    return {"state": reason.state, "why": reason, "hindrance": reason.hindrance}


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides whether a letter is wanted, as it is at that moment.

    The defaults hold when the letter arises: nothing that it is about can have passed yet.
    """

    status: GameStatus
    mover: bool = False
    """Whether it is the reader's turn."""
    moved_on: bool = False
    """Whether the position has changed since the act that the letter is about."""
    void: bool = False
    """Whether what it is about is there no more: an invitation to be accepted, a code, a free seat."""
    bouncing: bool = False
    """Whether letters to its address come back."""
    resigned: bool = False
    """Whether its reader has given the game up."""
    kept: bool = False
    """Whether the caretaker keeps the reader's seat."""
    unheard: bool = True
    """Whether there are messages that no letter has told."""
    pressing: bool = False
    """Whether one of them does not wait for the next letter."""
    told_since: bool = False
    """Whether a letter of a later occasion has told it."""
    blocked: bool = False
    """Whether nothing, or nothing unasked, is sent to its address."""


OutdatedTest = Callable[[Preferences, Situation], bool]


def _is_turn_over(_: Preferences, now: Situation) -> bool:
    return now.status != GameStatus.RUNNING or now.moved_on or (now.mover and now.kept)


def _has_begun(_: Preferences, now: Situation) -> bool:
    return now.status != GameStatus.OPEN


def _is_no_news(preferences: Preferences, now: Situation) -> bool:
    wanted = preferences.moves and preferences.pace != Pace.DAILY  # the daily letter tells it
    return now.status != GameStatus.RUNNING or now.mover or not wanted


def _stands_in_next_letter(preferences: Preferences, now: Situation) -> bool:
    if now.status == GameStatus.OVER:  # there is no next letter
        return not now.unheard
    wanted = preferences.messages or now.pressing
    return not (now.unheard and wanted and now.status == GameStatus.RUNNING)


OUTDATED_WHEN: Mapping[LetterKind, OutdatedTest] = {
    LetterKind.INVITATION: _has_begun,
    LetterKind.ACCEPTED: _has_begun,
    LetterKind.DECLINED: _has_begun,
    LetterKind.PROPOSAL: lambda _, now: now.status != GameStatus.PROPOSED,
    LetterKind.WELCOME: lambda _, now: now.status == GameStatus.OVER,
    LetterKind.SUBSTITUTE: lambda _, now: now.status != GameStatus.RUNNING,
    LetterKind.STEP: _is_turn_over,
    LetterKind.YOUR_TURN: _is_turn_over,
    LetterKind.REMINDER: _is_turn_over,
    LetterKind.NEWS: _is_no_news,
    LetterKind.MESSAGE: _stands_in_next_letter,
    LetterKind.DIGEST: lambda preferences, now: (
        now.status != GameStatus.RUNNING or preferences.pace != Pace.DAILY
    ),
    LetterKind.ABSENCE: lambda _, now: now.status != GameStatus.RUNNING,
    LetterKind.SEAT_OFFERED: lambda _, now: now.status != GameStatus.RUNNING,
    LetterKind.VOTE: lambda _, now: now.status != GameStatus.RUNNING,
    LetterKind.STOPPED: lambda preferences, now: preferences.letters or now.status == GameStatus.PROPOSED,
}
"""When the occasion of a letter has passed; that of all other kinds never does by itself."""


def reason_to_drop(kind: LetterKind, preferences: Preferences, now: Situation) -> DropReason | None:
    """Why a letter is not to be sent, when it is queued as when it is sent; None where it is."""
    traits, outdated = TRAITS[kind], OUTDATED_WHEN.get(kind)
    if now.blocked:
        return DropReason.BLOCKED
    if not (preferences.letters or traits.despite_unsubscribe):
        return DropReason.NO_LETTERS
    if now.bouncing and not traits.despite_bounce:
        return DropReason.BOUNCES
    if now.resigned and now.status == GameStatus.RUNNING and not traits.despite_unsubscribe:
        return DropReason.RESIGNED
    if now.void or (outdated is not None and outdated(preferences, now)):
        return DropReason.OUTDATED
    return DropReason.TOLD_ELSEWHERE if now.told_since else None
