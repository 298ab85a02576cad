"""Visitors whom the operator has banned, by network or by address: they may read, and cause nothing.

A network is kept from what a stranger can do. A player whose address is banned is signed in nowhere
(sessions.py), and the links in their letters do nothing to others; that they stop letters or give a seat back
is always heard.
"""

from __future__ import annotations

from flask import Flask, request
from sqlmodel import Session
from werkzeug.exceptions import HTTPException

from server.outbox.blocks import is_network_blocked, is_player_banned
from server.security_log import AttemptChannel, SecurityEvent
from server.web.kit.request_context import current_context, now

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
        "nudge_page.send_nudge",
        "votes_page.vote",
        "resign_page.take_back",
        "address_pages.change_address",
    }
)
"""What a link of a player with a banned address does not do: invite, fill games, play, write, move them."""


class VisitorBanned(HTTPException):
    """A visitor from whom nothing is taken, because of their network or of their address."""

    code = 403


def register(app: Flask) -> None:
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
