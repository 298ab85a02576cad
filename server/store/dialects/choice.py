"""Which database system a URL names."""

from __future__ import annotations

from sqlalchemy import URL, Connection

from server.store.dialects.sqlite import SQLite
from server.store.dialects.systems import DatabaseSystem


def system_of(url: URL) -> DatabaseSystem:
    """The database system of a URL that the settings take."""
    if url.get_backend_name() == "sqlite":
        return SQLite()
    from server.store.dialects.postgresql import PostgreSQL  # its driver takes a while to load

    return PostgreSQL()


def announce(connection: Connection, sender: str) -> None:
    """Let other processes know, once this transaction is committed, that there is something to do."""
    system_of(connection.engine.url).announce(connection, sender)
