"""The kinds of letters, and the reasons and events that some of them name."""

from __future__ import annotations

from enum import StrEnum


class LetterKind(StrEnum):
    """What a letter is about. The value names its template and its rows in the outbox."""

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
    """Why a seat of a game that has not begun is free again; stored with the letter."""

    DECLINED = "declined"
    LEFT = "left"
    """The player had accepted, and gave the seat back."""
    SILENT = "silent"
    """The player requested the seat, and did not confirm in time."""


class SeatLoss(StrEnum):
    """How a player lost a seat that another has taken; stored with the letter."""

    ABSENT = "absent"
    RESIGNED = "resigned"
    GIVEN = "given"
    """The operator gave it away, though they were there."""
    LATE = "late"
    """They wrote when the seat was taken already; this answers them."""


class AccountEvent(StrEnum):
    """A change to an account of which its player is notified; stored with the letter."""

    SIGNED_IN = "signed in"
    KEY_MADE = "key made"
    ADDRESS_ASKED = "address asked"
