"""The web pages and the API of a server."""

from __future__ import annotations

from pathlib import Path

from flask import Flask
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from emails.picture import palette
from emails.picture.layers import GUARD_OUTLINES, LETTER_DROPS
from emails.tokens import Purpose
from emails.wording import phrases
from emails.wording.phrases import format_deadline, format_time_left
from server import readiness
from server.store.context import Context, utc_now
from server.web.account import my_pages, settings_pages, sign_in_pages
from server.web.api import api_routes
from server.web.desk import desk_pages, mailbox_pages
from server.web.game import draft_pages, preview, readonly_pages, ticket_pages, viewers, votes_page
from server.web.kit import assets, errors, request_context, visitors
from server.web.lobby import new_game, open_seat_pages, public_pages

MAX_REQUEST_BYTES = 64 * 1024


PAGES = (
    assets.pages,
    desk_pages.health,
    public_pages.pages,
    new_game.pages,
    open_seat_pages.pages,
    ticket_pages.pages,
    draft_pages.pages,
    votes_page.pages,
    readonly_pages.pulses,
    readonly_pages.pages,
    settings_pages.pages,
    sign_in_pages.pages,
    my_pages.pages,
    desk_pages.pages,
    api_routes.pages,
)


def register(app: Flask, context: Context) -> None:
    """Register all pages of a server with an application.

    A clock ("NOW") and limits ("LIMITS") that `app.config` already contains are not replaced.
    """
    settings = context.settings
    app.extensions[request_context.CONTEXT_KEY] = context
    app.secret_key, *app.config["SECRET_KEY_FALLBACKS"] = context.links.keys.derive_all(Purpose.COOKIE)
    app.config.setdefault("NOW", utc_now)
    app.config["MAX_CONTENT_LENGTH"] = MAX_REQUEST_BYTES
    errors.register(app)
    visitors.register(app)
    request_context.register(app, settings)
    viewers.register(app)
    for page in PAGES:
        app.register_blueprint(page)
    readiness.add_store_checks(context, app.config["NOW"])
    if settings.mail_secret is not None:
        app.register_blueprint(mailbox_pages.hook)
    if settings.is_mailbox_shown:
        app.register_blueprint(mailbox_pages.pages)
    _prepare_templates(app.jinja_env, local=settings.is_mailbox_shown)


def _prepare_templates(jinja: Environment, local: bool) -> None:
    jinja.loader = FileSystemLoader(sorted(Path(__file__).parent.glob("*/templates")))
    jinja.undefined = StrictUndefined
    jinja.trim_blocks = jinja.lstrip_blocks = True
    jinja.filters.update(
        listed=phrases.format_list,
        cards=phrases.format_cards,
        symbol=phrases.symbol_name,
        spelled=phrases.spell_number,
        moment=phrases.format_time,
        deadline=format_deadline,
        left=lambda deadline: format_time_left(deadline - request_context.now()),
        as_svg=Markup,
        with_rules=public_pages.link_rules,
    )
    jinja.globals.update(
        asset=assets.asset_url,
        local=local,
        mark=preview.seat_mark,
        outlines=GUARD_OUTLINES,
        drops=LETTER_DROPS,
        palette=palette,
        warn_of_walls=phrases.warn_of_walls,
        chat_box=draft_pages.build_chat_box,
        csrf_token=request_context.csrf_token,
        this_page=request_context.this_page,
        at_once=ticket_pages.build_one_click_form,
        again=open_seat_pages.rematch_button,
        recap_of=readonly_pages.recap_of,
    )
