"""What every page with a board shows: the picture, who has what, what each province is worth."""

from __future__ import annotations

from collections.abc import Mapping

from emails.picture.overlay import Marks
from emails.wording import costs, phrases, standings
from engine.lattice import Point
from engine.position import View
from server.web.game.board_links import Spot, chart, closeup


def scene(known: View, marked: Marks, spots: Mapping[Point, Spot] | None = None) -> dict[str, object]:
    """The values that scene.html needs, of a game as one reader knows it."""
    table = known.table
    return {
        "links": {},
        "view": known,
        "table": table,
        "chart": chart(known, marked, spots),
        "closeup": closeup(known, marked, spots) if not table.over else "",
        "alt": standings.alt(known, {}),
        "rows": standings.rows(known),
        "lands": costs.lands(known),
        "mover": phrases.shown(table.names[table.seat]),
        "summary": standings.summary(known),
    }
