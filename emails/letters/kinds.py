"""Reasons and events that some kinds of letters state."""

from __future__ import annotations

from enum import StrEnum


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
