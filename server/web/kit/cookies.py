"""What a browser keeps for us, in one signed cookie that no script can read.

The players who have acted in it, so that a link in a letter can act at once there; whether its user would
rather be asked; which mails of the built-in mailbox were opened.
"""

from __future__ import annotations

import secrets
from typing import cast

from flask import session

PLAYERS, ASK, ID, READ = "players", "ask", "id", "read"
MOST_PLAYERS = 50
MOST_READ = 300
"""A browser keeps 4 kilobytes."""


def _numbers(name: str) -> list[int]:
    return cast(list[int], session.get(name, []))


def remember(player: int | None) -> None:
    """This player pressed a button here."""
    if player is not None and player not in _numbers(PLAYERS):
        session[PLAYERS] = [*_numbers(PLAYERS), player][-MOST_PLAYERS:]
        session.permanent = True


def knows(player: int | None) -> bool:
    """Whether this player acted here before."""
    return player is not None and player in _numbers(PLAYERS)


def asks() -> bool:
    """Whether the user wants to be asked each time."""
    return bool(session.get(ASK, False))


def set_asks(wish: bool) -> None:
    """Keep whether the user wants to be asked each time."""
    session[ASK] = wish
    session.permanent = True


def own_id() -> str:
    """A name for this browser that no other site can know."""
    if ID not in session:
        session[ID] = secrets.token_urlsafe(12)
    return str(session[ID])


def read_mails() -> frozenset[int]:
    """The mails of the built-in mailbox that were opened here."""
    return frozenset(_numbers(READ))


def mark_read(mail: int) -> None:
    """This mail was opened here."""
    if mail not in _numbers(READ):
        session[READ] = [*_numbers(READ), mail][-MOST_READ:]
