"""Deadlines and the time for turns in words, in the reader's zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from babel.dates import format_datetime

from emails.i18n import current_locale, current_zone, gettext, ngettext
from emails.terms import TurnTime
from emails.wording import phrases


def describe_turn_time(time: TurnTime) -> str:
    """Format "2 days" or "2 days, and a reserve of 4 days"; empty without a limit."""
    if not time.minutes:
        return ""
    each, reserve = phrases.format_minutes(time.minutes), phrases.format_minutes(time.bank)
    if not time.bank:
        return each
    if not time.refill:
        return gettext("%(time)s, and a reserve of %(reserve)s", time=each, reserve=reserve)
    return gettext(
        "%(time)s, and a reserve of %(reserve)s, into which each turn played in time puts %(refill)s back",
        time=each,
        reserve=reserve,
        refill=phrases.format_minutes(time.refill),
    )


def name_reserve(time: TurnTime) -> str:
    """Describe the reserve in a sentence; empty without one."""
    if not (time.minutes and time.bank):
        return ""
    return gettext("In reserve: %(reserve)s.", reserve=phrases.format_minutes(time.bank))


MINUTES_OF_DAY = 24 * 60
HOURS_BEFORE_DAYS, HOURS_OF_WEEK = 48, 7 * 24
"""Hours from which on time is given in days and hours, and in days alone."""
LEAST_WAIT = timedelta(hours=1)
"""How long a turn must have lasted before the others see since when."""
MOST_NAMED_DAYS = 6
"""Days ahead for which a weekday alone is unambiguous."""
MORNING, AFTERNOON, EVENING = 6, 12, 18
"""The hours at which the parts of a day begin."""


@dataclass(frozen=True, slots=True)
class ReserveLeft:
    """The reserve of the player to move; it stops while they sleep or are away."""

    whole: timedelta
    """Its amount when the turn began."""
    begins: datetime
    """When the turn starts using it, with time zone."""
    left: timedelta
    """Its amount now."""


def format_deadline(deadline: datetime) -> str:
    """Format "Thursday morning, 14 January, 09:30 CET"; `deadline` has a time zone.

    All letters and pages use this form.
    """
    local, language = deadline.astimezone(current_zone()), current_locale().language
    date = format_datetime(local, "d MMMM, HH:mm", locale=language)
    part = _name_part_of_day(local.hour, format_datetime(local, "EEEE", locale=language))
    return f"{part}, {date} {phrases.name_clock(local)}"


def tell_pause(ends: datetime) -> str:
    """Say that no time runs until `ends`, which has a time zone."""
    return gettext("The game is paused until %(moment)s.", moment=format_deadline(ends))


def _name_part_of_day(hour: int, day: str) -> str:
    if hour < MORNING:
        return gettext("%(day)s before dawn", day=day)
    if hour < AFTERNOON:
        return gettext("%(day)s morning", day=day)
    if hour < EVENING:
        return gettext("%(day)s afternoon", day=day)
    return gettext("%(day)s evening", day=day)


def tell_whose_turn(name: str, since: datetime | None, now: datetime | None) -> str:
    """Say whose turn it is, and after a while since when: "Tuesday evening"."""
    if since is None or now is None or now - since < LEAST_WAIT:
        return gettext("It is %(name)s's turn.", name=name)
    return gettext("It has been %(name)s's turn since %(when)s.", name=name, when=_name_past(since, now))


def tell_mover_deadline(name: str, moment: str) -> str:
    """Say until when another player has time to move."""
    return gettext("%(name)s has until %(time)s.", name=name, time=moment)


def _name_past(moment: datetime, now: datetime) -> str:
    """Name the part of the day of a past moment, or its date if it was long ago."""
    zone, language = current_zone(), current_locale().language
    local, today = moment.astimezone(zone), now.astimezone(zone).date()
    if (today - local.date()).days > MOST_NAMED_DAYS:
        return format_datetime(local, "d MMMM", locale=language)
    return _name_part_of_day(local.hour, format_datetime(local, "EEEE", locale=language))


def format_remaining(left: timedelta) -> str:
    """Format "3 days and 5 hours" or "5 hours and 12 minutes"; minutes only on the last day."""
    minutes = (max(timedelta(0), left) + timedelta(seconds=30)) // timedelta(minutes=1)
    if minutes < MINUTES_OF_DAY:
        hours, minutes = divmod(minutes, 60)
        whole = phrases.format_hours(hours) if hours or not minutes else ""
        rest = ngettext("%(number)s minute", "%(number)s minutes", minutes) if minutes else ""
    else:
        hours = (minutes + 30) // 60
        hours = hours if hours < HOURS_OF_WEEK else hours // 24 * 24  # never more than there is
        over = hours % 24 if hours >= HOURS_BEFORE_DAYS else 0
        whole, rest = phrases.format_hours(hours - over), phrases.format_hours(over) if over else ""
    return gettext("%(whole)s and %(rest)s", whole=whole, rest=rest) if whole and rest else whole or rest


def format_time_left(left: timedelta) -> str:
    """Format "2 days left" for pages."""
    return gettext("%(time)s left", time=format_remaining(left))


def describe_reserve(reserve: ReserveLeft | None, now: datetime) -> str:
    """Describe what is left of the reader's reserve, and when it is used; empty without one."""
    if reserve is None:
        return ""
    if now < reserve.begins:
        return gettext(
            "From %(moment)s on it is taken from your reserve of %(time)s.",
            moment=format_deadline(reserve.begins),
            time=format_remaining(reserve.whole),
        )
    return gettext(
        "It is taken from your reserve: %(time)s of it are left.", time=format_remaining(reserve.left)
    )
