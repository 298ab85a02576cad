"""Which language a page speaks: that of the player behind a ticket, else the one its visitor asks for.

A visitor chooses with `?lang=nl`, which all links to pages for everybody then carry on; else his browser
does. A player's language stands in his settings.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from flask import Flask, Response, g, has_request_context, request

from emails.i18n import ENGLISH, LANGUAGES, Tongue, form, say, speaking, spoken
from engine.notation.vocabulary import spoken as written

CHOSEN = "lang"
"""The name under which an address carries a language."""
CARRIED = (
    "front_page.",
    "new_game_form.",
    "organiser_page.",
    "open_seat_pages.show",
    "open_seat_pages.take",
    "rules_pages.",
    "mailbox_pages.",
    "unsubscribe_page.",
    "address_confirmation_page.",
    "proposal_page.",
    "spectator_page.",
    "history_page.",
    "live_updates.",
    "sign_in_pages.",
    "my_games_page.",
    "sessions_page.",
)
"""Where the pages are that offer the choice themselves."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A language at the foot of a page, and where it leads."""

    code: str
    name: str
    link: str
    current: bool


def register(app: Flask) -> None:
    """Let every request speak a language of its own, and every template say its sentences in it."""
    app.before_request(_begin)
    app.after_request(_varies)
    app.teardown_request(_end)
    app.url_defaults(_carry)
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(say, form, newstyle=True)  # type: ignore[attr-defined]
    app.jinja_env.globals.update(spoken=spoken, switches=switches)
    app.jinja_env.filters["orders"] = orders


def turn_to(tongue: Tongue, settings: str) -> None:
    """Speak to a player for the rest of the request; his settings are at this address.

    Without an address the page itself offers the choice.
    """
    if not settings and _chosen():
        tongue = replace(tongue, language=_chosen())
    g.speech.enter_context(speaking(tongue))
    g.settings = settings


def orders(words: str) -> str:
    """Orders as the reader would write them."""
    return written(words, spoken().language)


def switches() -> list[Switch]:
    """The languages that a page offers, in the order of their names."""
    return [
        Switch(code, name, _link(code), code == spoken().language)
        for code, name in sorted(LANGUAGES.items(), key=lambda one: one[1])
    ]


def _link(code: str) -> str:
    """The same page in a language, or where a player can choose it."""
    settings: str = g.get("settings", "")
    if settings:
        return settings
    asked = {name: value for name, value in request.args.items() if name != CHOSEN}
    return f"?{urlencode(asked | {CHOSEN: code})}"


def _begin() -> None:
    g.speech = ExitStack()
    g.speech.enter_context(speaking(Tongue(_chosen() or _preferred())))


def _end(_: BaseException | None) -> None:
    """Threads are used again: what one request spoke must not be heard in the next."""
    speech: ExitStack | None = g.pop("speech", None)
    if speech is not None:
        speech.close()


def _chosen() -> str:
    wanted = request.args.get(CHOSEN, "")
    return wanted if wanted in LANGUAGES else ""


def _preferred() -> str:
    return request.accept_languages.best_match(LANGUAGES, default=ENGLISH)


def _carry(endpoint: str, values: dict[str, Any]) -> None:
    if endpoint.startswith(CARRIED) and has_request_context() and _chosen():
        values.setdefault(CHOSEN, _chosen())


def _varies(response: Response) -> Response:
    if response.mimetype == "text/html":
        response.vary.add("Accept-Language")
    return response
