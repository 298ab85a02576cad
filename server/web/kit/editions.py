"""The editions of the game as a page names them."""

from __future__ import annotations

from emails.i18n import say, sentence
from engine.editions import IDENTITY_GAMES, RIO_GRANDE

NAMES = {
    RIO_GRANDE.name: sentence("English (%(name)s)"),
    IDENTITY_GAMES.name: sentence("Dutch (%(name)s)"),
}


def called(edition: str) -> str:
    """An edition by the language it was printed in, and its name."""
    return say(NAMES[edition], name=edition)
