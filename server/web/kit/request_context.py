"""Basics of every request: the context of the server, the time, transactions, and CSRF tokens.

A CSRF token is a signed timestamp that is not stored. It is valid for a day, and for one subject: a text that
names a group of forms. The log of acts shows whether the action of a button was performed before.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from hashlib import sha256
from typing import ParamSpec, TypeVar, cast
from urllib.parse import urlsplit

from flask import current_app, g, redirect, request, url_for
from itsdangerous import BadSignature, TimestampSigner
from werkzeug.wrappers import Response as BaseResponse

from emails.i18n import gettext_noop
from emails.tokens import KeyRing, Purpose
from server.outbox.queue import UnitOfWork, open_unit
from server.store.context import Context, act_tag_of
from server.store.turn_clock import LEAST_ABSENCE, absent_since
from server.web.kit import cookies

Outcome = TypeVar("Outcome")
Values = ParamSpec("Values")
TOKEN_LIFETIME = timedelta(days=1)


class CsrfSigner(TimestampSigner):
    """Sign the time for one subject. The subject is part of the key, so that tokens stay short."""

    def __init__(self, subject: str, keys: KeyRing, now: datetime) -> None:
        oldest_first = keys.derive_all(Purpose.FORM)[::-1]
        super().__init__(oldest_first, f"csrf\0{subject}", key_derivation="hmac", digest_method=sha256)
        self.now = now

    def get_timestamp(self) -> int:
        return int(self.now.timestamp())

    def accepts(self, given: str) -> bool:
        """Return whether a token is at most a day old, or up to a day ahead after the clock was set back."""
        try:
            _, signed_at = self.unsign(given, return_timestamp=True)
        except BadSignature:
            return False
        return abs(self.get_timestamp() - signed_at.timestamp()) <= TOKEN_LIFETIME.total_seconds()


FORM_EXPIRED = gettext_noop(
    "This page was open for too long, or your browser keeps no cookies. Please press the button again."
)
FOREIGN_SENDERS = ("same-site", "cross-site")
"""Values of `Sec-Fetch-Site` for forms on pages of another host or port."""
CONTEXT_KEY = "context"


def current_context() -> Context:
    return cast(Context, current_app.extensions[CONTEXT_KEY])


def now() -> datetime:
    return cast(Callable[[], datetime], current_app.config["NOW"])()


def redirect_to(endpoint: str, **values: str | None) -> BaseResponse:
    """Redirect to one of our pages after a form was sent. By status 303 the browser uses GET."""
    return redirect(url_for(endpoint, **values), 303)  # type: ignore[arg-type]


def one_reading(page: Callable[Values, Outcome]) -> Callable[Values, Outcome]:
    """Let a page that changes nothing use one database session for all its queries."""

    @wraps(page)
    def show(*values: Values.args, **named: Values.kwargs) -> Outcome:
        with current_context().share_reading():
            return page(*values, **named)

    return show


def in_transaction(work: Callable[[UnitOfWork], Outcome]) -> Outcome:
    with open_unit(current_context(), now()) as unit:
        outcome = work(unit)
        unit.commit()
    return outcome


def this_page() -> str:
    """Return the address of this page, without host and query, below the path of the server's base URL."""
    return url_for(request.endpoint or "", **(request.view_args or {}))


def absolute_url(path: str) -> str:
    """Return a path as a full address at our own host, not at the host that the request names."""
    ours = urlsplit(current_context().settings.base_url)
    return f"{ours.scheme}://{ours.netloc}{path}"


def csrf_token(subject: str = "") -> str:
    """Return a CSRF token; the default subject is `form_subject`."""
    return CsrfSigner(subject or form_subject(), current_context().links.keys, now()).sign("").decode()


def is_csrf_valid(subject: str = "", field: str = "nonce") -> bool:
    """Check a form's CSRF token, and by `Sec-Fetch-Site` that no neighbouring subdomain's page sent it."""
    if request.headers.get("Sec-Fetch-Site") in FOREIGN_SENDERS:
        return False
    signer = CsrfSigner(subject or form_subject(), current_context().links.keys, now())
    is_valid = signer.accepts(request.form.get(field, ""))
    g.is_form_checked = g.get("is_form_checked", False) or is_valid
    return is_valid


def is_form_checked() -> bool:
    """Return whether the request is a form with a valid CSRF token."""
    return bool(g.get("is_form_checked", False))


def form_subject() -> str:
    """Return the CSRF subject of a request's forms. The default is a subject of this browser and session.

    Forms behind a secret link need no cookies: the function that loads the link sets another subject.
    """
    bound: str = g.get("form_subject", "")
    return bound or f"browser {cookies.browser_id()}"


def bind_forms(subject: str) -> None:
    g.form_subject = subject


def is_mail_down() -> bool:
    """Return whether all clocks are stopped because the server's mail is down. Queried once per request."""
    if "mail_down" not in g:
        with current_context().reading() as session:
            away = absent_since(session)
        g.mail_down = away is not None and now() - away >= LEAST_ABSENCE
    is_down: bool = g.mail_down
    return is_down


def find_act_tag(game: str, after: int) -> bytes:
    """Return the act tag of the act with number `after`; empty without such an act. Cached per request."""
    if "act_tags" not in g:
        g.act_tags = {}
    if (game, after) not in g.act_tags:
        with current_context().reading() as session:
            g.act_tags[game, after] = act_tag_of(current_context(), session, game, after)
    act_tag: bytes = g.act_tags[game, after]
    return act_tag
