"""Deadlines, days away and sleep hours in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from babel.dates import format_date, format_datetime

from emails.i18n import current_locale, current_zone, gettext, ngettext
from emails.wording import phrases

MINUTES_OF_DAY = 24 * 60
HOURS_BEFORE_DAYS, HOURS_OF_WEEK = 48, 7 * 24  # hours alone, then days and hours, then days alone
LEAST_WAIT = timedelta(hours=1)
MOST_NAMED_DAYS = 6
MORNING, AFTERNOON, EVENING = 6, 12, 18


@dataclass(frozen=True, slots=True)
class ReserveLeft:
    """The time reserve of the player to move; it is not used while the player sleeps or is away."""

    whole: timedelta
    begins: datetime
    """The time at which the turn starts using the reserve, with time zone."""
    left: timedelta


def format_deadline(deadline: datetime) -> str:
    """Format a deadline as "Thursday morning, 14 January, 09:30 CET"; `deadline` has a time zone."""
    local, language = deadline.astimezone(current_zone()), current_locale().language
    date = format_datetime(local, "d MMMM, HH:mm", locale=language)
    part = _name_part_of_day(local.hour, format_datetime(local, "EEEE", locale=language))
    return f"{part}, {date} {phrases.name_clock(local)}"


def _name_part_of_day(hour: int, day: str) -> str:
    if hour < MORNING:
        return gettext("%(day)s before dawn", day=day)
    if hour < AFTERNOON:
        return gettext("%(day)s morning", day=day)
    if hour < EVENING:
        return gettext("%(day)s afternoon", day=day)
    return gettext("%(day)s evening", day=day)


def name_past(moment: datetime | None, now: datetime | None) -> str:
    """Format a past moment as "Tuesday evening" or "4 January"; empty if unknown, or too close to `now`."""
    if moment is None or now is None or now - moment < LEAST_WAIT:
        return ""
    zone, language = current_zone(), current_locale().language
    local, today = moment.astimezone(zone), now.astimezone(zone).date()
    if (today - local.date()).days > MOST_NAMED_DAYS:
        return format_datetime(local, "d MMMM", locale=language)
    return _name_part_of_day(local.hour, format_datetime(local, "EEEE", locale=language))


def format_remaining(left: timedelta) -> str:
    """Format a duration as "3 days and 5 hours" or "5 hours and 12 minutes"; minutes only below a day."""
    minutes = (max(timedelta(0), left) + timedelta(seconds=30)) // timedelta(minutes=1)
    if minutes < MINUTES_OF_DAY:
        hours, minutes = divmod(minutes, 60)
        whole = phrases.format_hours(hours) if hours or not minutes else ""
        rest = ngettext("%(number)s minute", "%(number)s minutes", minutes) if minutes else ""
    else:
        hours = (minutes + 30) // 60
        hours = hours if hours < HOURS_OF_WEEK else hours // 24 * 24  # never rounded up
        over = hours % 24 if hours >= HOURS_BEFORE_DAYS else 0
        whole, rest = phrases.format_hours(hours - over), phrases.format_hours(over) if over else ""
    return gettext("%(whole)s and %(rest)s", whole=whole, rest=rest) if whole and rest else whole or rest


def format_time_left(left: timedelta) -> str:
    return gettext("%(time)s left", time=format_remaining(left))


BY_HOUR, BY_MINUTE = timedelta(hours=36), timedelta(hours=1)  # nearer times: to the hour, to the minute
HABITS = timedelta(hours=1), timedelta(days=1), timedelta(days=2), timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Habit:
    name: str
    within: timedelta


@dataclass(frozen=True, slots=True)
class TurnOutlook:
    """Estimate of when a waiting player's turn begins; each fact can be missing."""

    earliest: datetime | None = None
    """End of the absences of the players who move before this player; None if none of them is away."""
    latest: datetime | None = None
    """End of the time limits of the players who move before this player; None without a limit."""
    habit: Habit | None = None
    is_immediate: bool = False
    """True if only bots play before the player."""


def name_latest(latest: datetime | None, now: datetime) -> str:
    """Format a time limit as a day, if it is near with the time of day; empty if it is unknown."""
    if latest is None or latest - now > BY_HOUR:
        return name_day(latest, now)
    local = latest.astimezone(current_zone())
    begun = local.replace(second=0, microsecond=0)
    step = timedelta(minutes=1)
    if latest - now > BY_MINUTE:
        begun, step = begun.replace(minute=0), timedelta(hours=1)
    after = begun if begun == local else (begun + step).replace(fold=begun.fold)
    return f"{name_day(after, now)} {after:%H:%M}"


def name_day(moment: datetime | None, now: datetime) -> str:
    """Format a day as "Saturday", or farther away as "Sat 30 January"; empty if it is unknown."""
    if moment is None:
        return ""
    zone = current_zone()
    day, today = moment.astimezone(zone).date(), now.astimezone(zone).date()
    form = "EEEE" if abs(day - today) <= timedelta(days=MOST_NAMED_DAYS) else "EEE d MMMM"
    return format_date(day, form, locale=current_locale().language)


@dataclass(frozen=True, slots=True)
class ExpectedDays:
    """The open question of a letter about an absence, which a reply with only a date answers."""

    firsts: tuple[date, ...] = ()  # possible first days; empty if the letter asks for the first day
    alone: bool = False


@dataclass(frozen=True, slots=True)
class DaysAway:
    first: date
    last: date
    home: date | None = None  # first day at home, on which the player's clock does not run


@dataclass(frozen=True, slots=True)
class AbsenceNote:
    today: date
    """Today in the player's zone; all days of the note are in that zone."""
    zone: str
    days: tuple[DaysAway, ...] = ()
    sleep: tuple[time, time] | None = None
    night: tuple[time, time] | None = None
    """The assumed night of a player who has set no sleep hours; None if their zone is unknown."""
    days_off: tuple[int, ...] = ()
    """Weekdays off, from 0 for Monday."""
