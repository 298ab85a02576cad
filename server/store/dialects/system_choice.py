"""Choice of the database system by URL, and its locks within a transaction."""

from __future__ import annotations

from sqlalchemy import URL, Connection

from server.private_files import database_file
from server.store.dialects import sqlite
from server.store.dialects.sqlite import SQLite
from server.store.dialects.systems import BackupFormat, DatabaseSystem


def system_of(url: URL) -> DatabaseSystem:
    """The database system of a URL that the settings take."""
    if url.get_backend_name() == "sqlite":
        return SQLite()
    from server.store.dialects.postgresql import PostgreSQL

    return PostgreSQL()


def is_file_missing(url: URL) -> bool:
    """Whether a database is a file that is not there: SQLite would make it, and PostgreSQL makes none.

    Of a file that cannot be looked for SQLite says what is wrong.
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
    """Let other processes know, once this transaction is committed, that there is something to do."""
    system_of(connection.engine.url).announce(connection, sender)


def skip_ids(connection: Connection, table: str, to: int) -> None:
    """Give no row of a table an id up to this one, which its last row has."""
    system_of(connection.engine.url).skip_ids(connection, table, to)


def backup_format_of(url: URL) -> BackupFormat:
    """How a database is copied into a file and back."""
    if url.get_backend_name() == "sqlite":
        return sqlite
    from server.store.dialects import postgresql

    return postgresql


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
