"""Locks of a transaction that writes: what is looked up in it and then written must not change in between.

A transaction that names no key has the database for itself. One that names the key of a game shares it with
those that name others; what it looks up and writes beside that game has a key of its own, which it takes
then. Nobody takes the key of a game after another one, so that none waits for whoever waits for it.
"""

from __future__ import annotations

from sqlalchemy import Connection

from server.store.dialects.system_choice import system_of

LEDGER = "ledger"
"""The key of what is counted over all games: letters that nobody has asked for."""


def game_key(game: str) -> str:
    """The key of a game, of its letters and of what is said in it."""
    return f"game {game}"


def player_key(player: int) -> str:
    """The key of what is kept of a player beside all games."""
    return f"player {player}"


def lock_beside(connection: Connection, key: str) -> None:
    """Take a further key. No commit."""
    system_of(connection.engine.url).lock(connection, key)
