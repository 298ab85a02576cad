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
    browsers,
    camps,
    confirming,
    counter,
    errors,
    founding,
    front,
    handing,
    headers,
    history,
    joining,
    live,
    mailbox,
    mine,
    opening,
    organiser,
    reading,
    sheet,
    signing,
    speech,
    stopping,
    sums,
    talking,
    tickets,
    visitors,
    watching,
    wishes,
)
from server.web.api import calls

LARGEST = 64 * 1024
"""Bytes of a request."""


def register(app: Flask, office: Office) -> None:
    """Give an application all pages of an office.

    It may bring a clock of its own in `app.config["NOW"]`, in `GAMES_PER_HOUR` how many games one visitor
    may open, and in `API_CALLS_PER_MINUTE` how often one program may call. The built-in mailbox is there only
    where letters are kept instead of sent, and strangers cannot come.
    """
    settings = office.settings
    app.extensions[counter.OFFICE] = office
    app.config.setdefault("NOW", _utc_now)
    app.config.setdefault(opening.PER_HOUR, 20)
    app.config.setdefault(signing.PER_HOUR, 20)
    app.config.setdefault(joining.PER_HOUR, 10)
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
    visitors.register(app)
    for pages in (front, opening, organiser, joining):
        app.register_blueprint(pages.pages)
    app.register_blueprint(reading.pages)
    for pages in (tickets, sums, talking, wishes, stopping, confirming, founding, assets):
        app.register_blueprint(pages.pages)
    for pages in (signing, mine, browsers):
        app.register_blueprint(pages.pages)
    for pages in (live, watching, history, sheet):
        app.register_blueprint(pages.pages)
    calls.register(app)
    if settings.mail_secret is not None:
        app.register_blueprint(handing.pages)
    local = settings.mailbox_shown
    if local:
        app.register_blueprint(mailbox.pages)
    app.jinja_env.filters.update(
        listed=wording.listed,
        cards=wording.cards,
        symbol=wording.symbol,
        moment=wording.moment,
        as_svg=Markup,
        with_rules=reading.with_rules,
    )
    app.jinja_env.globals.update(
        asset=assets.asset, local=local, mark=camps.mark, outlines=OUTLINES, drops=LETTER_DROPS
    )
    app.jinja_env.globals.update(palette=palette, talk=talking.talk, again=joining.again)
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True


def _utc_now() -> datetime:
    return datetime.now(UTC)
