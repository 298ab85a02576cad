"""The walk through the pages that look back at a game, print it, or show it to those who only watch."""

from __future__ import annotations

from collections.abc import Iterator

from lxml.html import HtmlElement

from server.store.game_terms import SeatRequest
from tests.server.desk import NOON, let_watch, open_game
from tests.server.web.played import watched
from tests.server.web.site import Site, Visitor


def pages(
    place: Site, visitor: Visitor, running: str, over: str, language: str
) -> Iterator[tuple[str, HtmlElement]]:
    """Of a game that is running and of one that is over, for a player and for anybody."""
    let_watch(place.context, running, over)
    looks = {f"/t/{place.token(game, seat=0)}": game for game in (running, over)}
    links = [
        f"{link}/{page}" for link in looks for page in ("history", "history?at=0", "history?at=x", "sheet")
    ]
    links += [f"/t/{place.token(running)}/sheet", f"/g/{over}/history?at=999999"]
    links += [f"/g/{game}{page}" for game in (running, over) for page in ("", "/history?at=3")]
    requests = [SeatRequest(name, f"{name.lower()}@example.org", language) for name in ("Anna", "Ben")]
    links += [f"/g/{watched(place, open_game(place.context, 'Friday', requests, NOON))}", "/g/nowhere"]
    for link in links:
        visitor.get(link)
        yield f"{link.rpartition('/')[2]}: {visitor.title}", visitor.page
