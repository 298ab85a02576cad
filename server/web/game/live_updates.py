"""What an open page asks every moment: whether anything has happened that it does not show yet.

Two queries by an index, and nothing is drawn or folded, so that no worker is held for whoever only looks.
"""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, url_for

from emails.links import unseal
from server.outbox import chat
from server.store.event_log import SEATS
from server.store.game_terms import watchable
from server.store.models import CANCELLED, Game
from server.web.game.ticket_context import link_of
from server.web.kit import errors
from server.web.kit.request_context import office

Pulse = dict[str, int | bool | str]
"""`after`: the last act that changed the position; `said`: the last message that this reader may read;
`over`: whether the game has ended; `page`: the address that shows all that."""
pages = Blueprint("live_updates", __name__)


@pages.get("/t/<token>/pulse")
def of_ticket(token: str) -> Pulse:
    """The pulse of a game for one of its players; the page of a ticket with words is that ticket's own."""
    ticket = unseal(token, office().post.secret)
    with office().reading() as session:
        game = session.get(Game, ticket.game)
        if game is None or ticket.seat >= SEATS:  # not a player's, such as the link to an open seat
            raise errors.Gone
        history = office().history(session, game)  # from the shelf, but for what has just happened
        if ticket.after < history.since(ticket.seat):
            raise errors.Left(ticket.game)  # or its bearer would be given a ticket to somebody else's seat
        said = chat.newest(session, ticket.game, ticket.seat)
    page = link_of(ticket if ticket.words else replace(ticket, after=game.after))
    return {"after": game.after, "said": said, "over": game.status == "over", "page": page}


@pages.get("/g/<game>/pulse")
def of_game(game: str) -> Pulse:
    """The pulse of a game for spectators, who read no messages."""
    with office().reading() as session:
        found = session.get(Game, game) if watchable(session, game) else None
    if found is None or found.status == CANCELLED:
        raise errors.Private
    page = url_for("spectator_page.show", game=game)
    return {"after": found.after, "said": 0, "over": found.status == "over", "page": page}
