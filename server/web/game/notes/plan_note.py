"""What the page of a game says of its reader's plan: what would come of it, or why it was not played."""

from __future__ import annotations

from dataclasses import dataclass

from flask import url_for

from emails.plans.plan_text import explain_misfits, tell_plan
from engine.plans.rehearsal import has_next_turn
from server.turns.planned_turns import find_plan
from server.web.game.ticket_context import TicketContext, token_of
from server.web.game.ticket_forms import SeatForm, form_token
from server.web.kit.request_context import current_context


@dataclass(frozen=True, slots=True)
class PlanNote:
    """What a page says of its reader's plan for their next turn."""

    link: str
    """Where they plan it."""
    told: tuple[str, ...]
    """What they plan and what would come of it; empty where they plan nothing."""
    nonce: str
    """The CSRF token with which they withdraw it."""


def note_plan(case: TicketContext) -> PlanNote | None:
    """The plan of whoever waits for their turn; None where there is nothing to plan."""
    known = case.view
    if known.my_turn or not case.may_resign or not has_next_turn(known.table, case.ticket.seat):
        return None
    with current_context().reading() as session:
        kept = find_plan(current_context(), session, case.game, case.ticket.seat)
    link = url_for("plan_page.show_plan", token=token_of(case.turn_ticket))
    told = () if kept is None else tuple(tell_plan(kept, known.table))
    return PlanNote(link, told, form_token(SeatForm.PLAN, case))


def tell_missed_plan(case: TicketContext) -> tuple[str, ...]:
    """Why nothing of their plan is played, for whoever is to move and has not begun; else nothing."""
    table = case.view.table
    with current_context().reading() as session:
        kept = find_plan(current_context(), session, case.game, case.ticket.seat)
    if kept is None or not kept.is_missed(table):
        return ()
    return tuple(explain_misfits(kept, table))
