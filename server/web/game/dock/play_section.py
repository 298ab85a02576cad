"""The board with the dock and its price tags: the piece of a turn's page that each step exchanges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from flask import render_template, url_for

from emails.i18n import gettext
from emails.picture.basemap import basemap_of
from emails.picture.labels import find_clear_spot
from emails.picture.overlay import EMPTY_OVERLAY, Overlay
from emails.wording.costs import begin_turn_of_reader
from emails.wording.narration import build_overlay
from emails.wording.options import guard_placements
from engine import action_rules
from engine.board import Space
from engine.cards import Bag
from engine.position import View
from engine.provinces import Province, provinces
from server.web.game.board_scene import CornerLink, draw_chart, draw_closeup
from server.web.game.dock.controls import Dock, build_dock
from server.web.game.dock.turn_state import CornerPick, DockSelection, TurnState
from server.web.game.ticket_context import TicketContext, link_of, path_of, token_of
from server.web.game.ticket_forms import SeatForm, form_token

MOST_SHOWN = 12
"""Symbol spaces of a province up to which a tag makes sense: the free rest of the board is for nobody."""


@dataclass(frozen=True, slots=True)
class PriceTag:
    """What one province would cost the reader."""

    province: Province
    guards: tuple[Space, ...]
    """Where guards would stand in the first way; none where it cannot be had."""
    price: Bag | None
    """The cards of that way; None where it cannot be had."""

    @property
    def scores(self) -> bool:
        """Whether a levy would count it."""
        return len(self.guards) == 1 and self.province.value > 0


def list_price_tags(view: View) -> tuple[PriceTag, ...]:
    """The tag of each province that is not the reader's and not the whole rest of the board."""
    if view.me is None or view.table.over:
        return ()
    known = begin_turn_of_reader(view)
    return tuple(
        _price_of(known, province)
        for province in provinces(view.table)
        if province.holder != view.me and 0 < len(province.places) <= MOST_SHOWN
    )


def _price_of(known: View, province: Province) -> PriceTag:
    siege = action_rules.find_siege(known.table, known.my_seat, known.hand, province)
    if siege is None:
        return PriceTag(province, (), None)
    guards = next(guard_placements(known, siege))
    return PriceTag(province, guards, siege.price(known.table, guards))


def draw_price_tags(view: View, tags: tuple[PriceTag, ...]) -> Iterator[str]:
    """The tags of what can be had and would score, below the figures of the provinces."""
    chart = basemap_of(view.table.board)
    yield '<g class="tags" aria-hidden="true">'
    for tag in tags:
        if tag.price is not None and tag.scores:
            x, y, _ = find_clear_spot(chart, view.table, tag.province, tag.province.spaces)
            yield (
                f'<g class="tag" transform="translate({x:g} {y + 24:g})">'
                '<rect x="-24" y="-12" width="48" height="24" rx="6"/><path d="M-18-6l8-2 3 14-8 2z"/>'
                f'<path d="M-12-8l8 2-3 14-8-2z"/><text x="10" y="7">{len(tag.price)}</text></g>'
            )
    yield "</g>"


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
