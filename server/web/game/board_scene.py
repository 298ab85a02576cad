"""What every page with a board shows: the picture, who has what, what each province is worth."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import bindparam, select

from emails.picture.overlay import Overlay
from emails.wording import costs, phrases, standings
from engine.lattice import Point
from engine.position import View
from server.store.columns import table_of
from server.store.models import Seating
from server.web.game.board_links import CornerLink, draw_chart, draw_closeup
from server.web.kit.request_context import current_context

SEATS = table_of(Seating).c
SELECT_HOUSE = select(SEATS.seat).where(SEATS.game == bindparam("of"), SEATS.house)


def scene_values(
    game: str, known: View, marked: Overlay, spots: Mapping[Point, CornerLink] | None = None
) -> dict[str, object]:
    """The values that scene.html needs, of a game as one reader knows it."""
    return {
        **standing_values(game, known),
        "chart": draw_chart(known, marked, spots),
        "closeup": draw_closeup(known, marked, spots) if not known.table.over else "",
        "alt": standings.board_alt_text(known, {}),
        "lands": costs.province_costs(known),
    }


def standing_values(game: str, known: View) -> dict[str, object]:
    """Those of them that say who has what, without the board."""
    table = known.table
    return {
        "links": {},
        "view": known,
        "table": table,
        "rows": standings.player_standings(known),
        "house": _house_seats(game),
        "mover": phrases.safe_name(table.names[table.seat]),
        "summary": standings.summarize_game(known),
    }


def _house_seats(game: str) -> frozenset[int]:
    """The seats that the server plays, so that nobody takes them for people."""
    with current_context().reading() as session:
        return frozenset(session.connection().execute(SELECT_HOUSE, {"of": game}).scalars())
