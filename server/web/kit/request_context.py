"""What every request needs: the context of the server, the time, and CSRF tokens for forms.

A token is the time at which a form was made, and a signature over it; nothing is stored. It is good for one
subject (such as one ticket) and for a day; whether what the button does has been done already is for the log
of acts to say.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import cast
from urllib.parse import urlsplit

from flask import current_app, g, request
from itsdangerous import TimestampSigner

from emails.i18n import gettext_noop
from emails.keys import KeyRing, Purpose
from server.store.context import Context, act_tag_of
from server.store.turn_clock import LEAST_ABSENCE, absent_since
from server.web.kit import cookies

TOKEN_LIFETIME = timedelta(days=1)
CLOCK_SKEW = timedelta(days=1)
"""How far ahead of now a token may be: the clock was put back, or differs from that of another server."""


class CsrfSigner(TimestampSigner):
    """Signs a moment for one subject, which is part of the key: a ticket of 2,000 letters is not repeated."""

    def __init__(self, subject: str, keys: KeyRing, now: datetime) -> None:
        oldest_first = keys.derive_all(Purpose.FORM)[::-1]
        super().__init__(oldest_first, f"csrf\0{subject}", key_derivation="hmac", digest_method=sha256)
        self.now = now

    def get_timestamp(self) -> int:
        """The moment that the server handed in, in seconds."""
        return int(self.now.timestamp())


def make_csrf_token(subject: str, keys: KeyRing, now: datetime) -> str:
    """A token for what `subject` names, made at `now`."""
    return CsrfSigner(subject, keys, now).sign("").decode()


def is_valid_csrf_token(given: str, subject: str, keys: KeyRing, now: datetime) -> bool:
    """Whether this is a token of ours for `subject`, not older than a day.

    One from later than now was made before the clock was put back, for nobody else can make any.
    """
    oldest = int((TOKEN_LIFETIME + CLOCK_SKEW).total_seconds())
    return CsrfSigner(subject, keys, now + CLOCK_SKEW).validate(given, max_age=oldest)


FORM_EXPIRED = gettext_noop(
    "This page was open for too long, or your browser keeps no cookies. Please press the button again."
)
"""What is said where a form of this browser has no valid CSRF token."""
FOREIGN_SENDERS = ("same-site", "cross-site")
"""What browsers say in `Sec-Fetch-Site` where another host, or another port, has sent a form."""
CONTEXT_KEY = "context"
"""The key in `app.extensions` of the server's context."""


def current_context() -> Context:
    """The context of the server."""
    return cast(Context, current_app.extensions[CONTEXT_KEY])


def now() -> datetime:
    """The moment it is, by the clock of the application."""
    return cast(Callable[[], datetime], current_app.config["NOW"])()


def absolute_url(path: str) -> str:
    """A path of ours as an address that can be passed on: at our own host, whatever host a request names."""
    ours = urlsplit(current_context().settings.base_url)
    return f"{ours.scheme}://{ours.netloc}{path}"


def csrf_token(subject: str) -> str:
    """The CSRF token of a button that does what `subject` says."""
    return make_csrf_token(subject, current_context().links.keys, now())


def is_csrf_valid(subject: str, field: str = "nonce") -> bool:
    """Whether a form of our own pages was sent, with a valid CSRF token for `subject`.

    Browsers say whether a page of ours has sent it; that of a neighbour has not, whatever cookie it has set.
    """
    if request.headers.get("Sec-Fetch-Site") in FOREIGN_SENDERS:
        return False
    return is_valid_csrf_token(request.form.get(field, ""), subject, current_context().links.keys, now())


def form_subject(name: str) -> str:
    """The subject of a form that no ticket protects: it is good in this browser alone, and for its user."""
    return f"{name} {cookies.browser_id()}"


def is_mail_down() -> bool:
    """Whether no time runs on any turn since our mail is down, looked up once for a page."""
    if "mail_down" not in g:
        with current_context().reading() as session:
            away = absent_since(session)
        g.mail_down = away is not None and now() - away >= LEAST_ABSENCE
    is_down: bool = g.mail_down
    return is_down


def find_act_tag(game: str, after: int) -> bytes:
    """The tag of an act, looked up once for a page."""
    if "act_tags" not in g:
        g.act_tags = {}
    if (game, after) not in g.act_tags:
        with current_context().reading() as session:
            g.act_tags[game, after] = act_tag_of(current_context(), session, game, after)
    act_tag: bytes = g.act_tags[game, after]
    return act_tag
