"""Pages that only show a game: for spectators, and the printable turn sheet.

The sheet is one page in black and white with all that is needed to think about a turn away from a screen. It
recolours the usual drawing: hatched land, guards with shapes and initials, dashed red walls. The page of
spectators shows no hands and no chat.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from flask import Blueprint, redirect, render_template
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.picture import palette
from emails.picture.board_picture import draw_board
from emails.picture.overlay import Overlay
from emails.wording import phrases, standings
from emails.wording.narration import build_overlay
from emails.wording.options import OptionGroup, list_options
from engine.events import TurnEnded
from engine.position import Phase, View
from server.store.turn_clock import is_awaiting_letter
from server.web.game.board_scene import scene_values
from server.web.game.finished_game import finished_game_values
from server.web.game.viewers import (
    Viewer,
    not_begun_sentence,
    own_seat_link,
    page_links,
    spectator_of_game,
    viewer_of_ticket,
)
from server.web.kit import errors
from server.web.kit.locale import localize_orders

ROOM_LINES, LINE_WIDTH = 18, 34
"""Lines for choices on a sheet, and their width in units of the font size."""
LONGEST_EXAMPLE = 60
MOST_LANDS, MOST_NAMED = 12, 4
"""Provinces listed on a sheet, held ones first; most places that name one."""
WHITE, PALE, GREY, BLACK = "#ffffff", "#cccccc", "#666666", "#000000"
BLACK_INKS = {
    **dict.fromkeys((palette.PAPER, palette.SEA, *palette.SHALLOWS, palette.LAND, palette.SUN), WHITE),
    **dict.fromkeys((palette.CHOICE_TINT, palette.MERIDIAN, palette.GRID, palette.GLOW), PALE),
    **dict.fromkeys((palette.COAST, palette.FAINT_INK), GREY),
    **dict.fromkeys((palette.INK, palette.NAME_INK, palette.RED_WALL, palette.CHOICE, palette.PURPLE), BLACK),
    **dict.fromkeys((*palette.SYMBOL_COLOURS, *palette.SEAT_COLOURS), BLACK),
    **{tint: f"url(#strokes-{seat})" for seat, tint in enumerate(palette.SEAT_TINTS)},
}
SEAT_STROKES = ("M-2 2L2-2M-2 12L12-2M8 12L12 8", "M-2 8L2 12M-2-2L12 12M8-2L12 2", "M0 5H10", "M5 0V10")
"""Hatching of each seat's land, as a path in a square of 10 units."""
pages = Blueprint("readonly_pages", __name__)


@dataclass(frozen=True, slots=True)
class SheetChoices:
    """The choices that fit on the sheet, and the number of further ones."""

    groups: tuple[OptionGroup, ...]
    more: int


@pages.get("/t/<token>/sheet")
def show_print_sheet(token: str) -> ResponseReturnValue:
    viewer = viewer_of_ticket(token)
    if not viewer.has_begun:
        return redirect(viewer.page_link(), 303)
    known = viewer.view_at()
    offered = list_options(known)
    lands = standings.province_standings(known)
    words = (localize_orders(one.words) for group in offered for one in group.choices)
    return render_template(
        "print_sheet.html",
        name=phrases.safe_name(viewer.game.name),
        reader=phrases.safe_name(viewer.name),
        links=page_links(viewer, "sheet"),
        deadline=viewer.deadline,
        mover=phrases.safe_name(known.table.names[known.table.seat]),
        view=known,
        table=known.table,
        board=ink_in_black(
            draw_board(known, viewer.add_red_march(len(viewer.positions) - 1, build_overlay((), None, known)))
        ),
        alt=standings.board_alt_text(known, {}),
        summary=standings.summarize_game(known),
        rows=standings.player_standings(known),
        lands=[(land, _province_name(known, land)) for land in lands[:MOST_LANDS]],
        lands_left=len(lands) - MOST_LANDS,
        offer=fit_choices(offered),
        marching=known.table.phase is Phase.MARCH,
        example=next((one for one in words if 0 < len(one) <= LONGEST_EXAMPLE), ""),
    )


def _province_name(known: View, land: standings.ProvinceStanding) -> str:
    places = land.province.places
    return land.contents if len(places) > MOST_NAMED else phrases.format_places(known.table, places)


def ink_in_black(drawn: str) -> str:
    patterns = "".join(
        f'<pattern id="strokes-{seat}" width="10" height="10" patternUnits="userSpaceOnUse">'
        f'<path d="{strokes}" fill="none" stroke="{GREY}" stroke-width="1.4"/></pattern>'
        for seat, strokes in enumerate(SEAT_STROKES)
    )
    coloured = re.sub("#[0-9a-f]{6}", lambda found: BLACK_INKS.get(found[0], found[0]), drawn)
    return coloured.replace("<defs>", f"<defs>{patterns}", 1)


# --- what finds room ------------------------------------------------------------------------------------


def fit_choices(groups: Sequence[OptionGroup], room: int = ROOM_LINES) -> SheetChoices:
    """Return as many of the best choices of each group as fit; if necessary drop the last groups."""
    total = sum(len(group.choices) for group in groups)
    kept: list[OptionGroup] = []
    most = max((len(group.choices) for group in groups), default=0)
    for each in range(most, 0, -1):
        kept = [replace(group, choices=group.choices[:each]) for group in groups]
        if sum(map(_count_lines, kept)) <= room:
            break
    while kept and sum(map(_count_lines, kept)) > room:
        kept.pop()
    for number, group in enumerate(kept):
        for more in groups[number].choices[len(group.choices) :]:
            longer = replace(kept[number], choices=(*kept[number].choices, more))
            if sum(map(_count_lines, kept)) - _count_lines(kept[number]) + _count_lines(longer) <= room:
                kept[number] = longer
    return SheetChoices(tuple(kept), total - sum(len(group.choices) for group in kept))


def _count_lines(group: OptionGroup) -> int:
    return _count_wrapped(group.heading) + sum(
        _count_wrapped(f"{one.title}: {one.detail}") for one in group.choices
    )


def _count_wrapped(words: str) -> int:
    return ceil(palette.estimate_width(words) / LINE_WIDTH)


@pages.get("/g/<game>")
def show_spectator_page(game: str) -> ResponseReturnValue:
    """Show a game to spectators; redirect its signed-in players to their own page."""
    if own := own_seat_link(game):
        return redirect(own, 303)
    viewer = spectator_of_game(game)
    if not viewer.has_begun:
        return errors.render_message(gettext("Not yet"), not_begun_sentence(), 404)
    return _render_page(viewer)


def _render_page(viewer: Viewer) -> str:
    known = viewer.view_at()
    table = known.table
    since, pointed = _recent_events(viewer)
    facts = scene_values(viewer.game.id, known, pointed) | {
        "name": phrases.safe_name(viewer.game.name),
        "links": page_links(viewer, "board"),
        "since": since,
        "deadline": viewer.deadline,
        "awaited": is_awaiting_letter(viewer.game),
    }
    if table.over:
        more = finished_game_values(viewer.game, viewer.history, known)
        return render_template("finished.html", frame="spectator.html", game=viewer.game, **facts, **more)
    return render_template("spectator.html", **facts)


def _recent_events(viewer: Viewer) -> tuple[list[str], Overlay]:
    ends = [number + 1 for number, fact in enumerate(viewer.visible_events) if isinstance(fact, TurnEnded)]
    begun = max(1, ends[-2] if len(ends) > 1 else 0)
    told = viewer.visible_events[begun:]
    sentences = [line.words for line in viewer.narrate(begun, len(viewer.visible_events))]
    return sentences, build_overlay(told, viewer.positions[begun - 1].table, viewer.view_at())
