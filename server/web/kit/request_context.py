"""The counter at which visitors are served: the office and the moment, as every page asks for them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import cast

from flask import current_app, request

from emails.i18n import sentence
from server.store.context import Office
from server.web.kit import cookies
from server.web.kit.csrf import is_good, nonce

TOO_OLD = sentence(
    "This page was open for too long, or your browser keeps no cookies. Please press the button again."
)
"""What is said where a form of this browser has no good nonce."""
OFFICE = "office"
"""The name under which an application keeps its office."""


def office() -> Office:
    """The office whose pages these are."""
    return cast(Office, current_app.extensions[OFFICE])


def now() -> datetime:
    """The moment it is, by the clock of the application."""
    return cast(Callable[[], datetime], current_app.config["NOW"])()


def button(subject: str) -> str:
    """The nonce for a button that does what `subject` says."""
    return nonce(subject, office().post.secret, now())


def is_pressed(subject: str) -> bool:
    """Whether the form sent in stood on a page of ours and is for `subject`."""
    return is_good(request.form.get("nonce", ""), subject, office().post.secret, now())


def form(name: str) -> str:
    """The subject of a form that no ticket protects: it is good in this browser alone."""
    return f"{name} {cookies.own_id()}"
