"""What provinces are worth, written on them where names and discs leave room."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from emails.picture import palette
from emails.picture.basemap import Basemap
from emails.picture.label_shapes import NO_LABELS, LabelBox, LabelLayout, text_width
from emails.picture.png import BOLD
from engine.board import Space
from engine.position import Table
from engine.provinces import Province

LARGE, FREE, SMALL = 30, 21, 15
"""How large a figure is on held land and on free land, and where there is little room."""
CAPITAL = 0.72
"""How high a figure is, in units of its size."""


def draw_values(
    chart: Basemap,
    table: Table,
    parts: Sequence[Province],
    seen: Container[Space],
    layout: LabelLayout = NO_LABELS,
) -> Iterator[str]:
    """What provinces are worth, in brackets where several guards stand, which score nothing (5.12).

    One of which the picture shows so little that its figure would be cut off has none.
    """
    yield f'<g class="values" text-anchor="middle" stroke="{palette.PAPER}" paint-order="stroke">'
    for province, spaces in _list_valued(parts, seen):
        x, y, room = find_clear_spot(chart, table, province, spaces, layout)
        colour = palette.FAINT_INK if province.holder is None else palette.SEAT_COLOURS[province.holder]
        figure, size = _figure_of(province, room=room)
        if not layout.shows(_figure_box(x, y, figure, size)):
            continue
        yield (
            f'<text data-province="{province.first}" x="{x:g}" y="{y + size / 3:.1f}" font-size="{size}" '
            f'fill="{colour}" stroke-width="{size / 7:.1f}">{figure}</text>'
        )
    yield "</g>"


def value_boxes(
    chart: Basemap, table: Table, parts: Sequence[Province], seen: Container[Space]
) -> Iterator[LabelBox]:
    """What these figures cover where nothing else stands."""
    for province, spaces in _list_valued(parts, seen):
        x, y, room = find_clear_spot(chart, table, province, spaces)
        yield _figure_box(x, y, *_figure_of(province, room=room))


def _list_valued(parts: Sequence[Province], seen: Container[Space]) -> Iterator[tuple[Province, list[Space]]]:
    """The provinces that have a figure, each with those of its spaces that can be seen.

    The largest has none while it is free, nor has one that nobody can ever occupy (5.5).
    """
    largest = max(parts, key=lambda province: len(province.spaces))
    for province in parts:
        if not province.places or (province is largest and province.holder is None):
            continue
        spaces = [space for space in province.spaces if space in seen]
        if spaces:
            yield province, spaces


def _figure_of(province: Province, *, room: bool) -> tuple[str, int]:
    """The figure of a province and its size."""
    figure = f"({province.value})" if len(province.guards) > 1 else f"{province.value}"
    if not room:
        return figure, SMALL
    if province.holder is None:
        return figure, FREE
    return figure, LARGE if len(figure) < 4 else 24


def _figure_box(x: float, y: float, figure: str, size: int) -> LabelBox:
    """What a figure covers whose middle is there."""
    half = text_width(figure, size, BOLD) / 2
    return LabelBox(x - half, y - CAPITAL * size / 2, x + half, y + CAPITAL * size / 2)


def find_clear_spot(
    chart: Basemap,
    table: Table,
    province: Province,
    spaces: Sequence[Space],
    layout: LabelLayout = NO_LABELS,
) -> tuple[float, float, bool]:
    """Where to write the value of a province, and whether there is room for a large figure.

    That is, of the spaces that can be seen, the open one nearest the middle on which no label of a `layout`
    stands; with none, the tip of a place, or beside a guard.
    """
    hearts = [chart.centre_of(space) for space in spaces]
    mid_x, mid_y = (sum(numbers) / len(hearts) for numbers in zip(*hearts, strict=True))
    symbols = table.board.symbols
    clear = [heart for space, heart in zip(spaces, hearts, strict=True) if not symbols[space]]
    if clear:
        figure = _figure_of(province, room=True)
        clear.sort(key=lambda spot: (spot[0] - mid_x) ** 2 + (spot[1] - mid_y) ** 2)
        free = (spot for spot in clear if layout.leaves_room(_figure_box(*spot, *figure)))
        return *next(free, clear[0]), True
    bare = [space for space in spaces if symbols[space] and space not in province.guards]
    space = bare[0] if bare else spaces[0]
    x, y = chart.centre_of(space)
    lean = 1 if space.points_down else -1
    return (x, y + 21.5 * lean, False) if bare else (x - 18, y - 10.5 * lean, False)
