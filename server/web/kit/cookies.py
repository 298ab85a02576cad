"""What a browser keeps for us, in one signed cookie that no script can read.

The players who have acted in it, so that a link in a letter can act at once there; whether its user would
rather be asked; which mails of the built-in mailbox were opened.
"""

from __future__ import annotations

import secrets
from typing import cast

from flask import session

PLAYERS_KEY, ASK_KEY, ID_KEY, READ_KEY = "players", "ask", "id", "read"
MOST_PLAYERS = 50
MOST_READ_MAILS = 300
"""A browser keeps 4 kilobytes."""


def _numbers_under(name: str) -> list[int]:
    return cast(list[int], session.get(name, []))


def remember_player(player: int | None) -> None:
    """This player pressed a button here."""
    if player is not None and player not in _numbers_under(PLAYERS_KEY):
        session[PLAYERS_KEY] = [*_numbers_under(PLAYERS_KEY), player][-MOST_PLAYERS:]
        session.permanent = True


def is_known_player(player: int | None) -> bool:
    """Whether this player acted here before."""
    return player is not None and player in _numbers_under(PLAYERS_KEY)


def is_asked_first() -> bool:
    """Whether the user wants to be asked each time."""
    return bool(session.get(ASK_KEY, False))


def set_asked_first(asked: bool) -> None:
    """Keep whether the user wants to be asked each time."""
    session[ASK_KEY] = asked
    session.permanent = True


def browser_id() -> str:
    """A name for this browser that no other site can know."""
    if ID_KEY not in session:
        session[ID_KEY] = secrets.token_urlsafe(12)
    return str(session[ID_KEY])


def opened_mail_ids() -> frozenset[int]:
    """The mails of the built-in mailbox that were opened here."""
    return frozenset(_numbers_under(READ_KEY))


def mark_mail_opened(mail: int) -> None:
    """This mail was opened here."""
    if mail not in _numbers_under(READ_KEY):
        session[READ_KEY] = [*_numbers_under(READ_KEY), mail][-MOST_READ_MAILS:]
