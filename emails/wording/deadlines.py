"""Time in words, in the reader's zone: time per turn, deadlines, and the outlook on a turn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from babel.dates import format_date, format_datetime

from emails.i18n import current_locale, current_zone, gettext, gettext_noop, ngettext
from emails.terms import TurnTime
from emails.wording import phrases


def describe_turn_time(time: TurnTime) -> str:
    """Format the time per turn as "2 days" or "2 days, and a reserve of 4 days"; empty without a limit."""
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
    if not (time.minutes and time.bank):
        return ""
    return gettext("In reserve: %(reserve)s.", reserve=phrases.format_minutes(time.bank))


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


def describe_pause(ends: datetime) -> str:
    return gettext("The game is paused until %(moment)s.", moment=format_deadline(ends))


def _name_part_of_day(hour: int, day: str) -> str:
    if hour < MORNING:
        return gettext("%(day)s before dawn", day=day)
    if hour < AFTERNOON:
        return gettext("%(day)s morning", day=day)
    if hour < EVENING:
        return gettext("%(day)s afternoon", day=day)
    return gettext("%(day)s evening", day=day)


def describe_whose_turn(name: str, since: datetime | None, now: datetime | None) -> str:
    """Describe whose turn it is; after some time also its beginning, such as "Tuesday evening"."""
    if since is None or now is None or now - since < LEAST_WAIT:
        return gettext("It is %(name)s's turn.", name=name)
    return gettext("It has been %(name)s's turn since %(when)s.", name=name, when=_name_past(since, now))


def describe_mover_deadline(name: str, moment: str) -> str:
    return gettext("%(name)s has until %(time)s.", name=name, time=moment)


def _name_past(moment: datetime, now: datetime) -> str:
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


def describe_reserve(reserve: ReserveLeft | None, now: datetime) -> str:
    """Describe the reader's remaining reserve and the start of its use; empty without a reserve."""
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


BY_HOUR, BY_MINUTE = timedelta(hours=36), timedelta(hours=1)  # nearer times: to the hour, to the minute
HABITS = {
    timedelta(hours=1): gettext_noop("%(name)s mostly answers within an hour."),
    timedelta(days=1): gettext_noop("%(name)s mostly answers within a day."),
    timedelta(days=2): gettext_noop("%(name)s mostly answers within two days."),
    timedelta(days=7): gettext_noop("%(name)s mostly answers within a week."),
}


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


def describe_outlook(outlook: TurnOutlook | None, now: datetime) -> str:
    """Describe the time of the reader's next turn in at most two sentences; empty if unknown."""
    if outlook is None:
        return ""
    sentences = [_describe_bounds(outlook, now)]
    if outlook.habit is not None:
        sentences.append(gettext(HABITS[outlook.habit.within], name=outlook.habit.name))
    return " ".join(filter(None, sentences))


def answer_when(outlook: TurnOutlook, now: datetime) -> str:
    if outlook.is_immediate:
        return gettext("Your turn comes as soon as the house has played.")
    return describe_outlook(outlook, now) or gettext("There is no telling yet when your turn comes.")


def _describe_bounds(outlook: TurnOutlook, now: datetime) -> str:
    """Format bounds as "Your turn: not before Sunday, by Thursday at the latest."; empty if unknown."""
    first = "" if outlook.earliest is None else _name_day(outlook.earliest, now)
    if outlook.latest is None:
        return gettext("Your turn: not before %(first)s.", first=first) if first else ""
    last = _name_latest(outlook.latest, now)
    if first and first != _name_day(outlook.latest, now):
        return gettext("Your turn: not before %(first)s, by %(last)s at the latest.", first=first, last=last)
    return gettext("Your turn: by %(last)s at the latest.", last=last)


def _name_latest(latest: datetime, now: datetime) -> str:
    if latest - now > BY_HOUR:
        return _name_day(latest, now)
    local = latest.astimezone(current_zone())
    begun = local.replace(second=0, microsecond=0)
    step = timedelta(minutes=1)
    if latest - now > BY_MINUTE:
        begun, step = begun.replace(minute=0), timedelta(hours=1)
    after = begun if begun == local else (begun + step).replace(fold=begun.fold)
    return f"{_name_day(after, now)} {after:%H:%M}"


def _name_day(moment: datetime, now: datetime) -> str:
    """Format a day as "Saturday", or farther away as "Sat 30 January"."""
    zone = current_zone()
    day, today = moment.astimezone(zone).date(), now.astimezone(zone).date()
    form = "EEEE" if abs(day - today) <= timedelta(days=MOST_NAMED_DAYS) else "EEE d MMMM"
    return format_date(day, form, locale=current_locale().language)
