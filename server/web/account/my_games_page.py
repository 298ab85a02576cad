"""My games: all of whoever is signed in, those first that wait for them."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.wording import phrases
from server.store.models import Player
from server.web.account.game_list import GameListKind, list_player_games, settings_link
from server.web.kit import visitors
from server.web.kit.request_context import current_context

ENDED_SHOWN = 10
"""Of the games that are over, so many are shown before one asks for all."""
MOST_PAGES = 10_000
pages = Blueprint("my_games_page", __name__)


@pages.get("/me")
def show_my_games() -> ResponseReturnValue:
    """My games; from the second page on only those that are being played."""
    player, number = visitors.signed_in_player(), _page_number()
    if player is None:
        return redirect(url_for("sign_in_pages.show_sign_in_form"), 303)
    with current_context().reading() as session:
        return render_template(
            "mine.html",
            name=phrases.safe_name(session.get_one(Player, player).name),
            running=list_player_games(session, player, GameListKind.RUNNING, number),
            invited=list_player_games(session, player, GameListKind.INVITED) if number == 1 else None,
            waiting=list_player_games(session, player, GameListKind.WAITING) if number == 1 else None,
            ended=list_player_games(session, player, GameListKind.ENDED, most=ENDED_SHOWN)
            if number == 1
            else None,
            settings=settings_link(session, player),
        )


@pages.get("/me/finished")
def show_finished_games() -> ResponseReturnValue:
    """All games of mine that are over, the newest first."""
    player = visitors.signed_in_player()
    if player is None:
        return redirect(url_for("sign_in_pages.show_sign_in_form"), 303)
    with current_context().reading() as session:
        return render_template(
            "mine_finished.html", ended=list_player_games(session, player, GameListKind.ENDED, _page_number())
        )


def _page_number() -> int:
    """The number of the page that is asked for."""
    asked = request.args.get("page", "1")[:6]
    return min(MOST_PAGES, max(1, int(asked))) if asked.isascii() and asked.isdigit() else 1
