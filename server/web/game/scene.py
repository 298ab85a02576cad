"""What every page with a board shows: the picture, who has what, what each province is worth."""

from __future__ import annotations

from collections.abc import Mapping

from emails.picture.overlay import Overlay
from emails.wording import costs, phrases, standings
from engine.lattice import Point
from engine.position import View
from server.web.game.board_links import CornerLink, draw_chart, draw_closeup


def scene_values(
    known: View, marked: Overlay, spots: Mapping[Point, CornerLink] | None = None
) -> dict[str, object]:
    """The values that scene.html needs, of a game as one reader knows it."""
    table = known.table
    return {
        "links": {},
        "view": known,
        "table": table,
        "chart": draw_chart(known, marked, spots),
        "closeup": draw_closeup(known, marked, spots) if not table.over else "",
        "alt": standings.board_alt_text(known, {}),
        "rows": standings.player_standings(known),
        "lands": costs.province_costs(known),
        "mover": phrases.safe_name(table.names[table.seat]),
        "summary": standings.summarize_game(known),
    }
