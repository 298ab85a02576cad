"""Choice of the database system by URL, and its locks within a transaction."""

from __future__ import annotations

from sqlalchemy import URL, Connection

from server.private_files import database_file
from server.store.dialects import sqlite
from server.store.dialects.sqlite import SQLite
from server.store.dialects.systems import BackupFormat, DatabaseSystem


def system_of(url: URL) -> DatabaseSystem:
    """Return the database system of a URL."""
    if url.get_backend_name() == "sqlite":
        return SQLite()
    from server.store.dialects.postgresql import PostgreSQL

    return PostgreSQL()


def is_file_missing(url: URL) -> bool:
    """True if the URL names an SQLite file that does not exist.

    Files that cannot be looked for are left to SQLite's own error.
    """
    if url.get_backend_name() != "sqlite":
        return False
    try:
        database_file(url).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def announce(connection: Connection, sender: str) -> None:
    system_of(connection.engine.url).announce(connection, sender)


def skip_ids(connection: Connection, table: str, to: int) -> None:
    system_of(connection.engine.url).skip_ids(connection, table, to)


def backup_format_of(url: URL) -> BackupFormat:
    if url.get_backend_name() == "sqlite":
        return sqlite
    from server.store.dialects import postgresql

    return postgresql


LEDGER = "ledger"
"""Key of counts over all games: unsolicited letters."""


def game_key(game: str) -> str:
    return f"game {game}"


def player_key(player: int) -> str:
    return f"player {player}"


def lock_beside(connection: Connection, key: str) -> None:
    system_of(connection.engine.url).lock(connection, key)
