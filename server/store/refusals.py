"""Refusals: requests that are not performed, each with a code for programs and a sentence for the user.

Each kind is a subclass, so that callers can distinguish kinds; callers that only pass them on catch
`Refusal`.
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
    CHAT = "chat"
    GAME_TERMS = "game_terms"
    NOT_BEGUN = "not_begun"
    NOT_RUNNING = "not_running"
    NUDGE = "nudge"
    ORDERS = "orders"
    PLAN = "plan"
    PREFERENCES = "preferences"
    REQUEST = "request"
    RESIGNATION = "resignation"
    SEAT = "seat"
    SIGN_IN = "sign_in"
    STALE = "stale"
    SUSPENDED = "suspended"
    UNSUBSCRIBE = "unsubscribe"
    VOTE = "vote"


class Refusal(Exception):
    """A request was not performed; nothing has changed. The exception's text is in the user's language."""

    code: ClassVar[RefusalCode]

    @property
    def sentence(self) -> str:
        why = phrases.capitalize_first(str(self))
        return why if why.endswith((".", "?", "!")) else f"{why}."


class StalePosition(Refusal):
    code = RefusalCode.STALE

    def __init__(self) -> None:
        super().__init__(gettext("The game has moved on since you saw it. Nothing was done."))


class GameNotBegun(Refusal):
    code = RefusalCode.NOT_BEGUN

    def __init__(self) -> None:
        super().__init__(gettext("The game has not begun yet."))


class GameNotRunning(Refusal):
    code = RefusalCode.NOT_RUNNING

    def __init__(self) -> None:
        super().__init__(gettext("There is no such game, or it is not shown to you."))


class GameSuspended(Refusal):
    code = RefusalCode.SUSPENDED

    def __init__(self) -> None:
        super().__init__(gettext("The operator of this server has halted this game. Nothing was done."))


def check_not_suspended(game: Game) -> None:
    if game.suspended_at is not None:
        raise GameSuspended
