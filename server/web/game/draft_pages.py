"""The buttons of the dock: what can be undone is drafted, what cannot is played with all before it.

A step says what it goes on from and what its page took for the draft. Where another window has drafted
something else meanwhile the newer step counts, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from server.outbox.budgets import player_origin
from server.outbox.queue import open_unit
from server.store.refusals import GameNotRunning, StalePosition
from server.turns.dry_run import (
    SEPARATOR,
    DraftedTurn,
    LinesRefused,
    PlayerResigned,
    compile_draft,
    keep_draft,
    load_draft,
)
from server.turns.play import load_running_game
from server.web.game import turn_pages
from server.web.game.dock.play_section import render_play_section
from server.web.game.dock.turn_state import DockSelection, TurnState, load_state, make_state, read_look
from server.web.game.preview import lines_of
from server.web.game.ticket_context import TicketContext, link_of, load_ticket
from server.web.game.ticket_forms import SeatForm, is_form_valid
from server.web.game.ticket_pages import perform_words
from server.web.kit import errors, rate_limit
from server.web.kit.request_context import current_context, now

LONGEST_STEP = 1000
"""Characters of what one button does."""
STEPS_PER_HOUR = 3000
"""Buttons of docks that one player presses within an hour: more than anybody does by hand."""
pages = Blueprint("draft_pages", __name__)


@dataclass(frozen=True, slots=True)
class DraftForm:
    """What a button of the dock says."""

    seen: str
    """The draft that its page showed."""
    base: tuple[str, ...]
    """The actions from which it goes on."""
    added: tuple[str, ...]
    """The actions that it adds."""
    plays: bool
    undoes: bool

    @property
    def lines(self) -> tuple[str, ...]:
        """The turn from its position on, as this button wants it."""
        if self.undoes:
            return ()
        return self.base + self.added


def read_draft_form() -> DraftForm:
    """The form that this request carries."""
    given = request.form.get
    placing = turn_pages.read_placement_form()
    added = given("play", "") or given("do", "") or (placing.words if placing else "")
    return DraftForm(
        given("seen", "")[:LONGEST_STEP],
        tuple(lines_of(given("base", "")[:LONGEST_STEP])),
        tuple(lines_of(added[:LONGEST_STEP])),
        "play" in request.form,
        "over" in request.form,
    )


@pages.get("/t/<token>/play")
def show_play_section(token: str) -> ResponseReturnValue:
    """The board with the dock, as the address looks at it; the whole page where the turn is over."""
    case = load_ticket(token)
    if not turn_pages.is_at_turn(case):
        return turn_pages.render_game_page(case)
    return render_play_section(load_state(case, read_look()))


@pages.post("/t/<token>/draft")
def change_draft(token: str) -> ResponseReturnValue:
    """A button of the dock was pressed."""
    case = load_ticket(token)
    if not is_form_valid(SeatForm.DRAFT, case):
        words = gettext("This button is too old, or it does not belong to this page. Nothing was done.")
        title, again = gettext("Please look once more"), gettext("Look again")
        return errors.render_message(title, words, 400, link_of(case.turn_ticket), again)
    if not turn_pages.is_at_turn(case):
        return turn_pages.render_overtaken_page(case), 409
    if not rate_limit.allow_often(rate_limit.LimitedAction.STEPS, STEPS_PER_HOUR, _origin_of(case)):
        words = gettext("You have begun this turn anew very often. Please wait for a while.")
        return _show_dock(case, load_state(case), words, 429)
    form, placing = read_draft_form(), turn_pages.read_placement_form()
    if placing is not None:
        found = placing.cost_for(make_state(case, form.base, DockSelection()).known)
        if not found.fits:
            return _show_dock(case, load_state(case, read_look()), " ".join(found.sentences), 409)
    if form.plays:
        return perform_words(case, SEPARATOR.join(form.lines))
    try:
        if "undo" in request.form:
            return _show_dock(case, *_undo(case, form))
        stored, drafted = _keep_draft(case, form.lines)
    except StalePosition:
        return turn_pages.render_overtaken_page(load_ticket(token)), 409
    except GameNotRunning:
        raise errors.GameGone from None
    except LinesRefused as refused:
        return _show_dock(case, load_state(case, read_look()), errors.note_refusal(refused), 409)
    state = make_state(case, drafted.kept if drafted else (), DockSelection())
    return _show_dock(
        case, replace(state, next=drafted.later[:1] if drafted else ()), _tell_overwritten(form, stored)
    )


def _origin_of(case: TicketContext) -> str:
    """Whose steps are counted: of a player all together."""
    return player_origin(case.player).text


def _undo(case: TicketContext, form: DraftForm) -> tuple[TurnState, str]:
    """Take the last step back; with a march goes its card, which is then looked at."""
    state = make_state(case, form.base, DockSelection())
    state = (
        state.without_march() if state.has_just_marched else make_state(case, form.base[:-1], DockSelection())
    )
    return state, _tell_overwritten(form, _keep_draft(case, state.drafted)[0])


def _keep_draft(case: TicketContext, lines: Sequence[str]) -> tuple[str, DraftedTurn | None]:
    """Keep a draft; what was kept before, and what is now.

    Raises `LinesRefused`, `StalePosition` and `GameNotRunning`.
    """
    ticket = case.ticket
    with open_unit(current_context(), now(), game=ticket.game) as unit:
        game = load_running_game(unit.context, unit.session, ticket.game, ticket.after)
        if ticket.seat in game.history.resigned:
            raise PlayerResigned(())
        drafted = compile_draft(game.history.position, ticket.seat, lines) if lines else None
        before = load_draft(unit.session, game.row, ticket.seat)
        keep_draft(unit.session, game.row, ticket.seat, drafted.kept if drafted else (), now())
        unit.session.commit()
    return SEPARATOR.join(before), drafted


def _tell_overwritten(form: DraftForm, stored: str) -> str:
    """What is said where another window had drafted something else; empty where none had."""
    if stored == form.seen:
        return ""
    return gettext("Another window had this turn otherwise; what you did here counts now.")


def _show_dock(
    case: TicketContext, state: TurnState, said: str = "", status: int = 200
) -> ResponseReturnValue:
    """The piece for a script, else the page."""
    if "part" in request.args:
        return render_play_section(state, said), status
    if said:
        return turn_pages.render_turn_page(state, said=said), status
    return redirect(replace(state.asked).link(case), 303)
