"""The kinds of letters, and the reasons and events that some kinds state."""

from __future__ import annotations

from enum import StrEnum


class LetterKind(StrEnum):
    """The kind of a letter; the value names its template and is stored in the outbox."""

    INVITATION = "invitation"
    ACCEPTED = "accepted"
    CALLED_OFF = "called_off"
    DECLINED = "declined"
    PROPOSAL = "proposal"
    WELCOME = "welcome"
    YOUR_TURN = "your_turn"
    STEP = "step"
    REMINDER = "reminder"
    ANSWER = "answer"
    REFUSED = "refused"
    SHOWN = "shown"
    ASKED_BACK = "asked_back"
    NEWS = "news"
    MESSAGE = "message"
    DIGEST = "digest"
    TIME_PASSED = "time_passed"
    PLAN_PLAYED = "plan_played"
    GAME_OVER = "game_over"
    VOTE = "motion"
    ABSENCE = "absence"
    SEAT_OFFERED = "seat_offered"
    SUBSTITUTE = "substitute"
    REPLACED = "replaced"
    SEAT_REFUSED = "seat_refused"
    STOPPED = "stopped"
    CONFIRM = "confirm"
    MOVE_ASKED = "move_asked"
    MOVED = "moved"
    SIGNIN = "signin"
    SEAT_CLAIM = "seat_claim"
    NOTICE = "notice"

    @property
    def mark(self) -> str:
        """Return the name of the kind in Message-IDs, which never changes."""
        match self:
            case LetterKind.YOUR_TURN:
                return "turn"
            case LetterKind.GAME_OVER:
                return "over"
            case _:
                return self.value


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
