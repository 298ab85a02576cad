"""Files that only their owner may read: the database, and those that SQLite puts beside it.

SQLite makes its files with the mode of the database, whatever the umask is; so it is enough that the database
has the right one before SQLite opens it.
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
"""How the names of SQLite's files end, and that of what was withdrawn."""


def create_private_file(url: URL) -> None:
    """Make the file of a database that is not there yet, for its owner alone.

    Where that cannot be done SQLite says what is wrong with the file.
    """
    try:
        # Never an existing file: to close it would end the locks that this process has on it.
        made = os.open(database_file(url), os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE)
    except OSError:
        return
    try:
        os.fchmod(made, PRIVATE)  # the umask can take even these away
    finally:
        os.close(made)


def database_file(url: URL) -> Path:
    """The file of an SQLite database; it can be named by a URI."""
    named = url.database or ""
    return Path(unquote(urlsplit(named).path) if named.startswith("file:") else named)


def journal_file(url: URL) -> Path:
    """The file beside an SQLite database that says what was withdrawn: no backup holds or replaces it."""
    file = database_file(url)
    return file.with_name(file.name + JOURNAL)


def narrow_files(url: URL) -> None:
    """Take from others what they may do with the files of a database that is ours; the log says so once."""
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
