"""The editions of the game as a page names them."""

from __future__ import annotations

from emails.i18n import gettext, gettext_noop
from engine.editions import IDENTITY_GAMES, RIO_GRANDE

EDITION_NAMES = {
    RIO_GRANDE.name: gettext_noop("English (%(name)s)"),
    IDENTITY_GAMES.name: gettext_noop("Dutch (%(name)s)"),
}


def display_name(edition: str) -> str:
    """An edition by the language it was printed in, and its name."""
    return gettext(EDITION_NAMES[edition], name=edition)
