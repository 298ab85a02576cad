"""My games: all of whoever is signed in, those first that wait for them.

Where nobody is signed in they are the games that were played in this browser. Its links lead to what those
did with which they were played, and to nothing else.
"""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from emails.wording import phrases
from server.delivery.letter_contexts import tell_player_away
from server.store.models import Game, Player, Seating
from server.store.seats import ticket_to
from server.web.account.game_list import GameListKind, PlayedSeat, list_player_games, settings_link
from server.web.game.ticket_context import token_of
from server.web.kit import cookies, errors, request_context, visitors
from server.web.kit.request_context import current_context, now

ENDED_SHOWN = 10
"""Of the games that are over, so many are shown before one asks for all."""
MOST_PAGES = 10_000
FORGET = "forget played"
"""What the button is about that forgets what was played in a browser."""
pages = Blueprint("my_games_page", __name__)


@pages.get("/me")
def show_my_games() -> ResponseReturnValue:
    """My games; from the second page on only those that are being played."""
    player, number = visitors.signed_in_player(), _page_number()
    if player is None:
        return _show_games_played_here()
    with current_context().reading() as session:
        return render_template(
            "my_games.html",
            name=phrases.safe_name(session.get_one(Player, player).name),
            running=list_player_games(session, player, GameListKind.RUNNING, number),
            invited=list_player_games(session, player, GameListKind.INVITED) if number == 1 else None,
            waiting=list_player_games(session, player, GameListKind.WAITING) if number == 1 else None,
            ended=list_player_games(session, player, GameListKind.ENDED, most=ENDED_SHOWN)
            if number == 1
            else None,
            settings=settings_link(session, player),
            away=tell_player_away(session, player, None, now()),
        )


def _show_games_played_here() -> ResponseReturnValue:
    """The games that were played in this browser by links of letters; without any one is asked to sign in."""
    known = cookies.played_seats()
    with current_context().reading() as session:
        running, invited, waiting = (
            list_player_games(session, known, kind)
            for kind in (GameListKind.RUNNING, GameListKind.INVITED, GameListKind.WAITING)
        )
        token = _token_of_first(session, known)
    if not token or not (running.total or invited.total or waiting.total):
        return redirect(url_for("sign_in_pages.show_sign_in_form"), 303)
    return render_template(
        "games_of_browser.html",
        running=running,
        invited=invited,
        waiting=waiting,
        sign_in=url_for("sign_in_pages.show_link_offer", token=token),
        nonce=request_context.csrf_token(request_context.form_subject(FORGET)),
    )


def _token_of_first(session: Session, known: list[PlayedSeat]) -> str:
    """The token of the seat that was played last, with which its player asks for a link; empty for none."""
    for name, seat, epoch in known:
        game, seating = session.get(Game, name), session.get(Seating, (name, seat))
        if game is not None and seating is not None and seating.epoch == epoch and seating.player is not None:
            return token_of(ticket_to(seating, game.after))
    return ""


@pages.post("/me/forget-here")
def forget_games_played_here() -> ResponseReturnValue:
    """The button was pressed: nobody sees any more here what was played."""
    if not request_context.is_csrf_valid(request_context.form_subject(FORGET)):
        return errors.render_expired_form(url_for("my_games_page.show_my_games"))
    cookies.forget_played_seats()
    return redirect(url_for("my_games_page.show_my_games"), 303)


@pages.get("/me/finished")
def show_finished_games() -> ResponseReturnValue:
    """All games of mine that are over, the newest first."""
    player = visitors.signed_in_player()
    if player is None:
        return redirect(url_for("sign_in_pages.show_sign_in_form"), 303)
    with current_context().reading() as session:
        return render_template(
            "my_finished_games.html",
            ended=list_player_games(session, player, GameListKind.ENDED, _page_number()),
        )


def _page_number() -> int:
    """The number of the page that is asked for."""
    asked = request.args.get("page", "1")[:6]
    return min(MOST_PAGES, max(1, int(asked))) if asked.isascii() and asked.isdigit() else 1
