"""Roles: the server's kinds of work, so that each can have separate processes.

By default a process has all roles. With PostgreSQL any number of processes, on any number of machines, may
have a role.
"""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """A kind of work; the value is its name on the command line."""

    PAGES = "pages"
    MAIL = "mail"
    LETTERS = "letters"
    """Renders letters with their pictures, and sends them."""
    CLOCK = "clock"
    """Enforces deadlines, plays turns that players planned in advance, and does scheduled chores."""
    HOUSE = "house"
    """Plays the turns of bots (players of the house), and reviews finished games."""


Roles = frozenset[Role]
EVERY_ROLE: Roles = frozenset(Role)


def read_roles(text: str) -> Roles:
    """Parse roles separated by commas. Raises `ValueError`."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in EVERY_ROLE:
            raise ValueError(f"“{word}” is not a role; the roles are {', '.join(Role)}")
    return frozenset(map(Role, words))
