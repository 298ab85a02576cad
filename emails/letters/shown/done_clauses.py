"""What a mail has done beside the game, as the clause with which its answer begins."""

from __future__ import annotations

from datetime import date
from typing import assert_never

from emails.i18n import gettext
from emails.wording.presence.absence_text import AbsenceNote, format_days, format_near_day, name_city
from emails.wording.requests import (
    PLAN_KEPT,
    UNKNOWN_ZONE,
    WAS_AWAY,
    WAS_KEPT,
    Request,
    RequestKind,
)


def tell_done(request: Request, absence: AbsenceNote | None = None, *, resigned: bool = False) -> str:
    """A clause without full stop; empty where a request is only answered, or told of elsewhere."""
    about = request.about
    match request.kind:
        case RequestKind.PLAN:
            return gettext("your plan is kept") if about == PLAN_KEPT else ""
        case RequestKind.NO_PLAN:
            return gettext("you plan nothing any more")
        case RequestKind.AWAY:
            return "" if absence is None or not absence.days else _tell_away(about, absence.today)
        case RequestKind.BACK:
            return gettext("you are there again") if {WAS_AWAY, WAS_KEPT} & {*about.split()} else ""
        case RequestKind.REMINDERS:
            return gettext("you get reminders again")
        case RequestKind.NO_REMINDERS:
            return gettext("you get no reminders any more")
        case RequestKind.ZONE:
            unknown = gettext("no time zone is known by that name")
            known = gettext("times are by the clock of %(city)s", city=name_city(about))
            return (unknown if about == UNKNOWN_ZONE else known) if about else ""
        case RequestKind.NUDGE:
            return gettext("your reminder is passed on")
        case RequestKind.NEW_LINKS:
            return gettext("your links are new")
        case RequestKind.RESIGN:
            return gettext("you have resigned") if resigned else ""
        case RequestKind.HELP | RequestKind.BOARD | RequestKind.ALL | RequestKind.HAND | RequestKind.HISTORY:
            return ""
        case RequestKind.RULES | RequestKind.SETTINGS | RequestKind.WHEN | RequestKind.REST:
            return ""
        case RequestKind.MORE_TIME | RequestKind.PAUSE | RequestKind.RESUME:
            return ""  # what comes of it is told in a sentence of its own
        case _:
            assert_never(request.kind)


def _tell_away(about: str, today: date) -> str:
    """Days such as "2027-01-12 - 2027-01-20"; empty where none are told."""
    begins, _, ends = about.partition(" - ")
    if not ends:
        return ""
    first, last = date.fromisoformat(begins), date.fromisoformat(ends)
    if first <= today:
        return gettext("you are away until the end of %(day)s", day=format_near_day(last, today))
    if first == last:
        return gettext("you are away %(days)s", days=format_days(first, last))
    first_day, last_day = format_near_day(first, today), format_near_day(last, today)
    return gettext("you are away from %(first)s to the end of %(last)s", first=first_day, last=last_day)
