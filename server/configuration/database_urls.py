"""How a database is named: by the URL of a file of SQLite, or of a database of PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

SQLITE, POSTGRESQL = "sqlite", "postgresql+psycopg"
"""How a URL begins."""


def read_database_url(text: str) -> URL:
    """The URL that a text is. Raises `ValueError`."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # their words would show the password
        raise ValueError("is no URL of a database") from None
    if url.drivername == POSTGRESQL:
        if not url.database:
            raise ValueError("names no database of that server")
        return url
    if url.drivername != SQLITE:
        raise ValueError(f"begins neither with {SQLITE}: nor with {POSTGRESQL}:")
    if url.host or url.username:
        raise ValueError("names a host or a user, where only a path can stand after three slashes")
    if not url.database or url.database == ":memory:":
        raise ValueError("names no database that lasts")
    return url


def name_for_libpq(url: URL) -> dict[str, Any]:
    """What libpq is told of a database: by SQLAlchemy, whose way of naming several servers is its own."""
    return dict(url.get_dialect()().create_connect_args(url)[1])


def file_of_database(url: URL) -> Path | None:
    """The file of a database of SQLite; None for one that a server of its own keeps."""
    return Path(url.database or "") if url.drivername == SQLITE else None
