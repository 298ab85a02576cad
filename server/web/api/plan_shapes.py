"""The plan of a player, as programs send it and get it."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from engine.plans.plan_reader import LONGEST_PLAN
from server.web.api.event_shapes import ApiShape, SeatNumber


class PlanRequest(ApiShape):
    """What you plan for your next turn."""

    model_config = ConfigDict(
        title="PlanWish",
        strict=True,
        json_schema_extra={
            "examples": [{"plan": "if the display has a horse: horse; march Larissa; draw. otherwise: stay"}]
        },
    )

    plan: Annotated[str, Field(max_length=LONGEST_PLAN)] | None
    """The plan as it is written in a mail, instead of the one that there is; null: withdraw that."""
    seat: SeatNumber | None = None
    """For whom; needed only where several seats of the game are yours."""


class PlanView(ApiShape):
    """Your plan for your next turn, which only you see."""

    model_config = ConfigDict(title="Plan")

    plan: str | None
    """In English, whatever it was written in; null where there is none."""
    turn: int | None
    """The number of the turn for which it is."""
    missed: bool
    """Whether it was tried in its turn and did not fit."""
    fits: int | None
    """Which of its turns would be played if yours were now, from 1; null where none would."""
    told: str
    """The same in sentences for people."""
