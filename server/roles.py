"""Roles: the kinds of work that a process of the server does, so that each can have processes of its own.

A process without a word about it does all of them. On PostgreSQL any number of processes may do each, on any
number of machines.
"""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """One kind of work; the word by which it is chosen."""

    PAGES = "pages"
    """Answers visitors and programs."""
    MAIL = "mail"
    """Takes mail in, and reads it."""
    LETTERS = "letters"
    """Writes letters, draws what stands in them, and sends them."""
    CLOCK = "clock"
    """Keeps the time of turns, plays what was planned, and does what has its hour."""
    HOUSE = "house"
    """Plays for the players of the house, and looks finished games through."""


Roles = frozenset[Role]
EVERY_ROLE: Roles = frozenset(Role)


def read_roles(text: str) -> Roles:
    """The roles that a list names, with commas between them. Raises `ValueError`."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in EVERY_ROLE:
            raise ValueError(f"“{word}” is no role: there are {', '.join(Role)}")
    return frozenset(map(Role, words))
