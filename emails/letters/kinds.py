"""The kinds of letters: one name for a letter in the code, in the outbox and in its template.

Beside them stands why a seat is free again, and how somebody has lost theirs, which two of them tell.
"""

from __future__ import annotations

from enum import StrEnum


class LetterKind(StrEnum):
    """What a letter is about: `render_<value>` makes it, and templates/<value>.words holds its words."""

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
        """What names the kind in a Message-ID, which must stay as it is: the same occasion is one letter."""
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
    """Whoever was invited does not want to play."""
    LEFT = "left"
    """Whoever had accepted has given it back."""
    SILENT = "silent"
    """Whoever asked for it has not answered in time."""


class SeatLoss(StrEnum):
    """How somebody has lost a seat that another has taken; stored with the letter."""

    ABSENT = "absent"
    """They were not there."""
    RESIGNED = "resigned"
    """They had given it up, and could have come back until then."""
    GIVEN = "given"
    """The operator has given it to another, though they had not vanished."""
    LATE = "late"
    """They wrote when another had it already, and are answered."""
