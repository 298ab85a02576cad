"""What an open page polls: whether anything has happened that it does not show yet.

Two indexed queries; no picture is drawn and no history replayed, so that polling costs next to nothing.
"""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, url_for
from sqlmodel import col, select

from emails.tokens import unseal_ticket
from server.outbox import chat
from server.store.game_terms import is_watchable
from server.store.models import Game, Seating
from server.store.states import GameStatus
from server.web.game.ticket_context import TRAILING_PUNCTUATION, check_still_shown, link_of
from server.web.kit import errors
from server.web.kit.request_context import current_context

Pulse = dict[str, int | bool | str]
"""`after`: the last act that changed the position; `said`: how many messages this reader may read;
`over`: whether the game has ended; `page`: the address that shows all that."""
pages = Blueprint("live_updates", __name__)


@pages.get("/t/<token>/pulse")
def show_player_pulse(token: str) -> Pulse:
    """The pulse of a game for one of its players; the page of a ticket with words is that ticket's own."""
    ticket = unseal_ticket(token.rstrip(TRAILING_PUNCTUATION), current_context().links.keys)
    with current_context().reading() as session:
        chosen = select(Game, Seating).join(Seating, col(Seating.game) == Game.id)
        found = session.exec(chosen.where(Game.id == ticket.game, Seating.seat == ticket.seat)).first()
        if found is None:
            raise errors.GameGone
        game, seating = found
        if game.status == GameStatus.CANCELLED:
            raise errors.GameCalledOff
        history = current_context().history_of(
            session, game
        )  # from the cache, but for what has just happened
        if ticket.after < history.player_since(ticket.seat):
            raise errors.SeatLeft(
                ticket.game
            )  # or its bearer would be given a ticket to somebody else's seat
        if seating.epoch != ticket.epoch:
            raise errors.LinkWithdrawn
        check_still_shown(game, seating)
        last_message = chat.count_visible_to(session, ticket.game, ticket.seat)
    page = link_of(ticket if ticket.words else replace(ticket, after=game.after))
    return {"after": game.after, "said": last_message, "over": game.status == GameStatus.OVER, "page": page}


@pages.get("/g/<game>/pulse")
def show_spectator_pulse(game: str) -> Pulse:
    """The pulse of a game for spectators, who read no messages."""
    with current_context().reading() as session:
        found = session.get(Game, game) if is_watchable(session, game) else None
    if found is None or found.status == GameStatus.CANCELLED:
        raise errors.GameNotWatchable
    page = url_for("spectator_page.show_spectator_page", game=game)
    return {"after": found.after, "said": 0, "over": found.status == GameStatus.OVER, "page": page}
