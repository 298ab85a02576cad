"""Who calls: a player by one of their keys, or anybody; and that nobody calls too often.

Cookies are never looked at. So a page of another site, which a browser would send ours along with, can do
nothing here in the name of whoever is signed in.
"""

from __future__ import annotations

from datetime import timedelta

from flask import current_app, request

from emails.i18n import gettext
from emails.keys import Purpose
from server.accounts import sign_in
from server.security_log import AttemptChannel
from server.web.api.problems import ApiError
from server.web.kit import errors, rate_limit
from server.web.kit.request_context import current_context, now

API_CALLS_PER_MINUTE = "API_CALLS_PER_MINUTE"
"""The name under which an application keeps how many calls one player, or one address, may make."""
MINUTE = timedelta(minutes=1)
BEARER_SCHEME = "bearer "
KEY_NEEDED = {"WWW-Authenticate": 'Bearer realm="alexandros"'}
KEY_INVALID = {"WWW-Authenticate": 'Bearer realm="alexandros", error="invalid_token"'}  # RFC 6750, section 3


def identify_caller() -> int | None:
    """The player who calls; None: anybody. Raises `ApiError`: no key of ours, or called too often."""
    given = request.headers.get("Authorization")
    player = None if given is None else _authenticate_key(given)
    # By player and not by key, so that more keys are no more calls; what no key vouches for by its address.
    _enforce_rate_limit(f"player {player}" if player is not None else rate_limit.visitor_network())
    if given is not None and player is None:
        errors.note_refused_seal(Purpose.API, AttemptChannel.API)
        raise ApiError(401, gettext("This key is not one of ours, or it was ended."), headers=KEY_INVALID)
    return player


def require_player() -> int:
    """The player who calls. Raises `ApiError`."""
    found = identify_caller()
    if found is None:
        raise ApiError(401, headers=KEY_NEEDED)
    return found


def calls_per_minute() -> int:
    """How many calls one player, or one address, may make within a minute."""
    return int(current_app.config[API_CALLS_PER_MINUTE])


def _authenticate_key(given: str) -> int | None:
    if not given.lower().startswith(BEARER_SCHEME):
        return None
    key = given[len(BEARER_SCHEME) :].strip()
    with current_context().reading() as session:
        found = sign_in.player_with_key(session, key)
    if found is not None:
        sign_in.note_key_use(current_context(), key, now())
    return found


def _enforce_rate_limit(who: str) -> None:
    if not rate_limit.allow_often(rate_limit.LimitedAction.API, calls_per_minute(), who, MINUTE):
        wait = rate_limit.retry_after(rate_limit.LimitedAction.API, who, MINUTE)
        raise ApiError(429, headers={"Retry-After": str(wait)})
