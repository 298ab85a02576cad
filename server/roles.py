"""Roles: the kinds of work of the server, so that each can have processes of its own.

By default a process does all of them. With PostgreSQL any number of processes may do each, on any number of
machines.
"""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """One kind of work; its value names it on the command line."""

    PAGES = "pages"
    MAIL = "mail"
    LETTERS = "letters"
    """Renders letters with their pictures, and sends them."""
    CLOCK = "clock"
    """Keeps deadlines, plays plans, and does scheduled chores."""
    HOUSE = "house"
    """Plays the turns of bots, and reviews finished games."""


Roles = frozenset[Role]
EVERY_ROLE: Roles = frozenset(Role)


def read_roles(text: str) -> Roles:
    """Parse roles separated by commas. Raises `ValueError`."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in EVERY_ROLE:
            raise ValueError(f"“{word}” is no role: there are {', '.join(Role)}")
    return frozenset(map(Role, words))
