"""Questions about time: what a mail may mean, put to its writer so that a yes answers it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from emails.i18n import gettext
from emails.wording.phrases import safe_name
from emails.wording.presence.day_text import format_day, format_days
from emails.wording.requests import Request, RequestKind, request_word


@dataclass(frozen=True, slots=True)
class TimeQuestionContext:
    """What a question about time depends on in the game that it is about."""

    mover: str
    """The name of whoever is to move."""
    moves: bool
    """Whether that is who is asked."""


def ask_whether(request: Request, asked: TimeQuestionContext) -> str:
    """The question whether somebody wants this, in the language spoken."""
    match request.kind:
        case RequestKind.AWAY:
            first, _, last = request.about.partition(" - ")
            days = format_days(date.fromisoformat(first), date.fromisoformat(last))
            return gettext(
                "Shall no time run on your turns %(days)s, while you are away, in all your games?", days=days
            )
        case RequestKind.BACK:
            return gettext("Are you back, and shall time run on your turns again?")
        case RequestKind.MORE_TIME if asked.moves:
            return gettext("Do you want 24 more hours for your turn?")
        case RequestKind.NUDGE:
            return gettext("Shall %(name)s be reminded that we wait for them?", name=safe_name(asked.mover))
        case RequestKind.NO_PLAN:
            return gettext("Shall your plan be dropped?")
        case RequestKind.RESIGN:
            return gettext(
                "Do you give your seat up, so that a caretaker plays until somebody else takes it, or until "
                "you write “%(word)s”?",
                word=request_word(RequestKind.BACK),
            )
        case _:
            return _ask_about_all(request, asked)


def _ask_about_all(request: Request, asked: TimeQuestionContext) -> str:
    """What is asked of all who play."""
    match request.kind:
        case RequestKind.MORE_TIME:
            return gettext("Shall %(name)s get 24 more hours?", name=safe_name(asked.mover))
        case RequestKind.PAUSE if request.about:
            last = format_day(date.fromisoformat(request.about))
            return gettext("Shall the others be asked for a pause from now until %(day)s?", day=last)
        case RequestKind.PAUSE:
            return gettext("Shall the others be asked for a pause? It lasts a month at most.")
        case RequestKind.RESUME:
            return gettext("Shall the pause end, so that time runs again?")
        case _:
            return gettext("Do you mean “%(word)s”?", word=request_word(request.kind))
