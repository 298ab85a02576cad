"""The language and the time zone of a page: those of the player behind a ticket, else of its visitor.

A visitor chooses a language with `?lang=nl`, which all links to pages for everybody then carry on; else their
browser does. A player's language stands in their settings. The time zone of a browser comes in a cookie; it
decides how times are shown and nothing else, so it is not signed.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
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
from server.outbox.preferences import load_preferences
from server.store.models import Player
from server.web.kit.request_context import current_context, now

ZONE_COOKIE = "alexandros-zone"
"""The name that clock.js knows too."""


def register_time_filter(app: Flask) -> None:
    """Let templates show times by the reader's clock."""
    app.jinja_env.filters.update(local=_to_local)


def _to_local(moment: datetime) -> datetime:
    return moment.astimezone(current_zone())


def browser_zone() -> str:
    """The time zone of the visitor's browser; UTC where it has not said, or says what is none."""
    told = request.cookies.get(ZONE_COOKIE, "")
    return told if told in zone_names() else UTC_ZONE


def zone_of(chosen: Locale) -> str:
    """The time zone for a player: the one they have chosen, else their browser's."""
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
        if session.get(Player, player) is not None:  # not of one who was forgotten just now
            store_zone(session, player, zone, now())
            session.commit()


LANGUAGE_PARAMETER = "lang"
"""The name under which an address carries a language."""
LANGUAGE_ENDPOINTS = (
    "front_page.",
    "new_game.",
    "open_seat_pages.show_open_seat",
    "open_seat_pages.take_open_seat",
    "help_pages.show_rules",
    "help_pages.show_help",
    "mailbox_pages.",
    "unsubscribe_page.show_unsubscribe_page",
    "unsubscribe_page.change_subscription",
    "address_pages.show_confirmation",
    "address_pages.confirm_address",
    "readonly_pages.show_spectator_page",
    "history_page.show_player_history",
    "history_page.show_spectator_history",
    "history_page.download_player_log",
    "history_page.download_spectator_log",
    "live_updates.",
    "sign_in_pages.",
    "my_pages.show_my_games",
    "my_pages.show_finished_games",
    "my_pages.forget_games_played_here",
)
"""Where the pages are that offer the choice themselves."""
WORDLESS_BLUEPRINT = "live_updates"
"""What a script reads, which is asked for so often that it is not worth while to ask for a language."""


@dataclass(frozen=True, slots=True)
class LanguageLink:
    """A language at the foot of a page, and where it leads."""

    code: str
    name: str
    link: str
    current: bool


def register(app: Flask) -> None:
    """Let every request speak a language of its own, and every template say its sentences in it."""
    app.before_request(_begin_locale)
    app.after_request(_vary_by_language)
    app.teardown_request(_end_locale)
    app.url_defaults(_carry_language)
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(gettext, plural_form, newstyle=True)  # type: ignore[attr-defined]
    app.jinja_env.globals.update(spoken=current_locale, switches=language_links)
    app.jinja_env.filters.update(orders=localize_orders, strength=strength_word)


def use_player_locale(tongue: Locale, settings: str) -> None:
    """Speak to a player for the rest of the request; their settings are at this address.

    Without an address the page itself offers the choice.
    """
    tongue = replace(tongue, zone=zone_of(tongue))
    if not settings and _chosen_language():
        tongue = replace(tongue, language=_chosen_language())
    g.speech.enter_context(use_locale(tongue))
    g.settings = settings


def page_vocabulary() -> Vocabulary:
    """The words in which is read what somebody typed on a page: of its language, and English."""
    return lexicon_of(current_locale().language).orders


def localize_orders(words: str) -> str:
    """Orders as the reader would write them."""
    return say_orders(words, current_locale().language)


def language_links() -> list[LanguageLink]:
    """The languages that a page offers, in the order of their names.

    None on a player's page, where a link, which changes nothing, could not switch it: their settings do.
    """
    if g.get("settings", ""):
        return []
    return [
        LanguageLink(code, name, _language_link(code), code == current_locale().language)
        for code, name in sorted(LANGUAGES.items(), key=lambda one: one[1])
    ]


def _language_link(code: str) -> str:
    """The same page in a language."""
    asked = {name: value for name, value in request.args.items() if name != LANGUAGE_PARAMETER}
    return f"?{urlencode(asked | {LANGUAGE_PARAMETER: code})}"


def _begin_locale() -> None:
    g.speech = ExitStack()
    wordless = request.blueprint == WORDLESS_BLUEPRINT
    spoken = ENGLISH if wordless else _chosen_language() or _preferred_language()
    g.speech.enter_context(use_locale(Locale(spoken, browser_zone())))


def _end_locale(_: BaseException | None) -> None:
    """Threads are reused: the locale of one request must not leak into the next."""
    speech: ExitStack | None = g.pop("speech", None)
    if speech is not None:
        speech.close()


def _chosen_language() -> str:
    wanted = request.args.get(LANGUAGE_PARAMETER, "")
    return wanted if wanted in LANGUAGES else ""


def _preferred_language() -> str:
    return request.accept_languages.best_match(LANGUAGES, default=ENGLISH)


def _carry_language(endpoint: str, values: dict[str, Any]) -> None:
    if endpoint.startswith(LANGUAGE_ENDPOINTS) and has_request_context() and _chosen_language():
        values.setdefault(LANGUAGE_PARAMETER, _chosen_language())


def _vary_by_language(response: Response) -> Response:
    if response.mimetype == "text/html":
        response.vary.add("Accept-Language")
    return response
