"""The language and time zone of a page: those of the ticket's player, or else of the visitor.

A visitor chooses a language by `?lang=nl`, which links between public pages keep; otherwise the preference
of the browser counts. A player's language is in the settings. The browser's time zone comes in an unsigned
cookie, since it only decides how times are shown.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from flask import Flask, Response, g, has_request_context, request

from emails.i18n import (
    UTC_ZONE,
    Locale,
    current_locale,
    current_zone,
    gettext,
    plural_form,
    use_locale,
    zone_names,
)
from emails.languages.lexicon import lexicon_of, say_orders
from emails.languages.supported_languages import ENGLISH, LANGUAGES
from emails.wording.advice_text import strength_word
from engine.notation.lexer import Vocabulary
from server.accounts.vacations import store_zone
from server.outbox.notifications import load_preferences
from server.store.models import Player
from server.web.kit.request_context import current_context, now

ZONE_COOKIE = "alexandros-zone"
"""Name of the cookie for the time zone, also used in clock.js."""


def register_time_filter(app: Flask) -> None:
    app.jinja_env.filters.update(local=lambda moment: moment.astimezone(current_zone()))


def browser_zone() -> str:
    """Return the time zone of the visitor's browser, or UTC if the zone is unknown or invalid."""
    told = request.cookies.get(ZONE_COOKIE, "")
    return told if told in zone_names() else UTC_ZONE


def zone_of(chosen: Locale) -> str:
    return browser_zone() if chosen.zone == UTC_ZONE else chosen.zone


def learn_zone(player: int) -> None:
    """Store the time zone of the visitor's browser for a player who has none. Commits."""
    zone = browser_zone()
    if zone == UTC_ZONE:
        return
    with current_context().reading() as session:
        if load_preferences(session, player).zone != UTC_ZONE:
            return
    with current_context().writing() as session:
        if session.get(Player, player) is not None:  # the player may have been erased meanwhile
            store_zone(session, player, zone, now())
            session.commit()


def use_zone(zone: str) -> None:
    """Show times in a time zone for the rest of the request."""
    g.speech.enter_context(use_locale(replace(current_locale(), zone=zone)))


LANGUAGE_PARAMETER = "lang"
LANGUAGE_ENDPOINTS = (
    "new_game.",
    "open_seat_pages.take_open_seat",
    "public_pages.",
    "mailbox_pages.",
    "unsubscribe_page.change_subscription",
    "settings_pages.confirm_address",
    "readonly_pages.show_spectator_page",
    "readonly_pages.show_player_history",
    "readonly_pages.show_spectator_history",
    "readonly_pages.download_player_log",
    "readonly_pages.download_spectator_log",
    "live_updates.",
    "sign_in_pages.",
    "my_pages.show_my_games",
    "my_pages.show_finished_games",
    "my_pages.forget_games_played_here",
)
"""Prefixes of the endpoints that offer a choice of language."""
WORDLESS_BLUEPRINT = "live_updates"
"""Blueprint of endpoints that scripts request too often to negotiate a language."""


def register(app: Flask) -> None:
    app.before_request(_begin_locale)
    app.after_request(_vary_by_language)
    app.teardown_request(_end_locale)
    app.url_defaults(_carry_language)
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(gettext, plural_form, newstyle=True)  # type: ignore[attr-defined]
    app.jinja_env.globals.update(spoken=current_locale, switches=language_links)
    app.jinja_env.filters.update(orders=localize_orders, strength=strength_word)


def use_player_locale(tongue: Locale, settings: str) -> None:
    """Use a player's locale. `settings`: link to the player's settings; empty: pages offer language links."""
    tongue = replace(tongue, zone=zone_of(tongue))
    if not settings and _chosen_language():
        tongue = replace(tongue, language=_chosen_language())
    g.speech.enter_context(use_locale(tongue))
    g.settings = settings


def page_vocabulary() -> Vocabulary:
    """Return the words of orders typed on a page: those of the page's language and of English."""
    return lexicon_of(current_locale().language).orders


def localize_orders(words: str) -> str:
    return say_orders(words, current_locale().language)


def language_links() -> list[dict[str, object]]:
    """Return the language links of a page, sorted by name; none on a player's page, where settings decide."""
    if g.get("settings", ""):
        return []
    return [
        {
            "code": code,
            "name": name,
            "link": _language_link(code),
            "current": code == current_locale().language,
        }
        for code, name in sorted(LANGUAGES.items(), key=lambda one: one[1])
    ]


def _language_link(code: str) -> str:
    asked = {name: value for name, value in request.args.items() if name != LANGUAGE_PARAMETER}
    return f"?{urlencode(asked | {LANGUAGE_PARAMETER: code})}"


def _begin_locale() -> None:
    g.speech = ExitStack()
    wordless = request.blueprint == WORDLESS_BLUEPRINT
    preferred = request.accept_languages.best_match(LANGUAGES, default=ENGLISH)
    spoken = ENGLISH if wordless else _chosen_language() or preferred
    g.speech.enter_context(use_locale(Locale(spoken, browser_zone())))


def _end_locale(_: BaseException | None) -> None:
    """Restore the locale, since threads are reused."""
    speech: ExitStack | None = g.pop("speech", None)
    if speech is not None:
        speech.close()


def _chosen_language() -> str:
    wanted = request.args.get(LANGUAGE_PARAMETER, "")
    return wanted if wanted in LANGUAGES else ""


def _carry_language(endpoint: str, values: dict[str, Any]) -> None:
    if endpoint.startswith(LANGUAGE_ENDPOINTS) and has_request_context() and _chosen_language():
        values.setdefault(LANGUAGE_PARAMETER, _chosen_language())


def _vary_by_language(response: Response) -> Response:
    if response.mimetype == "text/html":
        response.vary.add("Accept-Language")
    return response
