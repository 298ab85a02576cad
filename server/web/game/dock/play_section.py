"""The board with the dock: the piece of the page of a turn that each step exchanges."""

from __future__ import annotations

from dataclasses import replace

from flask import render_template, url_for

from emails.i18n import gettext
from emails.picture.overlay import EMPTY_OVERLAY, Overlay
from emails.wording.narration import build_overlay
from server.web.game.board_links import CornerLink, draw_chart, draw_closeup
from server.web.game.dock.controls import Dock, build_dock
from server.web.game.dock.march_ways import CornerPick
from server.web.game.dock.price_tags import draw_price_tags, list_price_tags
from server.web.game.dock.turn_state import DockSelection, TurnState
from server.web.game.ticket_context import TicketContext, link_of, path_of, token_of
from server.web.game.ticket_forms import SeatForm, form_token

MOST_DRAWN = 6
"""Ways to one corner that are drawn as arrows at once."""


def play_values(state: TurnState, said: str = "") -> dict[str, object]:
    """The values that play.html needs. `said`: what is told before all else."""
    case, dock = state.case, build_dock(state)
    marks = _point_out(state, dock)
    spots = {pick.corner: _corner_link(state, pick) for pick in dock.corners}
    look = replace(state.asked, card=state.asked.card and state.card, corner="", province="").link(case)
    chart = draw_chart(
        state.known,
        marks,
        spots,
        lands=f"{look}&province=",
        tags=draw_price_tags(state.known, list_price_tags(state.known)),
        about=state.last_places,
    )
    return {
        "state": state,
        "dock": dock,
        "board": chart,
        "closeup": draw_closeup(state.known, marks, spots) if spots else "",
        "said": said,
        "token": token_of(case.turn_ticket),
        "turn_link": link_of(case.turn_ticket),
        "self_link": path_of(case.turn_ticket),
        "look": look,
        "turns_link": _turns_link(state),
        **form_values(case),
    }


def form_values(case: TicketContext) -> dict[str, object]:
    """The values that every form of the dock needs."""
    act = url_for("draft_pages.change_draft", token=token_of(case.turn_ticket))
    return {"act": act, "nonce": form_token(SeatForm.DRAFT, case)}


def _turns_link(state: TurnState) -> str:
    """Where a script asks for whole turns to choose from; empty where a turn is begun or nobody may ask."""
    if state.drafted or not state.is_advised:
        return ""
    return url_for("advice_page.show_turn_choices", token=token_of(state.case.turn_ticket))


def render_play_section(state: TurnState, said: str = "") -> str:
    """The piece itself."""
    return render_template("play.html", **play_values(state, said))


def _point_out(state: TurnState, dock: Dock) -> Overlay:
    """What the board points out: the corners of the card, the draft, or what others did."""
    table, seat = state.case.position.table, state.case.ticket.seat
    if state.draft is not None and state.decision is None:
        marked = build_overlay(state.draft.seen.events, table, state.known, state.path)
        # an arrow beside the dashes tells red walls from black ones, and nothing else
        return replace(
            marked, changed=frozenset(), marches=marked.marches if state.known.table.last_turn else ()
        )
    if state.decision is not None:
        labels = {pick.corner: pick.label for pick in dock.corners}
        tried = tuple((seat, way.path) for way in dock.ways[:MOST_DRAWN])
        labels |= {state.corner: ""} if state.corner else {}
        return Overlay(labels=labels, targets=frozenset(state.decision.targets), marches=tried)
    since, before = state.case.events_since
    if not since:
        return EMPTY_OVERLAY
    marked = build_overlay(since, before, state.known)
    return replace(marked, labels={}, targets=frozenset(), marches=marked.marches[-1:])


def _corner_link(state: TurnState, pick: CornerPick) -> CornerLink:
    link = DockSelection(state.card, str(pick.corner)).link(state.case)
    name = gettext("Corner %(label)s (%(point)s)", label=pick.label, point=pick.corner)
    return CornerLink(link, f"{name}: {pick.way.detail}")
