"""The cookies of a browser: their names, and the data in the signed cookie.

The signed cookie stores the players for whom this browser at once performs the orders of a link in a letter,
the players who were offered this choice, the seats played here, and the opened mails of the built-in mailbox.
A second cookie holds the session token of the signed-in player (visitors.py).
Scripts can read neither.

A site on a neighbouring subdomain can set cookies that browsers send to us. So under https our names begin
with `__Host-`, which browsers accept only from this host. If two cookies have one name, both are ignored, and
POST requests are refused until one is deleted.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, cast
from urllib.parse import urlsplit

from flask import Flask, Request, current_app, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import SignatureExpired, TimestampSigner, URLSafeTimedSerializer
from werkzeug.exceptions import HTTPException

HOST_PREFIX = "__Host-"
"""Prefix of cookies that browsers accept only over https, for one host and all its paths (RFC 6265bis)."""
SIGN_IN_COOKIE = "SIGN_IN_COOKIE_NAME"
"""Key in `app.config` for the name of the session cookie."""
COOKIELESS_BLUEPRINTS = ("api_routes", "mail_hook")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
AT_ONCE_KEY, OFFERED_KEY, ENDED_KEY, ID_KEY, READ_KEY = "at-once", "offered", "ended", "id", "read"
SEATS_KEY = "seats"
MOST_PLAYERS = 50
MOST_SEATS = 20
MOST_READ_MAILS = 300
"""Maximum number of mails recorded as opened, since a cookie has at most 4 kilobytes."""


class DoubledCookie(HTTPException):
    """The browser sent two cookies of one name, so another site has set one of them."""

    code = 400


class _ClockSigner(TimestampSigner):
    """Sign by the application's clock; accept signatures from the future, since the clock may be set back."""

    def __init__(self, *arguments: Any, now: Callable[[], datetime], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.now = now

    def get_timestamp(self) -> int:
        return int(self.now().timestamp())

    def unsign(self, signed_value: Any, max_age: int | None = None, return_timestamp: bool = False) -> Any:
        """Return the signed value, unless older than `max_age` seconds. Raises `BadSignature`."""
        value, signed_at = super().unsign(signed_value, return_timestamp=True)
        if max_age is not None and self.get_timestamp() - signed_at.timestamp() > max_age:
            raise SignatureExpired("It is too old.", payload=value, date_signed=signed_at)
        return (value, signed_at) if return_timestamp else value


class _SingleCookieSessions(SecureCookieSessionInterface):
    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        found = super().get_signing_serializer(app)
        if found is not None:
            found.signer = _ClockSigner
            found.signer_kwargs = {**found.signer_kwargs, "now": app.config["NOW"]}
        return found

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        if _is_doubled(request, self.get_cookie_name(app)):
            return self.session_class()
        return super().open_session(app, request)


def register(app: Flask, base_url: str) -> None:
    """Set the names and attributes of the cookies; refuse POST requests with two cookies of one name."""
    secure, path = base_url.startswith("https:"), urlsplit(base_url).path
    # A `__Host-` cookie applies to all paths, so its name must differ between servers of one host.
    begin, end = (HOST_PREFIX, path.replace("/", ".")) if secure else ("", "")
    app.config.update(
        {
            SIGN_IN_COOKIE: f"{begin}alexandros-in{end}",
            "SESSION_COOKIE_NAME": f"{begin}alexandros{end}",
            "SESSION_COOKIE_PATH": "/" if secure else path or "/",
            "SESSION_COOKIE_SECURE": secure,
            "SESSION_COOKIE_HTTPONLY": True,
            "SESSION_COOKIE_SAMESITE": "Lax",
            "PERMANENT_SESSION_LIFETIME": timedelta(days=365),
            # Otherwise every response sets the cookie, and a late response would undo a newer choice.
            "SESSION_REFRESH_EACH_REQUEST": False,
        }
    )
    app.session_interface = _SingleCookieSessions()
    app.before_request(_refuse_doubled_cookies)


def session_token() -> str:
    """Return the session token of the browser, or an empty text if the browser sent none or two."""
    name = current_app.config[SIGN_IN_COOKIE]
    return "" if _is_doubled(request, name) else request.cookies.get(name, "")


def _is_doubled(request: Request, name: str) -> bool:
    return len(request.cookies.getlist(name)) > 1


def _refuse_doubled_cookies() -> None:
    if request.method in SAFE_METHODS or request.blueprint in COOKIELESS_BLUEPRINTS:
        return
    names = current_app.config[SIGN_IN_COOKIE], current_app.config["SESSION_COOKIE_NAME"]
    if any(_is_doubled(request, name) for name in names):
        raise DoubledCookie


def _numbers_under(name: str) -> list[int]:
    return cast(list[int], session.get(name, []))


def plays_at_once(player: int | None) -> bool:
    """Return whether a player chose to have orders in links performed without a button in this browser."""
    return player is not None and player in _numbers_under(AT_ONCE_KEY)


def set_plays_at_once(player: int, chosen: bool) -> None:
    others = [one for one in _numbers_under(AT_ONCE_KEY) if one != player]
    session[AT_ONCE_KEY] = [*others, player][-MOST_PLAYERS:] if chosen else others
    session.permanent = True


def note_offer(player: int) -> bool:
    """Record that a player was offered the choice of `plays_at_once`; return whether the offer is new."""
    if player in _numbers_under(OFFERED_KEY):
        return False
    session[OFFERED_KEY] = [*_numbers_under(OFFERED_KEY), player][-MOST_PLAYERS:]
    session.permanent = True
    return True


def played_seats() -> list[tuple[str, int, int]]:
    """Return game, seat and generation of links for the seats played in this browser, most recent first."""
    found = [tuple(one) for one in session.get(SEATS_KEY, [])]
    return cast(list[tuple[str, int, int]], found[::-1])


def note_played_seat(game: str, seat: int, generation: int) -> None:
    known = played_seats()
    if (game, seat, generation) not in known:
        others = [list(one) for one in reversed(known) if one[:2] != (game, seat)]
        session[SEATS_KEY] = [*others, [game, seat, generation]][-MOST_SEATS:]
        session.permanent = True


def forget_played_seats() -> None:
    session.pop(SEATS_KEY, None)


def forget_players() -> None:
    session.pop(AT_ONCE_KEY, None)
    forget_played_seats()


def forget_players_once(token: str) -> None:
    """Forget the players and seats stored in this browser, unless done before for this ended session."""
    ended = _digest(token)
    if session.get(ENDED_KEY) != ended:
        forget_players()
        session[ENDED_KEY] = ended


def browser_id() -> str:
    """Return a secret id of this browser and its session, for the subjects of CSRF tokens."""
    if ID_KEY not in session:
        session[ID_KEY] = secrets.token_urlsafe(12)
    return f"{session[ID_KEY]} {_digest(session_token())}"


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()[:22] if token else ""


def opened_mail_ids() -> frozenset[int]:
    return frozenset(_numbers_under(READ_KEY))


def mark_mail_opened(mail: int) -> None:
    if mail not in _numbers_under(READ_KEY):
        session[READ_KEY] = [*_numbers_under(READ_KEY), mail][-MOST_READ_MAILS:]
