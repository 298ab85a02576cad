"""When a turn probably comes, in words no more exact than what is known: a part of a day, or some days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import assert_never

from babel.dates import format_date

from emails.i18n import current_locale, current_zone, gettext, gettext_noop
from emails.wording.times.deadlines import MOST_NAMED_DAYS

SOON = timedelta(hours=6)
"""Within so long a forecast is told by the hour at which its time is over."""
PARTS_TOLD = 1
"""Days apart up to which the parts of two days are told."""
PARTS_OF_DAY = (
    gettext_noop("%(day)s night"),
    gettext_noop("%(day)s morning"),
    gettext_noop("%(day)s afternoon"),
    gettext_noop("%(day)s evening"),
)
"""Six hours each; those after midnight belong to the day before."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """When something probably happens: in four of five cases not before `low` and not after `high`."""

    low: datetime
    median: datetime
    high: datetime


class NoForecastReason(StrEnum):
    """Why no forecast is told to somebody who waits for their turn."""

    UNKNOWN = "unknown"
    """Too little is known of those who play before them."""
    HOUSE = "house"
    """Nobody plays before them but the house, which does not let anybody wait."""


TurnOutlook = Forecast | NoForecastReason
"""What is known of when the turn of somebody who waits comes."""


def describe_forecast(forecast: Forecast, now: datetime) -> str:
    """Such as "probably Saturday evening" and "probably between Saturday and Tuesday"."""
    return gettext("probably %(when)s", when=_describe_span(forecast, now))


def tell_own_turn(outlook: TurnOutlook | None, now: datetime) -> str:
    """When its reader's turn comes, told unasked; empty where there is nothing to tell."""
    if not isinstance(outlook, Forecast):
        return ""
    return gettext("Your turn: %(when)s.", when=describe_forecast(outlook, now))


def answer_when(outlook: TurnOutlook, now: datetime) -> str:
    """What whoever asks is told of when their turn comes."""
    match outlook:
        case Forecast():
            return tell_own_turn(outlook, now)
        case NoForecastReason.HOUSE:
            return gettext("Your turn comes as soon as the house has played.")
        case NoForecastReason.UNKNOWN:
            return gettext("There is no telling yet when your turn comes.")
        case _:
            assert_never(outlook)


def _describe_span(forecast: Forecast, now: datetime) -> str:
    zone = current_zone()
    today = now.astimezone(zone).date()
    low, high = forecast.low.astimezone(zone), forecast.high.astimezone(zone)
    if forecast.high - now <= SOON:
        return gettext("before %(time)s", time=_hour_after(high, today))
    first, last = _day_and_part(low), _day_and_part(high)
    if first == last:
        return _name_part(*first, today)
    if low.date() == high.date():
        return _name_day(low.date(), today)
    if high.date() - low.date() <= timedelta(days=PARTS_TOLD):
        return gettext(
            "between %(first)s and %(last)s", first=_name_part(*first, today), last=_name_part(*last, today)
        )
    days = _name_day(low.date(), today), _name_day(high.date(), today)
    return gettext("between %(first)s and %(last)s", first=days[0], last=days[1])


def _day_and_part(local: datetime) -> tuple[date, int]:
    part = local.hour // 6
    return local.date() - timedelta(days=part == 0), part


def _name_part(day: date, part: int, today: date) -> str:
    if abs(day - today) > timedelta(days=MOST_NAMED_DAYS):
        return _name_day(day, today)
    return gettext(PARTS_OF_DAY[part], day=_name_day(day, today))


def _name_day(day: date, today: date) -> str:
    """Such as "Saturday", or farther away "Sat 30 January"."""
    form = "EEEE" if abs(day - today) <= timedelta(days=MOST_NAMED_DAYS) else "EEE d MMMM"
    return format_date(day, form, locale=current_locale().language)


def _hour_after(local: datetime, today: date) -> str:
    """The full hour that ends what a moment lies in: "Saturday 18:00"."""
    hour = local.replace(minute=0, second=0, microsecond=0)
    after = hour if hour == local else (hour + timedelta(hours=1)).replace(fold=hour.fold)
    return f"{_name_day(after.date(), today)} {after:%H:%M}"
