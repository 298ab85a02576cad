"""Whether a caller is reminded of their turns: told, and changed as on their page."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import ConfigDict, Field, StrictBool

from server.outbox.preferences import load_preferences, store_preferences
from server.outbox.unit_of_work import open_unit
from server.web.api.act_request import read_body
from server.web.api.event_shapes import ApiShape
from server.web.api.game_view import check_own_game
from server.web.api.shapes import GameId
from server.web.kit.request_context import current_context, now

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
