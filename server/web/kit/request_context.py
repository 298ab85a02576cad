"""What every request needs: the context of the server, the time, and CSRF tokens for forms."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import cast
from urllib.parse import urlsplit

from flask import current_app, g, request

from emails.i18n import gettext_noop
from server.store.context import Context, make_era_of
from server.store.turn_clock import LEAST_ABSENCE, absent_since
from server.web.kit import cookies
from server.web.kit.csrf import is_valid_csrf_token, make_csrf_token

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


def find_era(game: str, after: int) -> bytes:
    """The era of an act, looked up once for a page."""
    if "eras" not in g:
        g.eras = {}
    if (game, after) not in g.eras:
        with current_context().reading() as session:
            g.eras[game, after] = make_era_of(current_context(), session, game, after)
    era: bytes = g.eras[game, after]
    return era
