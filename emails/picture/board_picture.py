"""The SVG picture of a whole board from a player's view.

Equal views and overlays give equal bytes. Names typed by people are cleaned and escaped.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from html import escape

from emails.i18n import gettext, ngettext
from emails.names import isolate
from emails.picture import palette
from emails.picture.labels import (
    NAME_PIXELS,
    NO_LABELS,
    LabelLayout,
    LabelSizes,
    draw_labels,
    draw_values,
    lay_out_labels,
    name_box,
)
from emails.picture.layers import (
    COLUMN_WIDTH,
    DEFINITIONS,
    EMPTY_OVERLAY,
    FONT,
    FRAME_WIDTH,
    GROUND_TAG,
    GUARD_OUTLINES,
    GUARD_SIZE,
    LETTER_DROPS,
    LETTER_SIZES,
    NAME_SIZE,
    PROVINCES_TAG,
    SUN_DRAWING,
    Basemap,
    Box,
    Overlay,
    basemap_of,
    draw_ways,
    find_red_walls,
    name_spot,
)
from engine.board import Board, Side, Space, sides_of_path
from engine.position import Table, View
from engine.provinces import Province, provinces

ZOOM = 25 / COLUMN_WIDTH  # pixels per drawing unit; columns 25 pixels wide make a small PNG
MAX_WIDTH, MAX_HEIGHT = 1000, 1400
SEAT_WIDTH, SEAT_HEIGHT, SEAT_SIZE = 196, 36, 23
CLOSEUP_ROOM, CLOSEUP_PIXELS = 130, 360  # margin in drawing units, width in pixels on a phone
NAME_STYLE = (
    f' font-size="{NAME_SIZE:g}" font-weight="600" font-style="italic" text-anchor="middle" '
    f'fill="{palette.NAME_INK}"'
)


def draw_board(view: View, marks: Overlay = EMPTY_OVERLAY) -> str:
    """Draw a board as an SVG document without scripts.

    `class` names each layer; `data-space`, `data-label`, `data-province` and `data-seat` identify elements.
    """
    table = view.table
    chart = basemap_of(table.board)
    seats, feet = draw_seats(table, FRAME_WIDTH, chart.width - FRAME_WIDTH, chart.height)
    width, height = chart.width, chart.height + feet
    scale = min(ZOOM, MAX_WIDTH / width, MAX_HEIGHT / height)
    named = marks if marks.named else replace(marks, named=tuple(sorted(marks.targets)))
    layout = lay_out_labels(chart, table, named, chart.inner, _page_sizes(chart, table, marks))
    names = draw_small_names(chart, table, marks, layout, table.board.names, chart.inner)
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board" role="img" width="{width * scale:.0f}" '
            f'height="{height * scale:.0f}" viewBox="0 0 {width} {height}" font-family="{FONT}" '
            f'font-weight="700">{draw_titles(table)}<defs>{DEFINITIONS}</defs>'
            f'{GROUND_TAG}<rect width="{width}" height="{height}" fill="{palette.PAPER}"/>{chart.ground}</g>',
            *draw_position(chart, table, marks, names, table.board.symbols, tuple(provinces(table))),
            *draw_labels(chart, layout),
            seats,
            "</svg>",
        )
    )


def _page_sizes(chart: Basemap, table: Table, marks: Overlay) -> LabelSizes:
    across = [chart.locate(point)[0] for point in (table.alexander, *marks.labels, *marks.preview)]
    unit = (max(across) - min(across) + CLOSEUP_ROOM) / CLOSEUP_PIXELS
    least = min(NAME_PIXELS * unit, 17)
    return LabelSizes(max(least, 12.5), max(least, 8), 14, 22.5, on_corners=True)


def draw_small_names(
    chart: Basemap,
    table: Table,
    marks: Overlay,
    layout: LabelLayout,
    near: Container[Space],
    window: Box,
) -> str:
    covered = {space for standing in table.guards for space in standing} | layout.named
    if layout.names:
        for _, path in marks.marches:
            for edge in sides_of_path(path):
                covered.update(chart.board.spaces_on[edge])
    shown = [f'<g class="names"{NAME_STYLE}>']
    boxes = _small_name_boxes(chart.board)
    for space, drawn in chart.names.items():
        if space not in covered and space in near:
            box = boxes[space]
            shown += [drawn] if layout.leaves_room(box) and box.within(window) else []
    return "".join((*shown, "</g>"))


@lru_cache(maxsize=16)
def _small_name_boxes(board: Board) -> Mapping[Space, Box]:
    chart = basemap_of(board)
    return {space: name_box(board.names[space], *name_spot(chart, space)) for space in chart.names}


def draw_position(
    chart: Basemap,
    table: Table,
    marks: Overlay,
    names: str,
    seen: Container[Space],
    parts: tuple[Province, ...],
    grounded: Container[Space] = (),
    layout: LabelLayout = NO_LABELS,
) -> Iterator[str]:
    """Yield the layers above the map, from the tints of provinces to Alexander, for the spaces in `seen`.

    `parts` are all provinces; `names` is the drawn layer of place names. Symbols of the spaces in `grounded`
    are left out, because the map already contains them. The values of provinces avoid the labels in `layout`.
    """
    yield from _draw_tints(chart, parts, seen)
    if marks.changed:
        yield (
            f'<path class="changed" fill="none" stroke="{palette.INK}" '
            f'stroke-opacity="{palette.HATCHING_SHARE}" '
            f'stroke-width="2.2" d="{chart.hatch_path(marks.changed)}"/>'
        )
    if marks.targets:
        yield f'<g class="targets" fill="{palette.CHOICE_TINT}" stroke="{palette.CHOICE}" stroke-width="3">'
        for space in sorted(marks.targets):
            yield f'<path data-space="{space}" d="{chart.inset_path(space)}"/>'
        yield "</g>"
    yield from _draw_walls(chart, table, marks, seen)
    guarded = {space for standing in table.guards for space in standing}
    yield '<g class="symbols" stroke-width="0">'
    for space, drawn in chart.symbols.items():
        if space in seen and space not in grounded and space not in guarded:
            yield drawn
    yield "</g>"
    for seat, standing in enumerate(table.guards):
        if standing:
            yield f'<g class="guarded" fill="{palette.SEAT_COLOURS[seat]}">'
            yield f'<path d="{"".join(map(chart.inset_path, standing))}"/></g>'
    yield from draw_ways(chart, marks)
    yield names
    yield from _draw_guards(chart, table, seen)
    yield from draw_values(chart, parts, seen, layout)
    x, y = chart.locate(table.alexander)
    yield (
        f'<g class="alexander" transform="translate({x} {y})">'
        f'<circle r="16" fill="{palette.PURPLE}" stroke="{palette.PAPER}" stroke-width="2.5"/>'
        f'<g fill="{palette.SUN}">{SUN_DRAWING}</g></g>'
    )


def draw_titles(table: Table) -> str:
    title = gettext("%(board)s, turn %(turn)s", board=palette.clean_name(table.board.name), turn=table.turn)
    words = [gettext("Alexander stands on %(point)s.", point=table.alexander)]
    for seat, (name, score) in enumerate(zip(table.names, table.scores, strict=True)):
        words.append(
            ngettext(
                "%(name)s, %(look)s: %(number)s point.",
                "%(name)s, %(look)s: %(number)s points.",
                score,
                name=isolate(palette.clean_name(name)),
                look=gettext(palette.SEAT_LOOKS[seat]),
            )
        )
    return f"<title>{escape(title)}</title><desc>{escape(' '.join(words))}</desc>"


def _draw_tints(chart: Basemap, parts: tuple[Province, ...], seen: Container[Space]) -> Iterator[str]:
    lit: list[Space] = []
    edges: set[Side] = set()
    yield PROVINCES_TAG
    for province in parts:
        spaces = [space for space in province.spaces if space in seen]
        if province.holder is not None and spaces:
            yield (
                f'<path data-province="{province.first}" data-seat="{province.holder}" '
                f'fill="{palette.SEAT_TINTS[province.holder]}" d="{chart.area_path(spaces)}"/>'
            )
            lit += (place for place in province.places if place in seen and place not in province.guards)
            edges.update(*map(chart.board.sides_around.__getitem__, spaces))
    yield f'</g><g class="places" fill="{palette.PAPER}" fill-opacity="{palette.PLACE_LIGHTENING}">'
    yield f'<path d="{"".join(map(chart.inset_path, lit))}"/></g>'
    if edges:
        yield chart.draw_grid(edges)


def _draw_walls(chart: Basemap, table: Table, marks: Overlay, seen: Container[Space]) -> Iterator[str]:
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
    for name, drawn, colour, width, more in strokes:
        edges = [edge for edge in drawn if any(space in seen for space in chart.board.spaces_on[edge])]
        if edges:
            path = chart.sides_path(edges)
            yield f'<path class="{name}" stroke="{colour}" stroke-width="{width:g}"{more} d="{path}"/>'
    yield "</g>"


def _draw_guards(chart: Basemap, table: Table, seen: Container[Space]) -> Iterator[str]:
    yield '<g class="guards" text-anchor="middle" stroke-width="0">'
    for seat, standing in enumerate(table.guards):
        letter, foot = escape(palette.initial_of(table.names[seat], seat)), LETTER_DROPS[seat] * GUARD_SIZE
        yield f'<g font-size="{LETTER_SIZES[seat] * GUARD_SIZE:g}" fill="{palette.SEAT_COLOURS[seat]}">'
        for space in (one for one in standing if one in seen):
            x, y = chart.centre_of(space)
            lean = 1 if space.points_down else -1
            yield (
                f'<use href="#guarded-{table.board.symbols[space]}" x="{x}" y="{y + 13.5 * lean}"/>'
                f'<use href="#guard-{seat}" x="{x}" y="{y - 5 * lean}"/>'
                f'<text x="{x}" y="{y - 5 * lean + foot:g}">{letter}</text>'
            )
        yield "</g>"
    yield "</g>"


def draw_seats(table: Table, left: float, right: float, top: float) -> tuple[str, int]:
    """Return the list of players, with scores and the number of black walls left, as SVG, and its height."""
    abreast = max(1, int((right - left) // SEAT_WIDTH))
    shown = [f'<g class="seats" font-size="{SEAT_SIZE}">']
    rooms = [(SEAT_WIDTH - 40) / SEAT_SIZE - palette.estimate_width(f" {points}") for points in table.scores]
    for seat, short in enumerate(palette.fit_names(table.names, rooms)):
        colour, letter = palette.SEAT_COLOURS[seat], escape(palette.initial_of(table.names[seat], seat))
        x, y = left + 12 + seat % abreast * SEAT_WIDTH, top + 14 + seat // abreast * SEAT_HEIGHT
        pointer = '<path d="M17-7L26 0 17 7z"/>' if seat == table.seat and not table.over else ""
        shown.append(
            f'<g data-seat="{seat}" transform="translate({x:g} {y:g})" fill="{colour}">{GUARD_OUTLINES[seat]}'
            f'<g font-size="13" text-anchor="middle">'
            f'<text y="{LETTER_DROPS[seat]}" fill="#fff">{letter}</text></g>{pointer}'
            f'<text x="30" y="8">{escape(f"{short} {table.scores[seat]}".strip())}</text></g>'
        )
    rows = -(-len(table.names) // abreast)
    if abreast > len(table.names):
        rest = ngettext("%(number)s black wall left", "%(number)s black walls left", table.black)
        shown.append(
            f'<text x="{right:g}" y="{top + 22:g}" text-anchor="end" fill="{palette.FAINT_INK}">'
            f"{escape(rest)}</text>"
        )
    return "".join((*shown, "</g>")), rows * SEAT_HEIGHT
