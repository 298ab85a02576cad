"""When the clock of a player stands still, as programs send it and get it."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from server.time_control.availability import LONGEST_SLEEP, LONGEST_VACATION, MOST_DAYS_OFF
from server.web.api.event_shapes import ApiShape
from server.web.api.shapes import LARGEST_ACT_NUMBER

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
