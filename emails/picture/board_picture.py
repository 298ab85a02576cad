"""The picture of a board as one reader knows it: SVG for pages, PNG for letters.

What it shows follows from the view and the marks alone, byte for byte. Names that people chose are cleaned
and escaped on their way in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from emails.i18n import gettext, ngettext
from emails.picture import overlay as layers
from emails.picture import palette
from emails.picture.basemap import (
    COLUMN_WIDTH,
    DEFINITIONS,
    FONT,
    FRAME_WIDTH,
    GUARD_SIZE,
    NAME_SIZE,
    Basemap,
    basemap_of,
)
from emails.picture.overlay import EMPTY_OVERLAY, Overlay, find_red_walls
from emails.picture.png import GROUND_TAG, PROVINCES_TAG
from emails.picture.symbols import GUARD_OUTLINES, LETTER_DROPS, LETTER_SIZES, SUN_DRAWING
from engine.lattice import Side, Space
from engine.position import Table, View
from engine.provinces import Province, provinces

ZOOM = 25 / COLUMN_WIDTH
"""Pixels to a unit of the drawing. Columns lie whole pixels apart, and so the PNG is a tenth smaller."""
MAX_WIDTH, MAX_HEIGHT = 1000, 1400
"""Pixels: a picture that would be larger is drawn smaller."""
SEAT_WIDTH, SEAT_HEIGHT, SEAT_SIZE = 196, 36, 23
"""The room for a player's name and score, and the size of its letters."""
NAME_STYLE = (
    f' font-size="{NAME_SIZE:g}" font-weight="600" font-style="italic" text-anchor="middle" '
    f'fill="{palette.NAME_INK}"'
)


def draw_board(view: View, marks: Overlay = EMPTY_OVERLAY) -> str:
    """The board as one reader knows it, with these marks: a well-formed SVG document without script.

    `class` names the layers; `data-space`, `data-label`, `data-province` and `data-seat` say what is what.
    """
    table = view.table
    chart = basemap_of(table.board)
    seats, feet = _draw_seats(chart, table)
    width, height = chart.width, chart.height + feet
    scale = min(ZOOM, MAX_WIDTH / width, MAX_HEIGHT / height)
    parts = tuple(provinces(table))
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board" role="img" width="{width * scale:.0f}" '
            f'height="{height * scale:.0f}" viewBox="0 0 {width} {height}" font-family="{FONT}" '
            f'font-weight="700">{_draw_titles(table)}<defs>{DEFINITIONS}</defs>'
            f'{GROUND_TAG}<rect width="{width}" height="{height}" fill="{palette.PAPER}"/>{chart.ground}</g>',
            *_draw_tints(chart, parts),
            *layers.draw_changed(chart, marks),
            *layers.draw_targets(chart, marks),
            *_draw_walls(chart, table, marks),
            *_draw_unguarded(chart.symbols, table, "symbols", ' stroke-width="0"'),
            *_draw_guarded_spaces(chart, table),
            *layers.draw_marches(chart, marks),
            *layers.draw_preview(chart, marks),
            *_draw_unguarded(chart.names, table, "names", NAME_STYLE),
            *_draw_guards(chart, table),
            *_draw_values(chart, table, parts),
            *_draw_alexander(chart, table),
            *layers.draw_labels(chart, marks),
            seats,
            "</svg>",
        )
    )


def _draw_titles(table: Table) -> str:
    """The name of the picture and what it shows, for those who hear it."""
    title = gettext("%(board)s, turn %(turn)s", board=palette.clean_name(table.board.name), turn=table.turn)
    words = [gettext("Alexander stands on %(point)s.", point=table.alexander)]
    for seat, (name, score) in enumerate(zip(table.names, table.scores, strict=True)):
        words.append(
            ngettext(
                "%(name)s, %(look)s: %(number)s point.",
                "%(name)s, %(look)s: %(number)s points.",
                score,
                name=palette.clean_name(name),
                look=gettext(palette.SEAT_LOOKS[seat]),
            )
        )
    return f"<title>{escape(title)}</title><desc>{escape(' '.join(words))}</desc>"


def _draw_tints(chart: Basemap, parts: tuple[Province, ...]) -> Iterator[str]:
    """The provinces that are held, in the colours of their holders, with the places in them lighter.

    They cover the lines of the ground, so those are drawn again.
    """
    lit: list[Space] = []
    edges: set[Side] = set()
    yield PROVINCES_TAG
    for province in parts:
        if province.holder is not None:
            yield (
                f'<path data-province="{province.first}" data-seat="{province.holder}" '
                f'fill="{palette.SEAT_TINTS[province.holder]}" d="{chart.area_path(province.spaces)}"/>'
            )
            lit += (place for place in province.places if place not in province.guards)
            edges.update(*map(chart.board.sides_around.__getitem__, province.spaces))
    yield f'</g><g class="places" fill="{palette.PAPER}" fill-opacity="{palette.PLACE_LIGHTENING}">'
    yield f'<path d="{"".join(map(chart.inset_path, lit))}"/></g>'
    if edges:
        yield chart.draw_grid(edges)


def _draw_unguarded(drawn: Mapping[Space, str], table: Table, name: str, style: str) -> Iterator[str]:
    """What is drawn on the spaces where no guard stands."""
    guarded = {space for standing in table.guards for space in standing}
    yield f'<g class="{name}"{style}>'
    yield from (one for space, one in drawn.items() if space not in guarded)
    yield "</g>"


def _draw_walls(chart: Basemap, table: Table, marks: Overlay) -> Iterator[str]:
    """Black walls as whole lines, new ones on a glow; red ones, where known, with light dashes."""
    red = find_red_walls(table, marks)
    strokes = [
        ("edge", marks.fresh, palette.PAPER, 21.0, ""),
        ("fresh", marks.fresh, palette.GLOW, 17.0, ""),
        ("margin", table.walls - marks.fresh, palette.PAPER, 9.5, ""),
        ("wall", table.walls, palette.INK, 6.5, ""),
        ("red", red, palette.RED_WALL, 10.0, ""),
        ("dashes", red, palette.PAPER, 4.0, ' stroke-linecap="butt" stroke-dasharray="8 6.4"'),
    ]
    yield '<g class="walls" fill="none" stroke-linecap="round" stroke-linejoin="round">'
    for name, edges, colour, width, more in strokes:
        if edges:
            path = chart.sides_path(edges)
            yield f'<path class="{name}" stroke="{colour}" stroke-width="{width:g}"{more} d="{path}"/>'
    yield "</g>"


def _draw_guarded_spaces(chart: Basemap, table: Table) -> Iterator[str]:
    """The spaces where guards stand, in the colours of their seats."""
    for seat, standing in enumerate(table.guards):
        if standing:
            yield f'<g class="guarded" fill="{palette.SEAT_COLOURS[seat]}">'
            yield f'<path d="{"".join(map(chart.inset_path, standing))}"/></g>'


def _draw_guards(chart: Basemap, table: Table) -> Iterator[str]:
    """On each of these the shape and initial of the seat, and in the tip the symbol in white."""
    yield '<g class="guards" text-anchor="middle" stroke-width="0">'
    for seat, standing in enumerate(table.guards):
        letter, foot = escape(palette.initial_of(table.names[seat], seat)), LETTER_DROPS[seat] * GUARD_SIZE
        yield f'<g font-size="{LETTER_SIZES[seat] * GUARD_SIZE:g}" fill="{palette.SEAT_COLOURS[seat]}">'
        for space in standing:
            x, y = chart.centre_of(space)
            lean = 1 if space.points_down else -1
            yield (
                f'<use href="#guarded-{table.board.symbols[space]}" x="{x}" y="{y + 13.5 * lean}"/>'
                f'<use href="#guard-{seat}" x="{x}" y="{y - 5 * lean}"/>'
                f'<text x="{x}" y="{y - 5 * lean + foot:g}">{letter}</text>'
            )
        yield "</g>"
    yield "</g>"


def _draw_initial(table: Table, seat: int, colour: str) -> str:
    letter = escape(palette.initial_of(table.names[seat], seat))
    return f'<text y="{LETTER_DROPS[seat]}" fill="{colour}">{letter}</text>'


def _draw_values(chart: Basemap, table: Table, parts: tuple[Province, ...]) -> Iterator[str]:
    """What provinces are worth, in brackets where several guards stand, which score nothing (5.12).

    The largest province has no figure while it is free, nor has one that nobody can ever occupy (5.5).
    """
    largest = max(parts, key=lambda province: len(province.spaces))
    yield f'<g class="values" text-anchor="middle" stroke="{palette.PAPER}" paint-order="stroke">'
    for province in parts:
        held = province.holder is not None
        if not province.places or (province is largest and not held):
            continue
        x, y, room = _find_clear_spot(chart, table, province)
        colour = palette.FAINT_INK if province.holder is None else palette.SEAT_COLOURS[province.holder]
        figure = f"({province.value})" if len(province.guards) > 1 else f"{province.value}"
        size = (30 if held and len(figure) < 4 else 24 if held else 21) if room else 15
        yield (
            f'<text data-province="{province.first}" x="{x:g}" y="{y + size / 3:.1f}" font-size="{size}" '
            f'fill="{colour}" stroke-width="{size / 7:.1f}">{figure}</text>'
        )
    yield "</g>"


def _find_clear_spot(chart: Basemap, table: Table, province: Province) -> tuple[float, float, bool]:
    """Where to write the value of a province, and whether there is room for a large figure.

    That is the open space nearest the middle; with none, the tip of a place, or beside a guard.
    """
    hearts = [chart.centre_of(space) for space in province.spaces]
    mid_x, mid_y = (sum(numbers) / len(hearts) for numbers in zip(*hearts, strict=True))
    symbols = table.board.symbols
    clear = [heart for space, heart in zip(province.spaces, hearts, strict=True) if not symbols[space]]
    if clear:
        x, y = min(clear, key=lambda spot: (spot[0] - mid_x) ** 2 + (spot[1] - mid_y) ** 2)
        return x, y, True
    bare: list[Space] = [space for space in province.places if space not in province.guards]
    space = bare[0] if bare else province.first
    x, y = chart.centre_of(space)
    lean = 1 if space.points_down else -1
    return (x, y + 21.5 * lean, False) if bare else (x - 18, y - 10.5 * lean, False)


def _draw_alexander(chart: Basemap, table: Table) -> Iterator[str]:
    x, y = chart.locate(table.alexander)
    yield (
        f'<g class="alexander" transform="translate({x} {y})">'
        f'<circle r="16" fill="{palette.PURPLE}" stroke="{palette.PAPER}" stroke-width="2.5"/>'
        f'<g fill="{palette.SUN}">{SUN_DRAWING}</g></g>'
    )


def _draw_seats(chart: Basemap, table: Table) -> tuple[str, int]:
    """Who has which colour and shape, who moves, the scores and the walls left; and how high all that is."""
    abreast = max(1, (chart.width - FRAME_WIDTH) // SEAT_WIDTH)
    top = chart.height + 14
    shown = [f'<g class="seats" font-size="{SEAT_SIZE}">']
    for seat, (name, points) in enumerate(zip(table.names, table.scores, strict=True)):
        colour, letter = palette.SEAT_COLOURS[seat], _draw_initial(table, seat, "#fff")
        x, y = FRAME_WIDTH + 12 + seat % abreast * SEAT_WIDTH, top + seat // abreast * SEAT_HEIGHT
        pointer = '<path d="M17-7L26 0 17 7z"/>' if seat == table.seat and not table.over else ""
        short = palette.fit_name(name, (SEAT_WIDTH - 40) / SEAT_SIZE - palette.estimate_width(f" {points}"))
        shown.append(
            f'<g data-seat="{seat}" transform="translate({x} {y})" fill="{colour}">{GUARD_OUTLINES[seat]}'
            f'<g font-size="13" text-anchor="middle">{letter}</g>{pointer}'
            f'<text x="30" y="8">{escape(f"{short} {points}".strip())}</text></g>'
        )
    if abreast > len(table.names):
        left = ngettext("%(number)s wall left", "%(number)s walls left", table.walls_left)
        shown.append(
            f'<text x="{chart.width - FRAME_WIDTH}" y="{top + 8}" text-anchor="end" '
            f'fill="{palette.FAINT_INK}">'
            f"{escape(left)}</text>"
        )
    rows = -(-len(table.names) // abreast)
    return "".join((*shown, "</g>")), rows * SEAT_HEIGHT
