"""Price tags: on each province of the board that the reader could have what it would cost, in cards.

Beside it stands the figure of the province: the points that a levy then gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from emails.picture.basemap import basemap_of
from emails.picture.province_values import find_clear_spot
from emails.wording.costs import begin_turn_of_reader
from emails.wording.options import guard_placements
from engine import action_rules
from engine.cards import Bag
from engine.lattice import Space
from engine.position import View
from engine.provinces import Province, provinces

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
