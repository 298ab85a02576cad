"""PostgreSQL as config/postgresql sets it up: who gets in, and what of players its log holds."""

import os
import pwd
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.deployment.shipped import environment_file, text, with_changes
from tests.judges.court import missing
from tests.ports import free_port

pytestmark = pytest.mark.breadth

PATIENCE = 120
WORD = "well played, Ben"
PASSWORDS = {"alexandros": "a good password", "somebody": "another password"}


@dataclass(frozen=True)
class Cluster:
    """A PostgreSQL of our own, at a port of this machine and in a folder."""

    programs: Path
    folder: Path
    port: int
    known: dict[str, Any]

    def run(self, name: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """One of its programs, as the user who owns it."""
        return subprocess.run(
            [str(self.programs / name), *arguments],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"} | variables,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            **self.known,
        )

    def ask(self, asked: str, host: str, user: str = "alexandros", database: str = "alexandros", **more: str):
        """What a question gives to somebody who comes over the network, or by a socket."""
        at = ["-h", host, "-p", str(self.port), "-U", user, "-d", database, "-w"]
        return self.run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *at, "-c", asked, **more)


def programs() -> Path:
    """Where the newest PostgreSQL is."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    return found[-1].parent if found else Path(missing("this needs the package postgresql"))


@contextmanager
def cluster(**changes: str) -> Iterator[Cluster]:
    """PostgreSQL by our files; `changes`: what is made wrong in alexandros.conf."""
    with TemporaryDirectory(prefix="rows-") as name:
        folder = Path(name)
        user = pwd.getpwnam("postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name)
        os.chown(folder, user.pw_uid, user.pw_gid)
        known = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
        built = Cluster(programs(), folder, free_port(), known)
        made = built.run("initdb", "-D", f"{folder}/data", "-U", user.pw_name, "-E", "UTF8", "--no-sync")
        assert made.returncode == 0, made.stderr
        (folder / "data/pg_hba.conf").write_text(
            with_changes("postgresql/pg_hba.conf", {"         postgres  ": f"         {user.pw_name}  "})
        )
        here = f"port = {built.port}\nunix_socket_directories = '{folder}'\n"
        with (folder / "data/postgresql.conf").open("a") as file:
            file.write(with_changes("postgresql/alexandros.conf", changes) + here)
        control = ["-D", f"{folder}/data", "-w", "-t", str(PATIENCE)]
        begun = built.run("pg_ctl", *control, "-l", f"{folder}/log", "start")
        assert begun.returncode == 0, begun.stdout + (folder / "log").read_text()
        try:
            for role, password in PASSWORDS.items():
                asked = f"create role {role} login password '{password}'"
                assert built.ask(asked, name, user.pw_name, "postgres").returncode == 0
            asked = "create database alexandros owner alexandros"
            assert built.ask(asked, name, user.pw_name, "postgres").returncode == 0
            yield built
        finally:
            built.run("pg_ctl", *control, "-m", "immediate", "stop")


@pytest.fixture(scope="module")
def rows() -> Iterator[Cluster]:
    with cluster() as built:
        yield built


def test_our_user_gets_in_with_the_password_and_writes(rows: Cluster) -> None:
    password = {"PGPASSWORD": PASSWORDS["alexandros"]}
    told = rows.ask("create table tried (n int); select count(*) from tried", "127.0.0.1", **password)
    assert (told.returncode, told.stdout) == (0, "0\n"), told.stderr
    assert rows.ask("show synchronous_commit", "127.0.0.1", **password).stdout == "on\n"
    assert "scram-sha-256" in text("postgresql/pg_hba.conf")


def test_nobody_else_gets_in_and_nobody_elsewhere(rows: Cluster) -> None:
    wrong = rows.ask("select 1", "127.0.0.1", PGPASSWORD="a bad password")
    assert "password authentication failed" in wrong.stderr
    for user, database in (("somebody", "alexandros"), ("alexandros", "postgres"), ("postgres", "postgres")):
        password = PASSWORDS.get(user, "a password")
        told = rows.ask("select 1", "127.0.0.1", user, database, PGPASSWORD=password)
        assert told.returncode
        assert "no pg_hba.conf entry" in told.stderr, told.stderr
    by_socket = rows.ask("select 1", str(rows.folder), PGPASSWORD=PASSWORDS["alexandros"])
    assert "Peer authentication failed" in by_socket.stderr


def log_of(built: Cluster) -> str:
    """What it has logged after somebody wrote a word twice into what is to stand there once."""
    password = {"PGPASSWORD": PASSWORDS["alexandros"]}
    made = "create table said (words text primary key)"
    assert built.ask(made, "127.0.0.1", **password).returncode == 0
    for status in (0, 1):
        told = built.ask(f"insert into said values ('{WORD}')", "127.0.0.1", **password)
        assert bool(told.returncode) == bool(status)
    return (built.folder / "log").read_text("utf-8", "replace")


def test_no_word_of_a_player_stands_in_its_log(rows: Cluster) -> None:
    logged = log_of(rows)
    assert "duplicate key" in logged
    assert WORD not in logged


def test_control_without_these_lines_it_stands_there() -> None:
    changes = {"log_min_error_statement = 'panic'": "", "log_error_verbosity = 'terse'": ""}
    with cluster(**changes) as built:
        assert WORD in log_of(built)


def test_the_settings_beside_name_this_database() -> None:
    assert environment_file()["ALEXANDROS_DATABASE"].startswith("sqlite:")
    named = "postgresql+psycopg://alexandros@/alexandros?host=/var/run/postgresql"
    assert f"# ALEXANDROS_DATABASE={named}\n" in text("systemd/settings.env")
