"""The plan of a caller for their next turn: shown, kept instead of another one, or withdrawn."""

from __future__ import annotations

from emails.i18n import current_locale
from emails.languages.lexicon import plan_words
from emails.languages.supported_languages import ENGLISH
from emails.plans.plan_text import describe_plan
from emails.wording.phrases import capitalize_first, explain_refusal
from engine.actions import Unreadable
from engine.plans.plan_words import write_plan
from engine.plans.rehearsal import PlannedTurn
from server.lobby.seat_returns import come_back
from server.outbox.unit_of_work import open_unit
from server.store.histories import require_started
from server.store.states import Channel
from server.turns import planned_turns
from server.turns.plans import read_plan
from server.web.api.act_request import read_body
from server.web.api.game_view import FoundGame, find_game
from server.web.api.plan_shapes import PlanRequest, PlanView
from server.web.api.problems import ApiError, OrdersError
from server.web.kit.request_context import current_context, now


def read_plan_request() -> PlanRequest:
    """What the request plans. Raises `ApiError`: it is no JSON of that shape."""
    return read_body(PlanRequest)


def show_plan(player: int, game_id: str, seat: int | None) -> PlanView:
    """The plan of a caller. Raises `ApiError` and `GameNotBegun`."""
    found = find_game(player, game_id, seat)
    return _describe_plan(found, _seat_of(found))


def change_plan(player: int, game_id: str, body: PlanRequest) -> PlanView:
    """Keep what a caller plans, or withdraw it. Raises `ApiError` and what `keep_plan` raises."""
    found = find_game(player, game_id, body.seat)
    seat, language = _seat_of(found), current_locale().language
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


def _seat_of(found: FoundGame) -> int:
    if found.me is None:
        raise ApiError(403)
    return found.me


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
