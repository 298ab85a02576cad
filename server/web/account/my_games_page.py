"""My games: all of whoever is signed in, those first that wait for him."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.wording import phrases
from server.store.models import Player
from server.web.account.game_list import settings, shown
from server.web.kit import visitors
from server.web.kit.request_context import office

LATEST = 10
"""Of the games that are over, so many are shown before one asks for all."""
MOST_PAGES = 10_000
pages = Blueprint("my_games_page", __name__)


@pages.get("/me")
def listed() -> ResponseReturnValue:
    """My games; from the second page on only those that are being played."""
    player, number = visitors.signed_in(), _number()
    if player is None:
        return redirect(url_for("sign_in_pages.form"), 303)
    with office().reading() as session:
        return render_template(
            "mine.html",
            name=phrases.shown(session.get_one(Player, player).name),
            running=shown(session, player, "running", number),
            invited=shown(session, player, "invited") if number == 1 else None,
            waiting=shown(session, player, "waiting") if number == 1 else None,
            ended=shown(session, player, "ended", most=LATEST) if number == 1 else None,
            settings=settings(session, player),
        )


@pages.get("/me/finished")
def finished() -> ResponseReturnValue:
    """All games of mine that are over, the newest first."""
    player = visitors.signed_in()
    if player is None:
        return redirect(url_for("sign_in_pages.form"), 303)
    with office().reading() as session:
        return render_template("mine_finished.html", ended=shown(session, player, "ended", _number()))


def _number() -> int:
    """The number of the page that is asked for."""
    asked = request.args.get("page", "1")[:6]
    return min(MOST_PAGES, max(1, int(asked))) if asked.isascii() and asked.isdigit() else 1
