"""A private PostgreSQL: a server of this process alone, on a socket in a folder that goes with it."""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import psycopg

from tests.judges.court import missing

FOLDERS = "/usr/lib/postgresql"
USER = "postgres"
"""Who runs it where the tests are run by root, whom it refuses; and who it is asked by."""
STARTS_WITHIN, STOPS_WITHIN = 60.0, 30.0
LEAST_FREE = 2**30
"""Bytes of memory that a server may fill."""
SETTINGS = {
    "fsync": "off",  # no test cuts the power
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "listen_addresses": "",
}
DURABLE = SETTINGS | {"synchronous_commit": "on", "wal_level": "replica", "max_wal_senders": "4"}
"""Those of a server that is ended like a process that is killed, and of which others have copies."""


def find_programs() -> Path | None:
    """The folder of the newest version's programs; None where it is not installed."""
    found = sorted(Path(FOLDERS).glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def _find_memory() -> str | None:
    """A folder that lies in memory, so that no test waits for a disk; None where there is none."""
    found = Path("/dev/shm")
    is_roomy = os.access(found, os.W_OK) and shutil.disk_usage(found).free > LEAST_FREE
    return str(found) if is_roomy else None


class Cluster:
    """A server that has been started, and its databases."""

    def __init__(
        self, programs: Path, settings: Mapping[str, str] = SETTINGS, primary: Cluster | None = None
    ) -> None:
        """`primary`: of which server it is a standby, to which all is streamed."""
        self.programs, self.folder = programs, Path(mkdtemp(prefix="pg-", dir=_find_memory()))
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            user = pwd.getpwnam(USER)
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        data = self.folder / "data"
        if primary is None:
            options = ["-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
            self._run("initdb", "-D", data, *options)
        else:
            options = ["-U", USER, "-h", str(primary.folder), "-R", "-X", "stream", "-c", "fast", "--no-sync"]
            self._run("pg_basebackup", "-D", data, *options)
        self.configure(**settings)
        self._watcher = self._watch()
        self.start()

    def _run(self, program: str, *arguments: object) -> None:
        command = [str(self.programs / program), *map(str, arguments)]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=self.folder, timeout=STARTS_WITHIN, **self._as
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def _control(self, *arguments: object) -> None:
        self._run("pg_ctl", "-D", self.folder / "data", "-w", "-s", *arguments)

    def configure(self, **settings: str) -> None:
        """Let settings stand in its file, for the next start."""
        with (self.folder / "data/postgresql.auto.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())

    def start(self) -> None:
        self._control("-l", self.folder / "log", "-o", f"-k {self.folder}", "start")

    def stop(self, how: str = "fast") -> None:
        self._control("-m", how, "stop")

    def promote(self) -> None:
        """Let a standby take what is written from now on."""
        self._control("promote")

    def _watch(self) -> subprocess.Popen[bytes]:
        """What removes the server once this process is gone, in whatever way it went.

        In a session of its own, so that whoever ends this process with all that it has started spares it.
        """
        script = 'read _; "$1" -D "$2/data" -m immediate stop; rm -rf "$2"'
        command = ["sh", "-c", script, "sh", str(self.programs / "pg_ctl"), str(self.folder)]
        away = subprocess.DEVNULL
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=away,
            stderr=away,
            cwd="/",
            start_new_session=True,
            **self._as,
        )

    def remove(self) -> None:
        self._watcher.communicate()

    @property
    def pid(self) -> int:
        """The number of its first process, which starts all others."""
        return int((self.folder / "data/postmaster.pid").read_text().split()[0])

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://{USER}@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = USER) -> list[tuple[Any, ...]]:
        with psycopg.connect(
            host=str(self.folder), user=USER, dbname=database, autocommit=True
        ) as connection:
            done = connection.execute(statement.encode())
            return done.fetchall() if done.description else []

    def create(self, database: str, template: str = "template1") -> None:
        """Make a database, a copy of another one to which nobody is connected."""
        self.execute(f'CREATE DATABASE "{database}" TEMPLATE "{template}" STRATEGY FILE_COPY')

    def drop(self, database: str) -> None:
        """End all connections to a database, and remove it."""
        self.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')


@cache
def _started(programs: Path) -> Cluster:
    cluster = Cluster(programs)
    atexit.register(cluster.remove)
    return cluster


def cluster() -> Cluster:
    """The server of this process; where PostgreSQL is not installed the test is skipped with a word."""
    return _started(_needed_programs())


@contextmanager
def durable(primary: Cluster | None = None, **settings: str) -> Iterator[Cluster]:
    """A server that loses nothing it has acknowledged, or its standby; with some settings more."""
    built = Cluster(_needed_programs(), DURABLE | settings, primary)
    try:
        yield built
    finally:
        built.remove()


def _needed_programs() -> Path:
    programs = find_programs()
    if programs is None:
        missing("this needs the package postgresql: apt-get install postgresql")
    return programs
