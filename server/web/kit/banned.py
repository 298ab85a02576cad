"""Visitors from networks that the operator has banned: they may read, and cause nothing.

Only what a stranger can do is kept from them. Who has a letter of ours, or is signed in, acts as others do.
"""

from __future__ import annotations

from flask import Flask, request
from werkzeug.exceptions import HTTPException

from server.outbox.blocks import is_network_blocked
from server.security_log import SecurityEvent, Way
from server.web.kit.request_context import current_context, now

REFUSED_ENDPOINTS = frozenset(
    {"new_game_form.submit_new_game", "sign_in_pages.request_link", "open_seat_pages.take_open_seat"}
)
"""What a banned network cannot send: a new game, a wish to sign in, a wish for an open seat."""


class VisitorBanned(HTTPException):
    """A visitor from a network that is banned."""

    code = 403


def register(app: Flask) -> None:
    """Refuse what banned networks send."""
    app.before_request(_refuse_banned_visitor)


def _refuse_banned_visitor() -> None:
    if request.method != "POST" or request.endpoint not in REFUSED_ENDPOINTS:
        return
    with current_context().reading() as session:
        banned = is_network_blocked(session, request.remote_addr or "")
    if banned:
        note = current_context().security.note
        note(SecurityEvent.BAN_MET, request.remote_addr or "", now(), by=Way.PAGE)
        raise VisitorBanned
