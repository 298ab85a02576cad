"""Who calls: a player by one of his keys, or anybody; and that nobody calls too often.

Cookies are never looked at. So a page of another site, which a browser would send ours along with, can do
nothing here in the name of whoever is signed in.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from flask import current_app, request

from emails.i18n import say
from server.accounts import sign_in
from server.web.api.problems import Wrong
from server.web.kit import rate_limit
from server.web.kit.request_context import now, office

PER_MINUTE = "API_CALLS_PER_MINUTE"
"""The name under which an application keeps how many calls one player, or one address, may make."""
MINUTE = timedelta(minutes=1)
SCHEME = "bearer "
NEEDED = {"WWW-Authenticate": 'Bearer realm="alexandros"'}
BAD = {"WWW-Authenticate": 'Bearer realm="alexandros", error="invalid_token"'}  # RFC 6750, section 3


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls."""

    player: int | None
    """None: anybody."""


def anybody() -> Caller:
    """Who calls, with a key or without. Raises `Wrong`: no key of ours, or called too often."""
    given = request.headers.get("Authorization")
    player = None if given is None else _bearer(given)
    # By player and not by key, so that more keys are no more calls; what no key vouches for by its address.
    _let(f"player {player}" if player is not None else rate_limit.visitor())
    if given is not None and player is None:
        raise Wrong(401, say("This key is not one of ours, or it was ended."), headers=BAD)
    return Caller(player)


def player() -> int:
    """The player who calls. Raises `Wrong`."""
    found = anybody().player
    if found is None:
        raise Wrong(401, headers=NEEDED)
    return found


def most() -> int:
    """How many calls one player, or one address, may make within a minute."""
    return int(current_app.config[PER_MINUTE])


def _bearer(given: str) -> int | None:
    if not given.lower().startswith(SCHEME):
        return None
    key = given[len(SCHEME) :].strip()
    with office().reading() as session:
        found = sign_in.bearer(session, key, now())
    if found is not None:
        sign_in.note_use(office(), key, now())
    return found


def _let(who: str) -> None:
    gate = rate_limit.at("api", most(), MINUTE)
    if not gate.let(who, now()):
        raise Wrong(429, headers={"Retry-After": str(gate.wait(who, now()))})
