"""Questions about time: what a mail may mean, put to its writer so that a yes answers it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from emails.i18n import gettext
from emails.wording.phrases import format_list, safe_name
from emails.wording.presence.day_text import format_day, format_days, format_weekday
from emails.wording.presence.scope_text import EVERYWHERE, describe_scope
from emails.wording.requests import NO_DAYS_OFF, Request, RequestKind, request_word


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
                "Shall no time run on your turns %(days)s, while you are away, %(where)s?",
                days=days,
                where=describe_scope(EVERYWHERE),
            )
        case RequestKind.BACK:
            return gettext("Are you back, and shall time run on your turns again?")
        case RequestKind.SLEEP | RequestKind.DAYS_OFF:
            return _ask_about_rest(request)
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


def _ask_about_rest(request: Request) -> str:
    if request.kind is RequestKind.SLEEP:
        begins, _, ends = request.about.partition(" - ")
        return gettext(
            "Shall no time run on your turns from %(begins)s to %(ends)s every day?", begins=begins, ends=ends
        )
    if request.about == NO_DAYS_OFF:
        return gettext("Shall time run on your turns on every day of the week?")
    days = format_list(format_weekday(int(one)) for one in request.about)
    return gettext("Shall no time run on your turns on %(days)s, each week?", days=days)


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
