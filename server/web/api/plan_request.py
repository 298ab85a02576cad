"""The plan of a caller for their next turn: shown, kept instead of another one, or withdrawn."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from emails.i18n import current_locale
from emails.languages.lexicon import plan_words
from emails.languages.supported_languages import ENGLISH
from emails.plans.plan_text import describe_plan
from emails.wording.phrases import capitalize_first, explain_refusal
from engine.actions import Unreadable
from engine.plans.plan_reader import LONGEST_PLAN
from engine.plans.plan_words import write_plan
from engine.plans.rehearsal import PlannedTurn
from server.lobby.leaving import come_back
from server.outbox.unit_of_work import open_unit
from server.store.histories import require_started
from server.store.states import Channel
from server.turns import planned_turns
from server.turns.plans import read_plan
from server.web.api.act_request import read_body
from server.web.api.event_shapes import ApiShape, SeatNumber
from server.web.api.game_view import FoundGame, find_game
from server.web.api.problems import OrdersError
from server.web.kit.request_context import current_context, now


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


def show_plan(player: int, game_id: str, seat: int | None) -> PlanView:
    """The plan of a caller. Raises `ApiError` and `GameNotBegun`."""
    found = find_game(player, game_id, seat)
    return _describe_plan(found, found.own_seat)


def change_plan(player: int, game_id: str) -> PlanView:
    """Keep what a caller plans, or withdraw it. Raises `ApiError` and what `keep_plan` raises."""
    body = read_body(PlanRequest)
    found = find_game(player, game_id, body.seat)
    seat, language = found.own_seat, current_locale().language
    require_started(found.history)
    try:
        plan = None if body.plan is None else read_plan(body.plan, found.board, language)
    except Unreadable as refused:
        more = {"did_you_mean": list(refused.did_you_mean)} if refused.did_you_mean else {}
        raise OrdersError(422, f"{capitalize_first(explain_refusal(refused))}.", more) from None
    if found.history.is_kept(seat):  # whoever plans is back
        with open_unit(current_context(), now()) as unit:
            come_back(unit, game_id, seat, Channel.API)
            unit.commit()
    planned_turns.change_plan(current_context(), game_id, seat, plan, now())
    return _describe_plan(found, seat)


def _describe_plan(found: FoundGame, seat: int) -> PlanView:
    """The plan of a seat as its player may see it."""
    table = require_started(found.history).position.table
    with current_context().reading() as session:
        kept = planned_turns.find_plan(current_context(), session, found.game, seat)
    told = " ".join(describe_plan(kept, table))
    if kept is None:
        return PlanView(plan=None, turn=None, missed=False, fits=None, told=told)
    outlook = kept.outlook
    return PlanView(
        plan=kept.words if kept.plan is None else write_plan(kept.plan, table.board, plan_words(ENGLISH)),
        turn=kept.turn,
        missed=kept.missed,
        fits=outlook.number if isinstance(outlook, PlannedTurn) else None,
        told=told,
    )
