"""The time zone of a visitor's browser, which a script of ours tells in a cookie; settings win over it.

It decides how times are shown and nothing else, so the cookie is not signed.
"""

from __future__ import annotations

from datetime import datetime

from flask import Flask, request
from sqlmodel import Session

from emails.i18n import UTC_ZONE, Locale, current_zone, zone_names
from server.accounts.vacations import store_zone
from server.outbox.preferences import load_preferences

ZONE_COOKIE = "alexandros-zone"
"""The name that clock.js knows too."""


def register(app: Flask) -> None:
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


def settle_zone(session: Session, player: int, now: datetime) -> None:
    """Write letters to a player by the clock of their browser, where they have chosen none. No commit."""
    wanted = load_preferences(session, player)
    if wanted.zone == UTC_ZONE and browser_zone() != UTC_ZONE:
        store_zone(session, player, browser_zone(), now)
