"""The page on which a player plans their next turn: in words, or on the board as it is now.

What is begun on the board stands in the address and is kept nowhere; only what is kept as a plan is stored.
"""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import current_locale, gettext
from emails.languages.lexicon import plan_words
from emails.plans.plan_text import KeptPlan, example_plan, say_plan, tell_plan
from emails.wording import phrases
from engine.actions import Unreadable
from engine.notation.parser import parse
from engine.plans.rehearsal import foresee_turn
from engine.plans.syntax import LONGEST_PLAN, write_orders
from engine.plans.turn_plans import Alternative
from engine.position import Position, view
from server.outbox.budgets import player_origin
from server.store.event_log import StartedHistory, require_started
from server.turns import play
from server.turns.dry_run import SEPARATOR, LinesRefused
from server.turns.plans import read_plan
from server.web.game.dock.controls import Dock
from server.web.game.dock.play_section import play_values
from server.web.game.dock.turn_state import DockSelection, make_state, read_look
from server.web.game.draft_pages import LONGEST_STEP, STEPS_PER_HOUR
from server.web.game.preview import lines_of
from server.web.game.ticket_context import TicketContext, link_of, load_ticket, redirect_to_game, token_of
from server.web.game.ticket_forms import SeatForm, answers_form, render_form
from server.web.kit import rate_limit
from server.web.kit.request_context import current_context, now

pages = Blueprint("plan_page", __name__)


@pages.get("/t/<token>/plan")
def show_plan(token: str) -> ResponseReturnValue:
    """The plan of the bearer, the words for another one, and the board to make it on; changes nothing."""
    case = load_ticket(token)
    if not _may_plan(case):
        return redirect_to_game(case)
    return _render_plan(case)


def _render_plan(case: TicketContext, wrong: str = "") -> str:
    with current_context().reading() as session:
        kept = play.find_plan(current_context(), session, case.game, case.ticket.seat)
    begun = tuple(lines_of(request.args.get("begun", "")[:LONGEST_STEP]))
    board: dict[str, object] = {}
    if not case.view.my_turn:
        try:
            board = _board_values(case, begun)
        except LinesRefused as refused:
            wrong, begun = wrong or refused.sentence, ()
            board = _board_values(case, begun)
    shown: dict[str, object] = {
        "kind": "game" if board else "plain",
        "told": _introduce_plan(case, begun, kept),
        "deadline": case.deadline,
        "waits_for": case.other_mover,
        "kept": kept is not None,
        "words": request.form.get("words", "")[:LONGEST_PLAN] or _words_of(case, begun, kept),
        "example": gettext("For example “%(plan)s”.", plan=example_plan(case.position.table.board)),
        "keeps": bool(begun),
        "longest": LONGEST_PLAN,
        "action": url_for("plan_page.change_plan", token=token_of(case.turn_ticket)),
    }
    return render_form("plan.html", SeatForm.PLAN, case, wrong, **board | shown)


@pages.post("/t/<token>/plan")
@answers_form(SeatForm.PLAN, _render_plan)
def change_plan(case: TicketContext) -> ResponseReturnValue:
    """A button was pressed: a step on the board, or the plan is kept or withdrawn."""
    if not _may_plan(case):
        return redirect_to_game(case)
    if not rate_limit.allow_often(
        rate_limit.LimitedAction.STEPS, STEPS_PER_HOUR, player_origin(case.player).text
    ):
        return _render_plan(
            case, gettext("You have begun this turn anew very often. Please wait for a while.")
        ), 429
    given = request.form
    if "keep" not in given and "withdraw" not in given:
        return redirect(_page_of(case, _step_lines()), 303)
    try:
        _change_plan(case, given.get("words", ""), withdrawn="withdraw" in given)
    except Unreadable as refused:
        why = phrases.capitalize_first(phrases.explain_refusal(refused))
        return _render_plan(case, f"{why}."), 409
    return redirect(_page_of(case, ()) if case.view.my_turn else link_of(case.turn_ticket), 303)


def _change_plan(case: TicketContext, words: str, *, withdrawn: bool) -> None:
    """Keep what is planned in words, or withdraw what was. Raises `Unreadable` and `Refusal`."""
    board = current_context().board_of(case.game)
    plan = None if withdrawn else read_plan(words, board, current_locale().language)
    play.change_plan(current_context(), case.game.id, case.ticket.seat, plan, now())


def _may_plan(case: TicketContext) -> bool:
    """Whether the game goes on, and its bearer plays in it."""
    return case.may_resign


def _page_of(case: TicketContext, begun: tuple[str, ...]) -> str:
    """The page that goes on with what is begun on the board."""
    token = token_of(case.turn_ticket)
    return url_for("plan_page.show_plan", token=token, begun=SEPARATOR.join(begun))


def _step_lines() -> tuple[str, ...]:
    """What is begun after the button of the dock that was pressed."""
    given = request.form.get
    base = tuple(lines_of(given("base", "")[:LONGEST_STEP]))
    if "over" in request.form:
        return ()
    if "undo" in request.form:
        return base[:-1]
    return base + tuple(lines_of((given("play", "") or given("do", ""))[:LONGEST_STEP]))


# --- what it shows --------------------------------------------------------------------------------------


def _introduce_plan(case: TicketContext, begun: tuple[str, ...], kept: KeptPlan | None) -> str:
    """What the page says first: the plan that there is, or how one is made; nothing once one is begun."""
    if begun:
        return ""
    if kept is not None:
        return " ".join(tell_plan(kept, case.position.table))
    if case.view.my_turn:
        return gettext("Write what you will do. It is tried a few seconds later, and only you know of it.")
    return gettext(
        "Play it on the board as it is now, or write it below. It is tried a few seconds after your turn "
        "has come, and only you know of it."
    )


def _words_of(case: TicketContext, begun: tuple[str, ...], kept: KeptPlan | None) -> str:
    """What is begun on the board, as a plan in words; else the plan that is there, to be changed."""
    board, words = case.position.table.board, plan_words(current_locale().language)
    if kept is not None and not begun:
        return kept.words if kept.plan is None else say_plan(kept.plan, board)
    try:
        orders = tuple(order for line in begun for order in parse(line, board))
    except Unreadable:
        return ""
    return f"{words.heading[0]}: {write_orders(Alternative((), orders), board, words)}" if orders else ""


def _board_values(case: TicketContext, begun: tuple[str, ...]) -> dict[str, object]:
    """The values of the board with its dock, as if the turn had come. Raises `LinesRefused`."""
    planning = replace(case, history=_foresee(case), page=_page_of(case, begun))
    state = make_state(planning, begun, DockSelection() if begun else read_look())
    found = play_values(state)
    if isinstance(dock := found["dock"], Dock):
        found["dock"] = _without_finality(dock)
    own = url_for("plan_page.show_plan", token=token_of(case.turn_ticket))
    act = url_for("plan_page.change_plan", token=token_of(case.turn_ticket))
    return found | {"self_link": own, "act": act, "turns_link": ""}


def _without_finality(dock: Dock) -> Dock:
    """The dock where no step is for good: nothing is played, and no card turned up."""
    land = None if dock.land is None else replace(dock.land, conquest=None)
    verbs = tuple(replace(verb, plays=False) for verb in dock.verbs)
    return replace(dock, land=land, verbs=verbs, hidden=0, is_last=False)


def _foresee(case: TicketContext) -> StartedHistory:
    """The history with the position as it is now, but with the bearer's turn begun."""
    history = require_started(case.history)
    now_is = history.position
    table = foresee_turn(view(now_is, case.ticket.seat)).table
    return replace(history, position=Position(table, now_is.hands, now_is.supply))
