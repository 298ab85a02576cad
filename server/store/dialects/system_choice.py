"""Which database system a URL names."""

from __future__ import annotations

from sqlalchemy import URL, Connection

from server.store.dialects import file_backup
from server.store.dialects.sqlite import SQLite
from server.store.dialects.systems import BackupFormat, DatabaseSystem


def system_of(url: URL) -> DatabaseSystem:
    """The database system of a URL that the settings take."""
    if url.get_backend_name() == "sqlite":
        return SQLite()
    from server.store.dialects.postgresql import PostgreSQL  # its driver takes a while to load

    return PostgreSQL()


def announce(connection: Connection, sender: str) -> None:
    """Let other processes know, once this transaction is committed, that there is something to do."""
    system_of(connection.engine.url).announce(connection, sender)


def skip_ids(connection: Connection, table: str, to: int) -> None:
    """Give no row of a table an id up to this one, which its last row has."""
    system_of(connection.engine.url).skip_ids(connection, table, to)


def backup_format_of(url: URL) -> BackupFormat:
    """How a database is copied into a file and back."""
    if url.get_backend_name() == "sqlite":
        return file_backup
    from server.store.dialects import dump_backup  # its driver takes a while to load

    return dump_backup
