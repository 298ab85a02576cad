"""What a browser keeps for us, in cookies that no script can read, and how they are named.

One is signed: the players who have chosen that links in their letters play at once there, and those who were
offered it; the seats that were played there; which mails of the built-in mailbox were opened. The other holds
the token of whoever is signed in (visitors.py).

A neighbour, such as another site below the same domain, can set cookies that reach us. Under https our names
begin with `__Host-`: browsers take those from this very host alone. Where two cookies have one name, one of
them is not ours, so neither counts, and nothing is done until one is gone.
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
"""Names that begin so are taken only over https, for one host and all its paths (RFC 6265bis)."""
SIGN_IN_COOKIE = "SIGN_IN_COOKIE_NAME"
"""The name under which an application keeps how the cookie of whoever is signed in is called."""
COOKIELESS_BLUEPRINTS = ("api_routes", "mail_hook")
"""Blueprints that speak to programs, and look at no cookie."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
AT_ONCE_KEY, OFFERED_KEY, ENDED_KEY, ID_KEY, READ_KEY = "at-once", "offered", "ended", "id", "read"
SEATS_KEY = "seats"
MOST_PLAYERS = 50
MOST_SEATS = 20
MOST_READ_MAILS = 300
"""A browser keeps 4 kilobytes."""


class DoubledCookie(HTTPException):
    """A browser sends two cookies of one name: a neighbour has set one of them."""

    code = 400


class _ClockSigner(TimestampSigner):
    """Signs by the clock of the application; what is from later than now is from before it was put back."""

    def __init__(self, *arguments: Any, now: Callable[[], datetime], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.now = now

    def get_timestamp(self) -> int:
        """The moment it is, in seconds."""
        return int(self.now().timestamp())

    def unsign(self, signed_value: Any, max_age: int | None = None, return_timestamp: bool = False) -> Any:
        """What was signed, unless that is longer ago than `max_age`. Raises `BadSignature`."""
        value, signed_at = super().unsign(signed_value, return_timestamp=True)
        if max_age is not None and self.get_timestamp() - signed_at.timestamp() > max_age:
            raise SignatureExpired("It is too old.", payload=value, date_signed=signed_at)
        return (value, signed_at) if return_timestamp else value


class _SingleCookieSessions(SecureCookieSessionInterface):
    """Reads the signed cookie; of two with one name neither."""

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """What signs the cookie."""
        found = super().get_signing_serializer(app)
        if found is not None:
            found.signer = _ClockSigner
            found.signer_kwargs = {**found.signer_kwargs, "now": app.config["NOW"]}
        return found

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """What the cookie holds; nothing where it cannot be told which is ours."""
        if _is_doubled(request, self.get_cookie_name(app)):
            return self.session_class()
        return super().open_session(app, request)


def register(app: Flask, base_url: str) -> None:
    """Name the cookies of a server, and refuse what a button sends with two of one name."""
    secure, path = base_url.startswith("https:"), urlsplit(base_url).path
    # A `__Host-` cookie holds for all paths, so its name tells servers at one host apart.
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
            # Or every answer sends the cookie anew: one that was on its way undoes what was chosen since.
            "SESSION_REFRESH_EACH_REQUEST": False,
        }
    )
    app.session_interface = _SingleCookieSessions()
    app.before_request(_refuse_doubled_cookies)


def session_token() -> str:
    """The token in the cookie of whoever is signed in; empty without one, or where there are two."""
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
    """Whether this player has chosen that links in their letters play at once here."""
    return player is not None and player in _numbers_under(AT_ONCE_KEY)


def set_plays_at_once(player: int, chosen: bool) -> None:
    """Keep whether links in the letters of this player play at once here."""
    others = [one for one in _numbers_under(AT_ONCE_KEY) if one != player]
    session[AT_ONCE_KEY] = [*others, player][-MOST_PLAYERS:] if chosen else others
    session.permanent = True


def note_offer(player: int) -> bool:
    """Note that this player is offered to play at once here; whether they were not before."""
    if player in _numbers_under(OFFERED_KEY):
        return False
    session[OFFERED_KEY] = [*_numbers_under(OFFERED_KEY), player][-MOST_PLAYERS:]
    session.permanent = True
    return True


def played_seats() -> list[tuple[str, int, int]]:
    """The seats that were played in this browser, the last first: game, seat and the epoch of its links."""
    found = [tuple(one) for one in session.get(SEATS_KEY, [])]
    return cast(list[tuple[str, int, int]], found[::-1])


def note_played_seat(game: str, seat: int, epoch: int) -> None:
    """Keep that a seat was played here, by a link with which it can be played anyway."""
    known = played_seats()
    if (game, seat, epoch) not in known:
        others = [list(one) for one in reversed(known) if one[:2] != (game, seat)]
        session[SEATS_KEY] = [*others, [game, seat, epoch]][-MOST_SEATS:]
        session.permanent = True


def forget_played_seats() -> None:
    """From now on it is not known here what was played."""
    session.pop(SEATS_KEY, None)


def forget_players() -> None:
    """From now on no link in a letter plays at once here, and it is not known what was played."""
    session.pop(AT_ONCE_KEY, None)
    forget_played_seats()


def forget_players_once(token: str) -> None:
    """The same for a browser whose token has ended; of one token once, since it may go on holding it."""
    ended = _digest(token)
    if session.get(ENDED_KEY) != ended:
        forget_players()
        session[ENDED_KEY] = ended


def browser_id() -> str:
    """A name for this browser, and for whoever is signed in in it, that no other site can know."""
    if ID_KEY not in session:
        session[ID_KEY] = secrets.token_urlsafe(12)
    return f"{session[ID_KEY]} {_digest(session_token())}"


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()[:22] if token else ""


def opened_mail_ids() -> frozenset[int]:
    """The mails of the built-in mailbox that were opened here."""
    return frozenset(_numbers_under(READ_KEY))


def mark_mail_opened(mail: int) -> None:
    """This mail was opened here."""
    if mail not in _numbers_under(READ_KEY):
        session[READ_KEY] = [*_numbers_under(READ_KEY), mail][-MOST_READ_MAILS:]
