"""What every page with a board shows: the picture, who has what, what each province is worth."""

from __future__ import annotations

from collections.abc import Mapping

from emails import prices, standing, wording
from emails.marks import Marks
from engine.lattice import Point
from engine.position import View
from server.web.chart import Spot, chart, closeup


def scene(known: View, marked: Marks, spots: Mapping[Point, Spot] | None = None) -> dict[str, object]:
    """The values that scene.html needs, of a game as one reader knows it."""
    table = known.table
    return {
        "links": {},
        "view": known,
        "table": table,
        "chart": chart(known, marked, spots),
        "closeup": closeup(known, marked, spots) if not table.over else "",
        "alt": standing.alt(known, {}),
        "rows": standing.rows(known),
        "lands": prices.lands(known),
        "mover": wording.shown(table.names[table.seat]),
        "summary": standing.summary(known),
    }
