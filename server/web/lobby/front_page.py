"""The front page, and the list of games that anybody may join or watch."""

from __future__ import annotations

import random
from functools import cache

from flask import Blueprint, Response, render_template
from flask.typing import ResponseReturnValue
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from emails.i18n import spoken
from emails.links import JOIN, seal_nobody
from emails.picture.overlay import NOTHING
from emails.wording import phrases
from engine.bots import house
from engine.cards import ONE, Symbol
from engine.editions import RIO_GRANDE
from engine.events import GameStarted
from engine.evolve import evolve, start
from engine.views import view
from server.store.boards import boards
from server.store.game_terms import Listed, to_join, to_watch
from server.turns.dry_run import run_turn
from server.web.account.game_list import shown
from server.web.game.board_links import chart
from server.web.kit import visitors
from server.web.kit.request_context import now, office

PEOPLE = ("Anna", "Ben", "Cleo", "Dirk")
EXAMPLE = 24
"""Turns that the game on the front page has gone."""
FEW, MOST = 3, 50
"""Games of each kind on the front page, and in the list."""
pages = Blueprint("front_page", __name__)


@pages.get("/")
def show() -> str:
    """What this is; to whoever is signed in also the games that wait for him."""
    me = visitors.signed_in()
    with office().reading() as session:
        joined = to_join(session, now(), FEW)
        mine = (
            ()
            if me is None
            else (shown(session, me, "running", most=FEW), shown(session, me, "invited", most=FEW))
        )
    return render_template(
        "front.html",
        chart=_example(spoken().language),
        joined=_rows(joined),
        mine=[one for one in mine if one.entries],
        me=me is not None,
    )


@cache
def _example(_: str) -> str:
    """A board some way into a game of the house with itself, with dice that always fall alike.

    The argument is the language spoken: what the board shows is told in it.
    """
    board = next(iter(boards().values()))
    lyre, horse, temple = ONE[Symbol.LYRE], ONE[Symbol.HORSE], ONE[Symbol.TEMPLE]
    dealt = GameStarted(board.name, RIO_GRANDE.name, PEOPLE, (lyre, horse, temple, lyre), horse + temple)
    position, dice = start(board, dealt), random.Random(EXAMPLE)
    while position.table.turn <= EXAMPLE and not position.table.over:
        for event in run_turn(position, house, lambda bag: dice.choice(list(bag))).events:
            position = evolve(position, event)
    return chart(view(position, None), NOTHING)


@pages.get("/games")
def games() -> str:
    """Games that anybody may join, and games that anybody may watch."""
    with office().reading() as session:
        joined, watched = to_join(session, now(), MOST), to_watch(session, MOST)
    return render_template("games.html", joined=_rows(joined), watched=_rows(watched))


def _rows(listed: list[Listed]) -> list[dict[str, object]]:
    """Games as the templates show them."""
    return [
        {
            "id": one.game.id,
            "name": phrases.shown(one.game.name),
            "players": [phrases.shown(name) for name in one.names],
            "free": one.free,
            "time": phrases.span(one.game.hours) if one.game.hours else "",
            "turn": one.game.turn,
            "mover": "" if one.game.seat is None else phrases.shown(one.names[one.game.seat]),
            "join": seal_nobody(one.game.id, JOIN, office().post.secret),
        }
        for one in listed
    ]


@pages.get("/healthz")
def health() -> ResponseReturnValue:
    """Whether the server can do its work: `ok`, once the database has answered."""
    try:
        with office().reading() as session:
            session.execute(text("SELECT 1"))
    except SQLAlchemyError:
        return Response("the database does not answer\n", 503, mimetype="text/plain")
    return Response("ok\n", mimetype="text/plain")
