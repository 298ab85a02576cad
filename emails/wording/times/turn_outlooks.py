"""When a turn comes, in words: between which days, and how soon the player to move usually plays."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from babel.dates import format_date

from emails.i18n import current_locale, current_zone, gettext, gettext_noop
from emails.wording.times.deadlines import MOST_NAMED_DAYS

TOLD_BY_HOUR, TOLD_BY_MINUTE = timedelta(hours=36), timedelta(hours=1)
"""Below these a latest moment is given by the hour or by the minute, otherwise by the day."""
HABITS = {
    timedelta(hours=1): gettext_noop("%(name)s mostly answers within an hour."),
    timedelta(days=1): gettext_noop("%(name)s mostly answers within a day."),
    timedelta(days=2): gettext_noop("%(name)s mostly answers within two days."),
    timedelta(days=7): gettext_noop("%(name)s mostly answers within a week."),
}
"""Habits by the longest answer time in them, the shortest first."""


@dataclass(frozen=True, slots=True)
class Habit:
    """How soon a player usually plays."""

    name: str
    within: timedelta
    """A key of `HABITS`."""


@dataclass(frozen=True, slots=True)
class TurnOutlook:
    """The estimate of when a waiting player's turn comes; empty if nothing is known."""

    earliest: datetime | None = None
    """When the absences of players before them end; None: no player is away."""
    latest: datetime | None = None
    """When the time of all players before them is up; None: no limit."""
    habit: Habit | None = None
    is_immediate: bool = False
    """True if only bots play before them."""


def tell_outlook(outlook: TurnOutlook | None, now: datetime) -> str:
    """Say when the reader's turn comes, in at most two sentences; empty if unknown."""
    if outlook is None:
        return ""
    sentences = [_tell_bounds(outlook, now)]
    if outlook.habit is not None:
        sentences.append(gettext(HABITS[outlook.habit.within], name=outlook.habit.name))
    return " ".join(filter(None, sentences))


def answer_when(outlook: TurnOutlook, now: datetime) -> str:
    """Answer the question when the reader's turn comes."""
    if outlook.is_immediate:
        return gettext("Your turn comes as soon as the house has played.")
    return tell_outlook(outlook, now) or gettext("There is no telling yet when your turn comes.")


def _tell_bounds(outlook: TurnOutlook, now: datetime) -> str:
    """Format "Your turn: not before Sunday, by Thursday at the latest."; empty if unknown."""
    first = "" if outlook.earliest is None else _name_day(outlook.earliest, now)
    if outlook.latest is None:
        return gettext("Your turn: not before %(first)s.", first=first) if first else ""
    last = _name_latest(outlook.latest, now)
    if first and first != _name_day(outlook.latest, now):
        return gettext("Your turn: not before %(first)s, by %(last)s at the latest.", first=first, last=last)
    return gettext("Your turn: by %(last)s at the latest.", last=last)


def _name_latest(latest: datetime, now: datetime) -> str:
    """Name the day of a moment, or a near one's next full hour or minute: "Saturday 18:00"."""
    if latest - now > TOLD_BY_HOUR:
        return _name_day(latest, now)
    local = latest.astimezone(current_zone())
    begun = local.replace(second=0, microsecond=0)
    step = timedelta(minutes=1)
    if latest - now > TOLD_BY_MINUTE:
        begun, step = begun.replace(minute=0), timedelta(hours=1)
    after = begun if begun == local else (begun + step).replace(fold=begun.fold)
    return f"{_name_day(after, now)} {after:%H:%M}"


def _name_day(moment: datetime, now: datetime) -> str:
    """Format "Saturday", or farther away "Sat 30 January"."""
    zone = current_zone()
    day, today = moment.astimezone(zone).date(), now.astimezone(zone).date()
    form = "EEEE" if abs(day - today) <= timedelta(days=MOST_NAMED_DAYS) else "EEE d MMMM"
    return format_date(day, form, locale=current_locale().language)
