"""Days of the calendar in words."""

from __future__ import annotations

from datetime import date, timedelta

from babel.dates import format_date

from emails.i18n import current_locale, gettext

A_MONDAY = date(2024, 1, 1)


def format_day(day: date) -> str:
    """Such as "Friday 27 November 2026"."""
    return format_date(day, "EEEE d MMMM y", locale=current_locale().language)


def format_weekday(day: int) -> str:
    """The name of a weekday, 0 for Monday."""
    return format_date(A_MONDAY + timedelta(days=day), "EEEE", locale=current_locale().language)


def format_near_day(day: date, today: date) -> str:
    """The same, or of the next days the weekday alone."""
    if 0 <= (day - today).days < 7:
        return format_date(day, "EEEE", locale=current_locale().language)
    form = "d MMMM" if day.year == today.year else "d MMMM y"
    return format_date(day, form, locale=current_locale().language)


def format_days(first: date, last: date) -> str:
    """From one day to another, or one alone."""
    if first == last:
        return gettext("on %(day)s", day=format_day(first))
    return gettext("from %(first)s to %(last)s", first=format_day(first), last=format_day(last))


def say_away(name: str, last: date | None, today: date) -> str:
    """The sentence for the others that somebody is on vacation; empty where they are not."""
    if last is None:
        return ""
    if last == today:
        return gettext("%(name)s is away today.", name=name)
    return gettext("%(name)s is away until %(day)s.", name=name, day=format_near_day(last, today))
