"""The layers of names and discs, drawn where the layout has found room for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from emails.picture import palette
from emails.picture.basemap import Basemap
from emails.picture.label_shapes import PlacedDisc, PlacedName


def draw_names(chart: Basemap, names: Iterable[PlacedName], layer: str = "named") -> Iterator[str]:
    """The names that matter, with light around them."""
    shown = [
        f'<text data-space="{one.space}" x="{one.x:.1f}" y="{one.foot:.1f}" font-size="{one.size:.2f}" '
        f'stroke-width="{one.size / 4:.1f}">{escape(chart.board.names[one.space])}</text>'
        for one in names
    ]
    if shown:
        yield (
            f'<g class="{layer}" font-weight="600" font-style="italic" text-anchor="middle" '
            f'fill="{palette.INK}" stroke="{palette.PAPER}" stroke-linejoin="round" paint-order="stroke">'
        )
        yield from shown
        yield "</g>"


def draw_stalks(chart: Basemap, discs: Sequence[PlacedDisc]) -> Iterator[str]:
    """From each disc that stands off its corner a stalk to there; names may lie over it."""
    lines = [
        f"M{chart.locate(one.point)[0]} {chart.locate(one.point)[1]}L{one.x:.1f} {one.y:.1f}"
        for one in discs
        if (one.x, one.y) != chart.locate(one.point)
    ]
    if lines:
        wide = max(one.radius for one in discs)
        yield '<g class="stalks" fill="none" stroke-linecap="round">'
        for colour, share in ((palette.PAPER, 0.7), (palette.CHOICE, 0.4)):
            yield f'<path stroke="{colour}" stroke-width="{wide * share:.1f}" d="{"".join(lines)}"/>'
        yield "</g>"


def draw_discs(discs: Iterable[PlacedDisc]) -> Iterator[str]:
    """The corners that can be chosen, each with its number or letters."""
    shown: list[str] = []
    for one in discs:
        form = f'<circle cx="{one.x:g}" cy="{one.y:g}" r="{one.radius:g}" stroke-width="2.5"/>'
        if one.half > one.radius:
            form = (
                f'<rect x="{one.x - one.half:g}" y="{one.y - one.radius:g}" width="{2 * one.half:g}" '
                f'height="{2 * one.radius:g}" rx="{one.radius:g}" stroke-width="2.5"/>'
                f'<circle cx="{one.x:g}" cy="{one.y:g}" r="{one.radius:g}" stroke-width="0"/>'
            )
        shown.append(
            f'<g data-label="{one.point}">{form}<text x="{one.x:g}" y="{one.y + one.size / 3:g}" '
            f'font-size="{one.size:g}" fill="#fff" stroke="none">{escape(one.shown)}</text></g>'
        )
    if shown:
        yield f'<g class="labels" text-anchor="middle" fill="{palette.CHOICE}" stroke="{palette.PAPER}">'
        yield from shown
        yield "</g>"
