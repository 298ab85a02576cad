"""PostgreSQL: many writers ordered by advisory locks; its backup is made by `pg_dump`."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from select import POLLIN, poll
from threading import Event, Lock
from time import monotonic, sleep
from typing import IO, Any

from psycopg import Connection as DriverConnection
from psycopg import DataError, Error, IsolationLevel, connect
from psycopg.conninfo import make_conninfo
from psycopg.pq import TransactionStatus
from sqlalchemy import URL, Connection, Engine, NullPool, TextClause, create_engine, event, text
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import DBAPIError, InvalidatePoolError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from server.settings import name_for_libpq
from server.store.dialects import (
    LAST_NUMBERS,
    PRIVATE,
    WRITING,
    BackupRefused,
    DatabaseInUse,
    DatabaseSystem,
    SharedKeys,
    StagedCopy,
    UnreadableValue,
    describe_games_at_risk,
    describe_in_use,
)

WRITERS = 0x616C6578
PATIENCE = 15
"""Seconds to wait for a lock, as on SQLite."""
CONNECTED_WITHIN = 10
LOCK_WRITERS = text("SELECT pg_advisory_xact_lock(:lock)")
LOCK_KEY = text("SELECT pg_advisory_xact_lock(:lock, hashtext(:key))")
LOCK_SHARED = "pg_advisory_xact_lock_shared(:lock), pg_advisory_xact_lock(:lock, hashtext(:key))"
WRITER_SILENT = 10  # shorter than PATIENCE
BOUND_SILENCE = "SELECT set_config('idle_in_transaction_session_timeout', :silence, true)"
BEGIN_WRITING = text(f"{BOUND_SILENCE}, pg_advisory_xact_lock(:lock)")
BEGIN_WRITING_GAME = text(f"{BOUND_SILENCE}, {LOCK_SHARED}")
IN_HAND = WRITERS + 1
TAKE_KEY = text("SELECT pg_try_advisory_lock(:lock, hashtext(:key))")
LET_KEY_GO = text("SELECT pg_advisory_unlock(:lock, hashtext(:key))")
CHANNEL = "alexandros"
NOTIFY = text("SELECT pg_notify(:channel, :sender)")
SKIP_IDS = text("SELECT setval(pg_get_serial_sequence(:table, 'id'), :last)")
JOURNAL = "withdrawal"  # the table behind server/store/encrypted.py
TIMELINE = (
    "SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END"
)
"""Query for the current timeline, the prefix of names of log files; empty on a standby."""
LISTENS_FOR = 0.5
LOCK_NOT_AVAILABLE, DEADLOCK = "55P03", "40P01"
READ_ONLY, CUT_OFF = "25006", "25P03"
USED = "used"
UNANSWERED = 6
"""Seconds without acknowledgement after which either side drops a connection (RFC 5482)."""
KEPT_ALIVE_EVERY = 3
"""Idle seconds after which a connection is probed."""
SESSION_OPTIONS = {
    "lock_timeout": f"{PATIENCE}s",
    "idle_in_transaction_session_timeout": "60s",
    "tcp_keepalives_idle": str(KEPT_ALIVE_EVERY),
    "tcp_keepalives_interval": str(KEPT_ALIVE_EVERY),
    "tcp_keepalives_count": str(UNANSWERED // KEPT_ALIVE_EVERY),
    "tcp_user_timeout": f"{UNANSWERED}s",
}
"""Session settings; the timeouts bound how long a disconnected machine holds its locks."""

KEPT_ALIVE = {
    "keepalives_idle": KEPT_ALIVE_EVERY,
    "keepalives_interval": KEPT_ALIVE_EVERY,
    "keepalives_count": UNANSWERED // KEPT_ALIVE_EVERY,
    "tcp_user_timeout": UNANSWERED * 1000,
}


class PooledConnection(DriverConnection[Any]):
    """A connection that keeps its prepared statements after transactions that only read.

    Psycopg discards prepared statements after a rollback, so such transactions are committed instead.
    """

    def rollback(self) -> None:
        """End a transaction; a transaction that only read is committed, since nothing changed."""
        if self.read_only and self.info.transaction_status == TransactionStatus.INTRANS:
            self.commit()
        else:
            super().rollback()


class PostgreSQL(DatabaseSystem):
    """A PostgreSQL server, perhaps on another machine, with many writers."""

    def open(self, url: URL) -> Engine:
        """Open a database; broken pooled connections are detected before use."""
        arguments = _connect_arguments(url)
        database = create_engine(url, hide_parameters=True, connect_args=arguments, pool_use_lifo=True)
        event.listen(database, "do_connect", _connect_for_pool)
        event.listen(database, "checkin", _note_use)
        event.listen(database, "checkout", _see_whether_it_stands)
        event.listen(database, "begin", _begin)
        event.listen(database, "handle_error", _tell_apart)
        return database

    def open_for_upgrade(self, url: URL, report_wait: Callable[[], None], patience: float) -> Engine:
        database = create_engine(
            url, poolclass=NullPool, hide_parameters=True, connect_args=_connect_arguments(url)
        )

        def begin(connection: Connection) -> None:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {round(patience * 1000)}")
            if not connection.scalar(text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": WRITERS}):
                report_wait()
                connection.execute(LOCK_WRITERS, {"lock": WRITERS})

        event.listen(database, "begin", begin)
        event.listen(database, "handle_error", _tell_in_use)
        return database

    def lock(self, connection: Connection, key: str) -> None:
        connection.execute(LOCK_KEY, {"lock": WRITERS, "key": key})

    def compact(self, database: Engine, *, whole: bool = True) -> bool:
        if not whole:
            return True
        try:
            with database.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
                connection.exec_driver_sql("VACUUM FULL")
        except DBAPIError:
            return False
        return True

    def measure_size(self, connection: Connection) -> int:
        size: int = connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one()
        return size

    def announce(self, connection: Connection, sender: str) -> None:
        connection.execute(NOTIFY, {"channel": CHANNEL, "sender": sender})

    def listen(self, url: URL, sender: str, heard: Callable[[], None], stopping: Event) -> bool:
        named = name_for_libpq(url) | _connect_arguments(url)
        with connect(**named, autocommit=True) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            heard()  # notices sent before this connection listened are lost
            while not stopping.is_set():
                told = connection.notifies(timeout=LISTENS_FOR, stop_after=1)
                if any(one.payload != sender for one in told):
                    heard()
        return True

    def skip_ids(self, connection: Connection, table: str, to: int) -> None:
        connection.execute(SKIP_IDS, {"table": table, "last": to})

    def append_line(self, connection: Connection, line: str) -> None:
        self.lock(connection, JOURNAL)
        connection.exec_driver_sql(
            f"CREATE TABLE IF NOT EXISTS {JOURNAL} (id serial PRIMARY KEY, line text NOT NULL)"
        )
        connection.execute(text(f"INSERT INTO {JOURNAL} (line) VALUES (:line)"), {"line": line})

    def delete_lines(self, connection: Connection, lines: Collection[str]) -> None:
        delete = text(f"DELETE FROM {JOURNAL} WHERE line = ANY(:lines)")
        connection.execute(delete, {"lines": list(lines)})

    def read_lines(self, url: URL) -> list[str]:
        with create_engine(url, poolclass=NullPool).connect() as connection:
            if connection.scalar(text("SELECT to_regclass(:table)"), {"table": JOURNAL}) is None:
                return []
            return list(connection.scalars(text(f"SELECT line FROM {JOURNAL} ORDER BY id")))

    def watch_timeline(self, database: Engine, turned: Callable[[], None]) -> None:
        """Call `turned` at the first connection, and whenever a new connection has another timeline.

        A standby that takes over starts a new timeline, perhaps without the last acts.
        """
        last = ""

        def look(connection: DriverConnection[tuple[str]], _: object) -> None:
            nonlocal last
            found = connection.execute(TIMELINE).fetchone()
            connection.rollback()
            if found and found[0] != last:
                turned()
                last = found[0]

        event.listen(database, "connect", look)

    def open_keys(self, url: URL) -> SharedKeys | None:
        return SessionKeys(url)

    def copy_database(self, database: URL, file: Path, note: Callable[[Session], None]) -> int:
        if file.exists():
            raise BackupRefused(f"{file} exists already: name a new file")
        try:
            made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
        except OSError as error:
            raise BackupRefused(f"{file} cannot be written: {error.strerror}") from None
        try:
            with os.fdopen(made, "wb") as copy, _connected(database) as connection:
                with Session(connection) as session:
                    note(session)
                    session.commit()
                connection.execution_options(isolation_level="REPEATABLE READ")
                games = int(connection.execute(GAMES).scalar_one())
                moment = connection.execute(SNAPSHOT).scalar_one()
                how = "--format=custom", *LEFT_OUT, *NO_OWNER, f"--snapshot={moment}"
                _run("pg_dump", database, *how, to=copy)
        except BackupRefused:
            file.unlink(missing_ok=True)
            raise
        return games

    def read_version(self, file: Path) -> str | None:
        try:
            listed = _run("pg_restore", None, "--list", str(file))
            rows = _run("pg_restore", None, "--data-only", "--table=alembic_version", "--file=-", str(file))
            _run("pg_restore", None, f"--file={os.devnull}", str(file))  # checks that all of it is readable
        except _Failed:
            return None
        version = VERSION_ROWS.search(rows)
        return version[1] if version and GAMES_LISTED.search(listed) else None

    @contextmanager
    def stage_copy(self, database: URL, file: Path, *, replacing: bool) -> Iterator[StagedCopy]:
        """Read a copy into a separate schema, which replaces the database's schema at the end of the block.

        `pg_restore` can write only to the schema of the live tables. So the live tables are moved away
        while it runs. Then the new tables are moved to the separate schema, and the live tables back.
        """
        _judge_contents(file)
        with _connected(database) as connection:
            _require_alone(connection)
            known = _find_last_numbers(connection, replacing)
            kept = _free_name(connection) if known else ""
        made = f"DROP SCHEMA IF EXISTS {STAGED} CASCADE; CREATE SCHEMA {STAGED}; CREATE SCHEMA {ASIDE}"
        _read_copy(
            database,
            file,
            before=f"{made}; {_move_tables(OWN, ASIDE)}",
            after=f"{_move_tables(OWN, STAGED)}; {_move_tables(ASIDE, OWN)}; DROP SCHEMA {ASIDE}",
        )
        options = " ".join((*database.normalized_query.get("options", ()), f"-csearch_path={STAGED}"))
        staged = database.update_query_dict({"options": options})
        try:
            yield StagedCopy(staged, database, *(known or (0, 0)), kept and f"the schema {kept}")
            with _connected(database) as connection:
                _require_alone(connection)
                if kept:
                    connection.exec_driver_sql(f"CREATE SCHEMA {kept}")
                    connection.exec_driver_sql(_move_tables(OWN, kept))
                connection.exec_driver_sql(_move_tables(STAGED, OWN))
                connection.commit()
        finally:
            with _connected(database) as connection:
                connection.exec_driver_sql(f"DROP SCHEMA IF EXISTS {STAGED} CASCADE")
                connection.commit()


class SessionKeys:
    """Advisory locks that are held until they are released or their connection ends."""

    def __init__(self, url: URL) -> None:
        arguments = _connect_arguments(url)
        self._database = create_engine(
            url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args=arguments
        )
        self._connection: Connection | None = None
        self._lock = Lock()

    def take(self, key: str) -> bool:
        return bool(self._select_for_key(TAKE_KEY, key))

    def let_go(self, key: str) -> None:
        with suppress(DBAPIError):  # a lock ends with its connection
            self._select_for_key(LET_KEY_GO, key)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _select_for_key(self, statement: TextClause, key: str) -> object:
        with self._lock:
            if self._connection is None:
                self._connection = self._database.connect()
            try:
                return self._connection.scalar(statement, {"lock": IN_HAND, "key": key})
            except DBAPIError:
                self._connection.close()
                self._connection = None
                raise


def _connect_arguments(url: URL) -> dict[str, Any]:
    ours = " ".join(f"-c {name}={value}" for name, value in SESSION_OPTIONS.items())
    usual = {"connect_timeout": CONNECTED_WITHIN, **KEPT_ALIVE, "application_name": "alexandros"}
    options = " ".join([ours, *url.normalized_query.get("options", ())])
    return {name: value for name, value in usual.items() if name not in url.query} | {"options": options}


def _connect_for_pool(_: object, __: object, arguments: list[Any], named: dict[str, Any]) -> PooledConnection:
    return PooledConnection.connect(*arguments, **named)


def _note_use(_: object, record: ConnectionPoolEntry) -> None:
    record.info[USED] = monotonic()


def _see_whether_it_stands(driver: object, record: ConnectionPoolEntry, _: object) -> None:
    if not isinstance(driver, DriverConnection) or USED not in record.info:
        return  # a new connection
    try:
        if monotonic() - record.info[USED] > KEPT_ALIVE_EVERY or _has_come(driver):
            driver.execute("")
            driver.rollback()
    except Error:
        raise InvalidatePoolError from None


def _has_come(driver: DriverConnection[Any]) -> bool:
    """Return whether unrequested data can be read, such as the end of the connection."""
    arrivals = poll()
    arrivals.register(driver.fileno(), POLLIN)
    return bool(arrivals.poll(0))


def _begin(connection: Connection) -> None:
    driver = connection.connection.driver_connection
    if not isinstance(driver, DriverConnection) or driver.autocommit:
        return
    writes = connection.get_execution_options().get(WRITING)
    driver.isolation_level = IsolationLevel.READ_COMMITTED if writes else IsolationLevel.REPEATABLE_READ
    driver.read_only = not writes
    given = {"lock": WRITERS, "silence": f"{WRITER_SILENT}s"}
    if isinstance(writes, str):
        connection.execute(BEGIN_WRITING_GAME, given | {"key": writes})
    elif writes:
        connection.execute(BEGIN_WRITING, given)


def _tell_in_use(context: ExceptionContext) -> None:
    if _state_of(context.original_exception) in (LOCK_NOT_AVAILABLE, DEADLOCK):
        raise DatabaseInUse(
            "the database (ALEXANDROS_DATABASE) is in use by another process:"
            " stop `alexandros serve` and other programs that use it, then run `alexandros migrate` again"
        ) from None


def _tell_apart(context: ExceptionContext) -> None:
    error = context.original_exception
    if isinstance(error, DataError) and error.sqlstate is None and context.statement is None:
        raise UnreadableValue(str(error)) from None  # the driver cannot decode a stored value
    if _state_of(context.original_exception) in (READ_ONLY, CUT_OFF):
        raise OperationalError(context.statement, None, context.original_exception) from None


def _state_of(error: BaseException | None) -> str | None:
    return error.sqlstate if isinstance(error, Error) else None


Stream = IO[bytes] | None

OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend'"
)
GAMES = text("SELECT count(*) FROM game")
SNAPSHOT = text("SELECT pg_export_snapshot()")
THERE = text("SELECT to_regclass('game') IS NOT NULL")
OWN, STAGED, ASIDE, KEPT = "public", "restoring", "aside", "replaced_"
LEFT_WITHIN = 20
"""Maximum wait for other connections to end, in tenths of a second."""
LEFT_OUT = f"--exclude-schema={KEPT}*", f"--exclude-schema={STAGED}", f"--exclude-table={JOURNAL}*"
NO_OWNER = "--no-owner", "--no-privileges"
WAITS_FOR_LONG = "-c idle_in_transaction_session_timeout=0"
VERSION_ROWS = re.compile(r"^COPY \S*alembic_version .*\n([^\t\n]+)", re.MULTILINE)
LISTED = re.compile(
    r"\d+; \d+ \d+ (TABLE|TABLE DATA|SEQUENCE|SEQUENCE OWNED BY|SEQUENCE SET|DEFAULT|INDEX|CONSTRAINT"
    r"|FK CONSTRAINT|SCHEMA|EXTENSION|COMMENT|ACL|DEFAULT ACL) (public|-) "
)
GAMES_LISTED = re.compile(r" TABLE DATA \S+ game ")


def _judge_contents(file: Path) -> None:
    """Refuse a copy that contains more than tables; backups contain no triggers and functions."""
    for line in _run("pg_restore", None, "--list", str(file)).splitlines():
        if not line.startswith(";") and not LISTED.match(line):
            raise BackupRefused(f"{file} is no backup of this program: it contains {line}")


def _require_alone(connection: Connection) -> None:
    for _ in range(LEFT_WITHIN):
        others = int(connection.execute(OTHERS).scalar_one())
        connection.rollback()  # a transaction would list the same connections again
        if not others:
            return
        sleep(0.1)  # a closed connection is listed a moment longer
    raise BackupRefused(describe_in_use(f"it has {others} other connections"))


def _find_last_numbers(connection: Connection, replacing: bool) -> tuple[int, int] | None:
    if not connection.execute(THERE).scalar_one():
        return None
    games = connection.execute(GAMES).scalar_one()
    if games and not replacing:
        raise BackupRefused(describe_games_at_risk(games))
    letter, generation = connection.exec_driver_sql(LAST_NUMBERS).one()
    return letter or 0, generation or 0


def _free_name(connection: Connection) -> str:
    there = set(connection.exec_driver_sql("SELECT nspname FROM pg_namespace").scalars())
    return next(name for number in count(1) if (name := f"{KEPT}{number}") not in there)


def _move_tables(source: str, to: str) -> str:
    chosen = f"relnamespace = '{source}'::regnamespace AND relkind = 'r' AND relname <> '{JOURNAL}'"
    moved = f"EXECUTE 'ALTER TABLE ' || one || ' SET SCHEMA {to}'"
    return (
        f"DO $$DECLARE one regclass; BEGIN FOR one IN SELECT oid FROM pg_class WHERE {chosen}"
        f" LOOP {moved}; END LOOP; END$$"
    )


def _read_copy(database: URL, file: Path, before: str, after: str) -> None:
    script = subprocess.Popen(
        ["pg_restore", "--file=-", *NO_OWNER, str(file)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    how = "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--output=/dev/null"
    what = f"--command={before}", "--file=-", f"--command={after}"
    try:
        with script:
            _run("psql", database, *how, *what, given=script.stdout)
    except _Failed as error:
        raise BackupRefused(f"the database (ALEXANDROS_DATABASE) was not changed: {error}") from None
    if script.returncode:
        raise BackupRefused(f"{file} cannot be read completely")


class _Failed(BackupRefused):
    pass


@contextmanager
def _connected(database: URL) -> Iterator[Connection]:
    engine = create_engine(
        database, poolclass=NullPool, hide_parameters=True, connect_args={"options": WAITS_FOR_LONG}
    )
    try:
        with engine.connect() as connection:
            yield connection
    except DBAPIError as error:
        raise BackupRefused(f"the database (ALEXANDROS_DATABASE) cannot be queried: {error.orig}") from None


def _run(program: str, database: URL | None, *arguments: str, to: Stream = None, given: Stream = None) -> str:
    environment = dict(os.environ)
    if database is not None:
        # Every user of this machine can read command lines.
        environment["PGPASSWORD"] = database.password or ""
        arguments = (f"--dbname={_name_without_password(database)}", *arguments)
    command, pipe = [program, *arguments], subprocess.PIPE
    try:
        done = subprocess.run(
            command, stdin=given, stdout=to or pipe, stderr=pipe, env=environment, check=False
        )
    except FileNotFoundError:
        raise BackupRefused(f"`{program}` is not installed: it is in the package postgresql-client") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit status {done.returncode}"]
        raise _Failed(f"{program}: {said[-1]}")
    return done.stdout.decode(errors="replace") if to is None else ""


def _name_without_password(database: URL) -> str:
    named = name_for_libpq(database)
    named.pop("password", None)
    return make_conninfo(**named)
