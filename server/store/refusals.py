"""Refusals: what the server does not do, with a code for programs and a sentence for whoever asked.

Each raises its own kind, so that callers can tell them apart; whoever only passes them on catches the base.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from emails.i18n import gettext
from emails.wording import phrases
from server.store.models import Game


class RefusalCode(StrEnum):
    """What was refused."""

    ADDRESS = "address"
    ADVICE = "advice"
    BUDGET = "budget"
    """More letters to others than somebody may cause within a day."""
    CHAT = "chat"
    GAME_TERMS = "game_terms"
    """A game that cannot be opened, accepted or taken in."""
    NOT_BEGUN = "not_begun"
    NOT_RUNNING = "not_running"
    NUDGE = "nudge"
    """A reminder that is not sent to somebody else."""
    ORDERS = "orders"
    PLAN = "plan"
    PREFERENCES = "preferences"
    REQUEST = "request"
    """A request of a program that cannot be answered."""
    RESIGNATION = "resignation"
    SEAT = "seat"
    """A seat that cannot be taken, given back or left to the house."""
    SIGN_IN = "sign_in"
    STALE = "stale"
    SUSPENDED = "suspended"
    UNSUBSCRIBE = "unsubscribe"
    VOTE = "vote"
    """Something that cannot be voted on, or not now."""


class Refusal(Exception):
    """Something that is not done; nothing has changed. Its text is in the language of whoever asked."""

    code: ClassVar[RefusalCode]

    @property
    def sentence(self) -> str:
        """Why, as a whole sentence."""
        why = phrases.capitalize_first(str(self))
        return why if why.endswith((".", "?", "!")) else f"{why}."


class StalePosition(Refusal):
    """Somebody else acted first: the position this act was made for is no longer the last."""

    code = RefusalCode.STALE

    def __init__(self) -> None:
        super().__init__(gettext("The game has moved on since you saw it. Nothing was done."))


class GameNotBegun(Refusal):
    """Something that needs a position, in a game in which no cards have been dealt."""

    code = RefusalCode.NOT_BEGUN

    def __init__(self) -> None:
        super().__init__(gettext("The game has not begun yet."))


class GameNotRunning(Refusal):
    """There is no such game, or it is not running."""

    code = RefusalCode.NOT_RUNNING

    def __init__(self) -> None:
        super().__init__(gettext("There is no such game, or it is not shown to you."))


class GameSuspended(Refusal):
    """A game that the operator has halted."""

    code = RefusalCode.SUSPENDED

    def __init__(self) -> None:
        super().__init__(gettext("The operator of this server has halted this game. Nothing was done."))


def check_not_suspended(game: Game) -> None:
    """Refuse what changes a game that is halted; raises `GameSuspended`."""
    if game.suspended_at is not None:
        raise GameSuspended
