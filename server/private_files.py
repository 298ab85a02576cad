"""File modes: only the owner may read the database and the files that SQLite creates beside it.

SQLite gives these files the mode of the database, whatever the umask is, so setting the mode before SQLite
opens the database is enough.
"""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sqlalchemy import URL

LOG = logging.getLogger(__name__)
PRIVATE = stat.S_IRUSR | stat.S_IWUSR
OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
JOURNAL = "-withdrawals"
BESIDE = ("", "-wal", "-shm", "-journal", JOURNAL)


def create_private_file(url: URL) -> None:
    """Create the file of a new database, readable by its owner only; errors are left to SQLite."""
    try:
        # Never an existing file: closing it would release this process's locks on it.
        made = os.open(database_file(url), os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE)
    except OSError:
        return
    try:
        os.fchmod(made, PRIVATE)  # the umask may have removed these bits too
    finally:
        os.close(made)


def database_file(url: URL) -> Path:
    """Return the file of an SQLite database, which may be named by a URI."""
    named = url.database or ""
    return Path(unquote(urlsplit(named).path) if named.startswith("file:") else named)


def journal_file(url: URL) -> Path:
    """Return the journal of bans, erasures and the like beside an SQLite database; backups omit it."""
    file = database_file(url)
    return file.with_name(file.name + JOURNAL)


def narrow_files(url: URL) -> None:
    """Remove other users' access to the files of a database; log a warning if they had any."""
    file, narrowed = database_file(url), False
    for ending in BESIDE:
        one = file.with_name(file.name + ending)
        try:
            if one.is_file() and stat.S_IMODE(one.stat().st_mode) & OF_OTHERS:
                one.chmod(PRIVATE)
                narrowed = True
        except FileNotFoundError:
            pass  # another process has closed the database
        except OSError as error:
            LOG.warning("%s can be read by others on this machine: %s", one, error.strerror)
            return
    if narrowed:
        LOG.warning("%s could be read by others on this machine; from now on only its owner can", file)
