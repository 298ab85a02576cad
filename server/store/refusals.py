"""Refusals: requests that are not performed, each with a code for programs and a sentence for the user.

Each kind is a subclass, so callers can distinguish them; those that pass them on catch the base class.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from emails.i18n import gettext
from emails.wording import phrases
from server.store.models import Game


class RefusalCode(StrEnum):
    ADDRESS = "address"
    ADVICE = "advice"
    BUDGET = "budget"
    """Daily limit of unsolicited letters."""
    CHAT = "chat"
    GAME_TERMS = "game_terms"
    """A game that cannot be created, accepted or imported."""
    NOT_BEGUN = "not_begun"
    NOT_RUNNING = "not_running"
    NUDGE = "nudge"
    """A nudge that is not sent."""
    ORDERS = "orders"
    PLAN = "plan"
    PREFERENCES = "preferences"
    REQUEST = "request"
    """A malformed API request."""
    RESIGNATION = "resignation"
    SEAT = "seat"
    """A seat that cannot be claimed, given back or left to a bot."""
    SIGN_IN = "sign_in"
    STALE = "stale"
    SUSPENDED = "suspended"
    UNSUBSCRIBE = "unsubscribe"
    VOTE = "vote"
    """A vote that is not possible, or not now."""


class Refusal(Exception):
    """A request that is not performed; nothing has changed. Its text is in the user's language."""

    code: ClassVar[RefusalCode]

    @property
    def sentence(self) -> str:
        """Return the reason as a whole sentence."""
        why = phrases.capitalize_first(str(self))
        return why if why.endswith((".", "?", "!")) else f"{why}."


class StalePosition(Refusal):
    """Another act came first: the act's position is no longer the last."""

    code = RefusalCode.STALE

    def __init__(self) -> None:
        super().__init__(gettext("The game has moved on since you saw it. Nothing was done."))


class GameNotBegun(Refusal):
    """A request that needs a position, in a game that has not begun."""

    code = RefusalCode.NOT_BEGUN

    def __init__(self) -> None:
        super().__init__(gettext("The game has not begun yet."))


class GameNotRunning(Refusal):
    """An unknown game, or one that is not running."""

    code = RefusalCode.NOT_RUNNING

    def __init__(self) -> None:
        super().__init__(gettext("There is no such game, or it is not shown to you."))


class GameSuspended(Refusal):
    """A game suspended by the operator."""

    code = RefusalCode.SUSPENDED

    def __init__(self) -> None:
        super().__init__(gettext("The operator of this server has halted this game. Nothing was done."))


def check_not_suspended(game: Game) -> None:
    """Refuse a change of a suspended game. Raises `GameSuspended`."""
    if game.suspended_at is not None:
        raise GameSuspended
