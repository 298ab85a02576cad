"""The pages: what a link in a letter leads to, the form that opens a game, the built-in mailbox."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from flask import Flask
from jinja2 import StrictUndefined
from markupsafe import Markup

from emails import palette, wording
from emails.symbols import LETTER_DROPS, OUTLINES
from server.office import Office
from server.web import (
    assets,
    camps,
    confirming,
    counter,
    errors,
    fonts,
    founding,
    handing,
    headers,
    mailbox,
    opening,
    speech,
    stopping,
    talking,
    tickets,
    wishes,
)

LARGEST = 64 * 1024
"""Bytes of a request."""


def register(app: Flask, office: Office) -> None:
    """Give an application all pages of an office.

    It may bring a clock of its own in `app.config["NOW"]`, and in `GAMES_PER_HOUR` how many games one visitor
    may open. The built-in mailbox is there only where letters are kept instead of sent, and
    strangers cannot come.
    """
    settings = office.settings
    app.extensions[counter.OFFICE] = office
    app.config.setdefault("NOW", _utc_now)
    app.config.setdefault(opening.PER_HOUR, 20)
    app.config.update(
        MAX_CONTENT_LENGTH=LARGEST,
        SESSION_COOKIE_NAME="alexandros",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.base_url.startswith("https:"),
        PERMANENT_SESSION_LIFETIME=timedelta(days=365),
    )
    app.secret_key = app.secret_key or settings.secret.get_secret_value()
    headers.register(app, settings.base_url)
    errors.register(app)
    speech.register(app)
    app.register_blueprint(opening.pages)
    for pages in (tickets, talking, wishes, stopping, confirming, founding, fonts, assets):
        app.register_blueprint(pages.pages)
    if settings.mail_secret is not None:
        app.register_blueprint(handing.pages)
    local = settings.mailbox_shown
    if local:
        app.register_blueprint(mailbox.pages)
    app.jinja_env.filters.update(
        listed=wording.listed, symbol=wording.symbol, moment=wording.moment, as_svg=Markup
    )
    app.jinja_env.globals.update(
        asset=assets.asset, local=local, mark=camps.mark, outlines=OUTLINES, drops=LETTER_DROPS
    )
    app.jinja_env.globals.update(palette=palette, talk=talking.talk)
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True


def _utc_now() -> datetime:
    return datetime.now(UTC)
