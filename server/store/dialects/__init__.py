"""Differences between SQLite and PostgreSQL; other packages do not depend on which of them is used.

SQLite has one writer, which takes its lock at the beginning of the transaction; readers see the state
committed before they began. On PostgreSQL advisory locks and isolation levels give the same guarantees.
"""

from __future__ import annotations

from sqlalchemy import URL, Connection

from server.private_files import database_file
from server.store.dialects.sqlite import SQLite
from server.store.dialects.systems import DatabaseSystem


def system_of(url: URL) -> DatabaseSystem:
    if url.get_backend_name() == "sqlite":
        return SQLite()
    from server.store.dialects.postgresql import PostgreSQL

    return PostgreSQL()


def is_file_missing(url: URL) -> bool:
    """Return whether the URL names an SQLite file that does not exist.

    A file that cannot be checked counts as existing, so that SQLite reports the error.
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
    """Notify other processes of new work when the transaction commits."""
    system_of(connection.engine.url).announce(connection, sender)


def lock_beside(connection: Connection, key: str) -> None:
    """Lock `key` until the transaction ends, in addition to the lock that the transaction holds."""
    system_of(connection.engine.url).lock(connection, key)
