"""When a caller is reminded of their turns: told, and changed as on their page."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import ConfigDict, Field

from emails.wording.times.reminder_times import ReminderTime, order_reminders
from server.outbox.preferences import load_preferences, store_preferences
from server.outbox.unit_of_work import open_unit
from server.web.api.act_request import read_body
from server.web.api.event_shapes import ApiShape
from server.web.api.game_view import check_own_game
from server.web.api.shapes import GameId
from server.web.kit.request_context import current_context, now

WhichReminders = Annotated[
    list[ReminderTime],
    Field(
        max_length=len(ReminderTime),
        description="What is left when one comes: a part of the time for the turn, or so much of it.",
        examples=[["1/2", "3 hours"]],
    ),
]


class ReminderRequest(ApiShape):
    """Which reminders of your turns you want, in place of what there is."""

    model_config = ConfigDict(
        title="ReminderWish", json_schema_extra={"examples": [{"reminders": ["1/4", "1 day", "3 hours"]}]}
    )

    reminders: WhichReminders
    game: GameId | None = None
    """The game of yours for which it holds; else all that have no settings of their own."""


class ReminderView(ApiShape):
    """Which reminders of your turns come, by what is left of their time."""

    model_config = ConfigDict(title="Reminders")

    reminders: WhichReminders
    game: GameId | None
    """The game for which it holds; null: all that have no settings of their own."""


def show_reminders(player: int, game: str | None) -> ReminderView:
    """Which reminders a caller gets. Raises `ApiError`: the game is not theirs."""
    check_own_game(player, game)
    with current_context().reading() as session:
        return ReminderView(reminders=list(load_preferences(session, player, game).reminders), game=game)


def set_reminders(player: int) -> ReminderView:
    """Keep which reminders a caller wants, in a game or in all. Raises `ApiError`."""
    body = read_body(ReminderRequest)
    check_own_game(player, body.game)
    with open_unit(current_context(), now()) as unit:
        wanted = replace(
            load_preferences(unit.session, player, body.game), reminders=order_reminders(body.reminders)
        )
        store_preferences(unit.session, player, body.game, wanted, unit.now)
        unit.commit()
    return ReminderView(reminders=list(wanted.reminders), game=body.game)
