"""A turn sheet: one page in black and white with all that is needed to think about a turn away from a screen.

It is the drawing of the other pages in other inks: the land of each seat has strokes of its own, guards have
shapes and initials, red walls are dashed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from flask import Blueprint, redirect, render_template
from flask.typing import ResponseReturnValue

from emails.picture import palette
from emails.picture.board_picture import draw_board
from emails.picture.overlay import Overlay
from emails.wording import phrases, standings
from emails.wording.narration import build_overlay
from emails.wording.options import OptionGroup, list_options
from engine.position import Phase, View
from server.web.game.page_readers import page_links, reader_of_ticket
from server.web.kit.locale import localize_orders

ROOM_LINES, LINE_WIDTH = 18, 34
"""Lines for choices on a page, and their width in units of the size of their letters."""
LONGEST_EXAMPLE = 60
"""Characters of the words that are shown as an example."""
MOST_LANDS, MOST_NAMED = 12, 4
"""Provinces for which a page has room, the held ones first; places by which one is named."""
WHITE, PALE, GREY, BLACK = "#ffffff", "#cccccc", "#666666", "#000000"
BLACK_INKS = {
    **dict.fromkeys((palette.PAPER, palette.SEA, *palette.SHALLOWS, palette.LAND, palette.SUN), WHITE),
    **dict.fromkeys((palette.CHOICE_TINT, palette.MERIDIAN, palette.GRID, palette.GLOW), PALE),
    **dict.fromkeys((palette.COAST, palette.FAINT_INK), GREY),
    **dict.fromkeys((palette.INK, palette.NAME_INK, palette.RED_WALL, palette.CHOICE, palette.PURPLE), BLACK),
    **dict.fromkeys((*palette.SYMBOL_COLOURS, *palette.SEAT_COLOURS), BLACK),
    **{tint: f"url(#strokes-{seat})" for seat, tint in enumerate(palette.SEAT_TINTS)},
}
"""What becomes of each colour of the pictures where there is black ink alone."""
SEAT_STROKES = ("M-2 2L2-2M-2 12L12-2M8 12L12 8", "M-2 8L2 12M-2-2L12 12M8-2L12 2", "M0 5H10", "M5 0V10")
"""How the land of each seat is hatched, in squares of 10 units."""
pages = Blueprint("print_sheet", __name__)


@dataclass(frozen=True, slots=True)
class SheetChoices:
    """The choices for which there is room, and how many more there are."""

    groups: tuple[OptionGroup, ...]
    more: int


@pages.get("/t/<token>/sheet")
def show_print_sheet(token: str) -> ResponseReturnValue:
    """The sheet of the bearer of a ticket, of the game as it is now."""
    reader = reader_of_ticket(token)
    if not reader.has_begun:
        return redirect(reader.page_link(), 303)
    known = reader.view_at()
    offered = list_options(known)
    lands = standings.province_standings(known)
    words = (localize_orders(one.words) for group in offered for one in group.choices)
    return render_template(
        "print_sheet.html",
        name=phrases.safe_name(reader.game.name),
        reader=phrases.safe_name(reader.name),
        links=page_links(reader, "sheet"),
        deadline=reader.deadline,
        mover=phrases.safe_name(known.table.names[known.table.seat]),
        view=known,
        table=known.table,
        board=ink_in_black(
            draw_board(known, reader.add_red_march(len(reader.positions) - 1, _corner_marks(known)))
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


def _corner_marks(known: View) -> Overlay:
    """The numbers of the corners; arrows would look like walls."""
    return build_overlay((), None, known)


def _province_name(known: View, land: standings.ProvinceStanding) -> str:
    """A province by its places; their symbols are on the board."""
    places = land.province.places
    return land.contents if len(places) > MOST_NAMED else phrases.format_places(known.table, places)


def ink_in_black(drawn: str) -> str:
    """A picture of a board in black ink."""
    patterns = "".join(
        f'<pattern id="strokes-{seat}" width="10" height="10" patternUnits="userSpaceOnUse">'
        f'<path d="{strokes}" fill="none" stroke="{GREY}" stroke-width="1.4"/></pattern>'
        for seat, strokes in enumerate(SEAT_STROKES)
    )
    coloured = re.sub("#[0-9a-f]{6}", lambda found: BLACK_INKS.get(found[0], found[0]), drawn)
    return coloured.replace("<defs>", f"<defs>{patterns}", 1)


# --- what finds room ------------------------------------------------------------------------------------


def fit_choices(groups: Sequence[OptionGroup], room: int = ROOM_LINES) -> SheetChoices:
    """As many choices of each group as find room, the best ones; where groups are many, the first of them."""
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
