"""SQLite: a database in one file with one writer; its backup is a copy of the file.

Only the owner may read the file. SQLite gives the files that it creates beside it the same mode, whatever the
umask is, so setting the mode before SQLite opens the database is enough.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor, ExceptionContext
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from server.store.dialects import (
    LAST_NUMBERS,
    PRIVATE,
    WRITING,
    BackupRefused,
    DatabaseInUse,
    DatabaseSystem,
    SchemaMismatch,
    StagedCopy,
    UnreadableValue,
    describe_games_at_risk,
    describe_in_use,
)

LOG = logging.getLogger(__name__)
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


ACTS_BY_ITSELF = "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')"


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise BackupRefused(describe_in_use(str(error))) from None
    except sqlite3.DatabaseError as error:
        raise BackupRefused(
            f"the database (ALEXANDROS_DATABASE) is damaged ({error}): move {target} away, and restore again"
        ) from None


def _lock(own: sqlite3.Connection, replacing: bool) -> tuple[int, int] | None:
    own.execute("PRAGMA locking_mode=EXCLUSIVE")
    own.execute("BEGIN EXCLUSIVE")
    there = own.execute("SELECT 1 FROM sqlite_schema WHERE name = 'game'").fetchone()
    games = _count_games(own) if there else 0
    letter = generation = 0
    with suppress(sqlite3.OperationalError):  # an older database has no such column
        letter, generation = own.execute(LAST_NUMBERS).fetchone()
    own.execute("COMMIT")
    if games and not replacing:
        raise BackupRefused(describe_games_at_risk(games))
    return (letter or 0, generation or 0) if there else None


def _judge_copy(staged: Path, file: Path) -> None:
    with closing(sqlite3.connect(staged)) as copy:
        foreign = copy.execute(ACTS_BY_ITSELF).fetchone()
        broken = copy.execute("PRAGMA foreign_key_check").fetchone()
        damage = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if foreign:
        raise BackupRefused(f"{file} is no backup of this program: it contains {' '.join(foreign)}")
    if broken or damage != "ok":
        why = f"a row of {broken[0]} refers to a missing row of {broken[2]}" if broken else damage
        raise BackupRefused(f"{file} is damaged: {why}")


def _keep(own: sqlite3.Connection, kept: Path) -> None:
    create_private_file(URL.create("sqlite", database=str(kept)))
    try:
        _copy(own, kept)
    except sqlite3.Error:
        kept.unlink()
        raise


def _free_name(target: Path) -> str:
    names = (f"{target}-replaced-{number}" for number in count(1))
    return next(name for name in names if not Path(name).exists())


def _remove(database: URL) -> None:
    for ending in BESIDE:
        Path(f"{database_file(database)}{ending}").unlink(missing_ok=True)


def _open_copy(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)


def _copy(source: sqlite3.Connection, target: Path) -> None:
    with closing(sqlite3.connect(target, timeout=0)) as copy:
        source.backup(copy)  # in one step: a consistent state, and writers need not wait


def _count_games(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM game").fetchone()[0])


MOST_WAL_TRIES = 20


class SQLite(DatabaseSystem):
    """An SQLite database, used by one process that does all work."""

    def open(self, url: URL) -> Engine:
        database = create_engine(url, hide_parameters=True)  # errors show the statement without its values
        create_private_file(url)
        event.listen(database, "connect", _prepare)
        event.listen(database, "begin", _begin)
        event.listen(database, "handle_error", _tell_unreadable_apart)
        return database

    def settle(self, database: Engine) -> None:
        self.guard_files(database.url)
        _begin_write_ahead_log(database)

    def guard_files(self, url: URL) -> None:
        narrow_files(url)

    def open_for_upgrade(self, url: URL, report_wait: Callable[[], None], patience: float) -> Engine:
        database = create_engine(url, poolclass=NullPool, hide_parameters=True)
        create_private_file(url)
        _lock_file(database, report_wait, patience)
        return database

    def finish_upgrade(self, connection: Connection) -> None:
        """Check all references, which were not enforced during the upgrade."""
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        if broken is not None:
            raise SchemaMismatch(
                f"the database (ALEXANDROS_DATABASE) is damaged: a row of {broken[0]} refers to a missing row"
                f" of {broken[2]}; nothing was changed"
            )

    def compact(self, database: Engine, *, whole: bool = True) -> bool:
        """Empty the write-ahead log. `whole`: rewrite the database first.

        Return False if this is impossible now, since another process reads the database.
        """
        connection = database.raw_connection()
        try:
            cursor = connection.cursor()
            if whole:
                cursor.execute("VACUUM")
            return empty_write_ahead_log(cursor)
        except sqlite3.OperationalError:
            return False
        finally:
            connection.close()

    def measure_size(self, connection: Connection) -> int:
        size: int = connection.exec_driver_sql(
            "SELECT (page_count - freelist_count) * page_size"
            " FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        ).scalar_one()
        return size

    def is_missing(self, url: URL) -> bool:
        try:
            database_file(url).stat()
        except OSError as error:
            return isinstance(error, FileNotFoundError | NotADirectoryError)
        return False

    def folder_of(self, url: URL) -> Path | None:
        return database_file(url).absolute().parent

    def append_line(self, connection: Connection, line: str) -> None:
        """Append a line to the journal, a file beside the database, synchronously.

        A line break precedes the line, so that a line truncated by a kill damages no other line.
        """
        try:
            how = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            file = os.open(journal_file(connection.engine.url), how, PRIVATE)
            with os.fdopen(file, "wb") as journal:
                journal.write(f"\n{line}\n".encode())
                journal.flush()
                os.fsync(file)
        except OSError as error:
            raise OperationalError("a line of withdrawals", None, error) from None

    def delete_lines(self, connection: Connection, lines: Collection[str]) -> None:
        """Rewrite the journal without `lines`; no other transaction can append lines meanwhile."""
        file = journal_file(connection.engine.url)
        newer = file.with_name(f"{file.name}.new")
        newer.touch(PRIVATE)
        with newer.open("w") as journal:
            journal.write(
                "".join(f"{line}\n" for line in file.read_text(errors="replace").split() if line not in lines)
            )
            journal.flush()
            os.fsync(journal.fileno())
        newer.replace(file)

    def read_lines(self, url: URL) -> list[str]:
        file = journal_file(url)
        return file.read_text(errors="replace").split() if file.exists() else []

    def copy_database(self, database: URL, file: Path, note: Callable[[Session], None]) -> int:
        if file.exists():
            raise BackupRefused(f"{file} exists already: name a new file")
        url = URL.create("sqlite", database=str(file))
        create_private_file(url)
        if not file.exists():
            raise BackupRefused(f"{file} cannot be written")
        try:
            with closing(sqlite3.connect(database_file(database))) as source:
                _copy(source, file)
            engine = create_engine(url)
            with Session(engine) as session:
                note(session)
                session.commit()
            engine.dispose()
            with closing(sqlite3.connect(file)) as copy:
                copy.execute("PRAGMA journal_mode=DELETE")  # so that the copy is a single file
                games = _count_games(copy)
        except (sqlite3.Error, SQLAlchemyError) as error:
            file.unlink(missing_ok=True)
            raise BackupRefused(f"{file} cannot be written: {error}") from None
        narrow_files(url)
        return games

    def read_version(self, file: Path) -> str | None:
        try:
            with closing(_open_copy(file)) as copy:
                _count_games(copy)
                version = copy.execute("SELECT version_num FROM alembic_version").fetchone()
                whole = copy.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        except sqlite3.Error:
            return None
        return str(version[0]) if version and whole else None

    @contextmanager
    def stage_copy(self, database: URL, file: Path, *, replacing: bool) -> Iterator[StagedCopy]:
        """Read a copy into a file beside the database.

        The database stays locked until the end of the block. Its file is not replaced but rewritten, so a
        waiting process continues with the restored data.
        """
        target = database_file(database)
        staged = URL.create("sqlite", database=f"{target}-restoring")
        is_new = not target.exists()
        create_private_file(database)
        with closing(sqlite3.connect(target, timeout=0, isolation_level=None)) as own, _explained(target):
            known = _lock(own, replacing)
            kept = "" if known is None else _free_name(target)
            try:
                _remove(staged)
                create_private_file(staged)
                with closing(_open_copy(file)) as source:
                    _copy(source, database_file(staged))
                _judge_copy(database_file(staged), file)
                yield StagedCopy(staged, database, *(known or (0, 0)), kept)
                if kept:
                    _keep(own, Path(kept))
                with closing(sqlite3.connect(database_file(staged))) as source:
                    source.execute("PRAGMA journal_mode=DELETE")
                    source.backup(own)
                is_new = False
            finally:
                _remove(staged)
                if is_new:
                    target.unlink()
        narrow_files(database)


def empty_write_ahead_log(cursor: DBAPICursor) -> bool:
    cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    row = cursor.fetchone()
    return row is not None and row[0] == 0


def _prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    """Set the durability of commits and the overwriting of deleted data.

    `synchronous=FULL`, because NORMAL loses acknowledged acts at a power failure. Deleted data is
    overwritten, as promised to users.
    """
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("busy_timeout=15000", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    writing = connection.get_execution_options().get(WRITING)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _tell_unreadable_apart(context: ExceptionContext) -> None:
    error = context.original_exception
    # Only errors of SQLite itself have a code; those of the Python module have none.
    if isinstance(error, sqlite3.OperationalError) and not hasattr(error, "sqlite_errorcode"):
        raise UnreadableValue("a text in the database is not UTF-8") from None


def _begin_write_ahead_log(database: Engine) -> None:
    """Switch to write-ahead logging, so that readers and the writer do not wait for each other.

    If several processes switch at once, SQLite fails instead of waiting; so wait for the lock and try again.
    """
    connection = database.raw_connection()
    try:
        cursor = connection.cursor()
        for _ in range(MOST_WAL_TRIES):
            try:
                cursor.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:  # the other bits are details
                    raise
                cursor.execute("BEGIN EXCLUSIVE")
                cursor.execute("ROLLBACK")
            else:
                return
        cursor.execute("PRAGMA journal_mode=WAL")
    finally:
        connection.close()


def _lock_file(database: Engine, report_wait: Callable[[], None], patience: float) -> None:
    """Make each transaction lock the file; wait up to `patience` seconds until no other process has it open.

    Foreign keys are not enforced, because an upgrade drops and rebuilds tables; `finish_upgrade` checks them.
    """

    def prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        pragmas = ("busy_timeout=0", "locking_mode=EXCLUSIVE", "foreign_keys=OFF", "secure_delete=ON")
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    def begin(connection: Connection) -> None:
        try:
            connection.exec_driver_sql("BEGIN EXCLUSIVE")
            return
        except OperationalError as error:
            if not _is_busy(error):
                raise
        report_wait()
        connection.exec_driver_sql(f"PRAGMA busy_timeout={round(patience * 1000)}")
        try:
            connection.exec_driver_sql("BEGIN EXCLUSIVE")
        except OperationalError as error:
            if not _is_busy(error):
                raise
            raise DatabaseInUse(
                "the database (ALEXANDROS_DATABASE) is in use by another process:"
                " stop `alexandros serve` and other programs that use it, then run `alexandros migrate` again"
            ) from None

    event.listen(database, "connect", prepare)
    event.listen(database, "begin", begin)


def _is_busy(error: OperationalError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code is not None and code & 0xFF == sqlite3.SQLITE_BUSY  # the other bits are details
