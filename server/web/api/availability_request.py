"""When a caller's clock stands still and whether they are reminded: told, and changed as on their page."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, time
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, StrictBool
from sqlmodel import Session

from emails.i18n import gettext
from server.accounts.vacations import (
    away_until,
    end_vacations,
    keep_time_left,
    list_ahead,
    local_today,
    remove_vacation,
    store_rest,
    take_vacation,
)
from server.outbox.preferences import load_preferences, store_preferences
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.stored_availability import StoredVacation, load_availability
from server.time_control.availability import LONGEST_SLEEP, LONGEST_VACATION, MOST_DAYS_OFF
from server.web.api.act_request import read_body
from server.web.api.event_shapes import ApiShape
from server.web.api.game_view import check_own_game
from server.web.api.problems import ApiError
from server.web.api.shapes import LARGEST_ACT_NUMBER, GameId
from server.web.kit.request_context import current_context, now

WRITTEN_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
LONGEST_ZONE = 64
"""Characters of the name of a time zone."""


def _read_day(given: object) -> date:
    """A day as RFC 3339 writes it and in no other way. Raises `ValueError`."""
    if not isinstance(given, str) or not WRITTEN_DAY.fullmatch(given):
        raise ValueError
    return date.fromisoformat(given)


Day = Annotated[date, BeforeValidator(_read_day)]
TimeOfDay = Annotated[str, Field(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", examples=["23:00"])]
Weekday = Annotated[int, Field(ge=0, le=6, description="A weekday: 0 is Monday, 6 is Sunday.")]
Zone = Annotated[
    str,
    Field(
        max_length=LONGEST_ZONE,
        description="A time zone by its name in the IANA database.",
        examples=["Europe/Amsterdam"],
    ),
]
VacationNumber = Annotated[
    int, Field(ge=1, le=LARGEST_ACT_NUMBER, description="The number of a vacation, with which it is ended.")
]


class SleepHours(ApiShape):
    """From when till when somebody sleeps, every day."""

    model_config = ConfigDict(title="Sleep", strict=True)

    begins: TimeOfDay
    ends: TimeOfDay


class AvailabilityRequest(ApiShape):
    """When no time shall run on your turns in every week, in place of what there is."""

    model_config = ConfigDict(
        title="AvailabilityWish",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "zone": "Europe/Amsterdam",
                    "sleeps": {"begins": "23:00", "ends": "07:00"},
                    "days_off": [5, 6],
                }
            ]
        },
    )

    zone: Zone
    sleeps: Annotated[
        SleepHours | None,
        Field(description=f"Your hours of sleep, {int(LONGEST_SLEEP.total_seconds()) // 3600} at most."),
    ]
    days_off: Annotated[
        list[Weekday],
        Field(max_length=7, description=f"The weekdays that you have off, {MOST_DAYS_OFF} at most."),
    ]


class VacationRequest(ApiShape):
    """Days on which you are away, in place of those told before that they touch."""

    model_config = ConfigDict(
        title="VacationWish",
        strict=True,
        json_schema_extra={"examples": [{"first": "2030-08-03", "last": "2030-08-17"}]},
    )

    last: Annotated[
        Day, Field(description=f"Your last day away, of {LONGEST_VACATION} at most, by your calendar.")
    ]
    first: Day | None = None
    """Your first day away; else today."""


class VacationEnd(ApiShape):
    """Days on which you are not away after all."""

    model_config = ConfigDict(strict=True, json_schema_extra={"examples": [{"vacation": 12}]})

    vacation: VacationNumber | None = None
    """Which of them, whether it has begun or not; else whatever you are away for now."""


class VacationView(ApiShape):
    """Days on which you are away, the first and the last among them."""

    model_config = ConfigDict(title="Vacation")

    vacation: VacationNumber
    first: date
    last: date


class AvailabilityView(ApiShape):
    """When no time runs on your turns, by the clock and the calendar of your zone."""

    model_config = ConfigDict(title="Availability")

    zone: Zone
    sleeps: SleepHours | None
    days_off: list[Weekday]
    vacations: list[VacationView]
    """Those that have not passed; they hold in all your games."""
    away_until: date | None
    """The last day of the vacation that you are on; null where you are on none."""


def show_availability(player: int) -> AvailabilityView:
    """When no time runs on the turns of a caller."""
    with current_context().reading() as session:
        return _describe(session, player)


def set_availability(player: int) -> AvailabilityView:
    """Keep the zone, the hours of sleep and the days off of a caller.

    Raises `ApiError`, `InvalidPreferences` and `VacationRefused`; then nothing is kept.
    """
    body = read_body(AvailabilityRequest)
    sleeps = None if body.sleeps is None else _hours_of(body.sleeps)
    with open_unit(current_context(), now()) as unit:
        _store_zone(unit, player, body.zone)
        store_rest(unit.session, player, sleeps, frozenset(body.days_off), unit.now)
        unit.commit()
        return _describe(unit.session, player)


def take_days(player: int) -> AvailabilityView:
    """Note that a caller is away. Raises `ApiError` and `VacationRefused`."""
    body = read_body(VacationRequest)
    with open_unit(current_context(), now()) as unit:
        first = body.first or local_today(unit.session, player, unit.now)
        take_vacation(unit.session, player, first, body.last, unit.now)
        unit.commit()
        return _describe(unit.session, player)


def end_days(player: int) -> AvailabilityView:
    """Note that a caller is back, or not away after all. Raises `ApiError`: there is no such vacation."""
    body = read_body(VacationEnd)
    with open_unit(current_context(), now()) as unit:
        if body.vacation is None:
            end_vacations(unit.session, player, unit.now)
        elif not remove_vacation(unit.session, player, body.vacation, unit.now):
            raise ApiError(422, gettext("You have no vacation of this number that has not passed."))
        unit.commit()
        return _describe(unit.session, player)


def _store_zone(unit: UnitOfWork, player: int, zone: str) -> None:
    """Keep the time zone of a player, where it is another. Raises `InvalidPreferences`."""
    known = load_preferences(unit.session, player)
    if zone != known.zone:
        with keep_time_left(unit.session, player, unit.now):
            store_preferences(unit.session, player, None, replace(known, zone=zone), unit.now)


def _hours_of(sleeps: SleepHours) -> tuple[time, time]:
    return time.fromisoformat(sleeps.begins), time.fromisoformat(sleeps.ends)


def _describe(session: Session, player: int) -> AvailabilityView:
    found = load_availability(session, player)
    begins, ends = found.sleeps_from, found.sleeps_until
    asleep = (
        None if begins is None or ends is None else SleepHours(begins=f"{begins:%H:%M}", ends=f"{ends:%H:%M}")
    )
    return AvailabilityView(
        zone=found.zone,
        sleeps=asleep,
        days_off=sorted(found.days_off),
        vacations=[_describe_vacation(row) for row in list_ahead(session, player, None, now())],
        away_until=away_until(session, player, None, now()),
    )


def _describe_vacation(row: StoredVacation) -> VacationView:
    assert row.id is not None
    return VacationView(vacation=row.id, first=row.first, last=row.last)


Wanted = Annotated[StrictBool, Field(description="Whether the two reminders of a turn come.")]


class ReminderRequest(ApiShape):
    """Whether you want reminders of your turns."""

    model_config = ConfigDict(title="ReminderWish", json_schema_extra={"examples": [{"reminders": False}]})

    reminders: Wanted
    game: GameId | None = None
    """The game of yours for which it holds; else all that have no settings of their own."""


class ReminderView(ApiShape):
    """Whether reminders of your turns come."""

    model_config = ConfigDict(title="Reminders")

    reminders: Wanted
    game: GameId | None
    """The game for which it holds; null: all that have no settings of their own."""


def show_reminders(player: int, game: str | None) -> ReminderView:
    """Whether a caller gets reminders. Raises `ApiError`: the game is not theirs."""
    check_own_game(player, game)
    with current_context().reading() as session:
        return ReminderView(reminders=load_preferences(session, player, game).reminders, game=game)


def set_reminders(player: int) -> ReminderView:
    """Keep whether a caller wants reminders, in a game or in all. Raises `ApiError`."""
    body = read_body(ReminderRequest)
    check_own_game(player, body.game)
    with open_unit(current_context(), now()) as unit:
        wanted = replace(load_preferences(unit.session, player, body.game), reminders=body.reminders)
        store_preferences(unit.session, player, body.game, wanted, unit.now)
        unit.commit()
    return ReminderView(reminders=body.reminders, game=body.game)
