"""Visitors: who is signed in in a browser, by a cookie of its own, and whom the operator has banned.

The cookie of who is signed in is no part of the signed one, which any answer may send anew: one that was on
its way while its user signed in or out would undo it. A network that is banned is kept from what a stranger
can do. A player whose address is banned is signed in nowhere (sessions.py), and the links in their letters do
nothing to others; that they stop letters or give a seat back is always heard.
"""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, current_app, g, request, url_for
from sqlmodel import Session
from werkzeug.exceptions import HTTPException

from emails.wording import phrases
from server.accounts import sign_in
from server.outbox.budgets import Origin, OriginKind, is_network_blocked, is_player_banned, player_origin
from server.outbox.preferences import load_preferences
from server.security_log import AttemptChannel, SecurityEvent
from server.store.models import Player
from server.web.kit import cookies, locale, rate_limit
from server.web.kit.cookies import session_token
from server.web.kit.request_context import current_context, is_mail_down, now

REFUSED_TO_NETWORKS = frozenset(
    {
        "new_game.submit_new_game",
        "new_game.confirm_proposal",
        "sign_in_pages.request_link",
        "open_seat_pages.take_open_seat",
    }
)
"""What a banned network cannot send: a new game, the yes to one, a request to sign in or for an open seat."""
REFUSED_TO_PLAYERS = frozenset(
    {
        "open_seat_pages.submit_rematch",
        "organiser_page.change_game",
        "ticket_pages.perform_ticket",
        "draft_pages.change_draft",
        "plan_page.change_plan",
        "chat_box.send_chat",
        "turn_pages.send_nudge",
        "votes_page.vote",
        "resign_page.take_back",
        "address_pages.change_address",
    }
)
"""What a link of a player with a banned address does not do: invite, fill games, play, write, move them."""


class VisitorBanned(HTTPException):
    """A visitor from whom nothing is taken, because of their network or of their address."""

    code = 403


def register_bans(app: Flask) -> None:
    """Refuse what whoever is banned sends."""
    app.before_request(_refuse_banned_visitor)


def check_player_heard(session: Session, player: int | None) -> None:
    """Refuse what a player sends whose address is banned. Raises `VisitorBanned`."""
    if request.method == "POST" and request.endpoint in REFUSED_TO_PLAYERS and player is not None:
        _refuse_if(is_player_banned(session, player))


def _refuse_banned_visitor() -> None:
    if request.method != "POST" or request.endpoint not in REFUSED_TO_NETWORKS:
        return
    with current_context().reading() as session:
        _refuse_if(is_network_blocked(session, request.remote_addr or ""))


def _refuse_if(banned: bool) -> None:
    if banned:
        who, note = request.remote_addr or "", current_context().security.note
        note(SecurityEvent.BAN_MET, who, now(), by=AttemptChannel.PAGE)
        raise VisitorBanned


COOKIE_SECONDS = 365 * 24 * 3600
"""Seconds for which a browser is to keep it; when it is no longer good is for the server to say."""
SILENT_BLUEPRINTS = ("assets", "calls", "health_pages", "live_updates")
"""Blueprints that speak no language, or to programs, which have no cookies."""


def register(app: Flask) -> None:
    """Speak to those who are signed in in their own language, on pages for everybody too."""
    app.before_request(_use_player_locale)
    app.jinja_env.globals.update(my_games=my_games_link, is_mail_down=is_mail_down)


def signed_in_player() -> int | None:
    """The player who is signed in in this browser, looked up once a request."""
    if "signed_in" not in g:
        token = session_token()
        g.signed_in = sign_in.note_visit(current_context(), token, now()) if token else None
        if token and g.signed_in is None:  # it was ended, perhaps from another browser
            cookies.forget_players_once(token)
    found: int | None = g.signed_in
    return found


def ask_no_more() -> None:
    """Take a visitor for one who is not signed in, where the database cannot be asked."""
    g.signed_in = None


def signed_in_name() -> str:
    """The name of the player who is signed in in this browser; empty where nobody is."""
    player = signed_in_player()
    if player is None:
        return ""
    with current_context().reading() as session:
        return phrases.safe_name(session.get_one(Player, player).name)


def origin() -> Origin:
    """Who causes the letters that this visitor asks for, as server/outbox/budgets.py counts them."""
    player = signed_in_player()
    if player is None:
        return Origin(OriginKind.NETWORK, rate_limit.visitor_network())
    return player_origin(player)


def note_event(event: SecurityEvent, player: int) -> None:
    """Log what a player has done who is signed in, with the network that they came from."""
    current_context().security.note(event, rate_limit.visitor_network(), now(), player=player)


def set_session_cookie(response: Response, given: str) -> None:
    """Let this browser hold a new token, and end what the one before was good for."""
    if session_token():
        sign_in.sign_out(current_context(), session_token())
    response.set_cookie(value=given, max_age=COOKIE_SECONDS, **_cookie_attributes())
    g.pop("signed_in", None)


def clear_session_cookie(response: Response) -> None:
    """Let this browser hold no token any more, and no link play at once there."""
    cookies.forget_players()
    response.delete_cookie(**_cookie_attributes())
    g.pop("signed_in", None)


def _cookie_attributes() -> dict[str, Any]:
    """How the cookie is set, and so how it must be deleted, for browsers refuse a `__Host-` one otherwise."""
    kept = current_app.config
    return {
        "key": kept[cookies.SIGN_IN_COOKIE],
        "path": kept["SESSION_COOKIE_PATH"],
        "secure": kept["SESSION_COOKIE_SECURE"],
        "httponly": True,
        "samesite": kept["SESSION_COOKIE_SAMESITE"],
    }


def my_games_link() -> str:
    """Where a link to all games of the reader leads.

    Where this browser knows nothing of them, a page with a ticket leads to one that knows whose it is.
    """
    known = signed_in_player() is not None or cookies.played_seats()
    if not known and g.get("settings") and request.view_args and "token" in request.view_args:
        return url_for("sign_in_pages.show_link_offer", token=request.view_args["token"])
    return url_for("my_games_page.show_my_games")


def _use_player_locale() -> None:
    if request.blueprint not in SILENT_BLUEPRINTS and (player := signed_in_player()) is not None:
        with current_context().reading() as session:
            locale.use_player_locale(load_preferences(session, player).locale, "")
