"""PostgreSQL and its standby as config/postgresql sets them up: who gets in, what is logged, what is kept."""

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

from tests.certificates import make_certificate
from tests.deployment.shipped import environment_file, text, with_changes
from tests.faults.visits import until
from tests.judges.court import missing
from tests.ports import free_port
from tests.postgresql import find_programs

pytestmark = pytest.mark.breadth

PATIENCE = 120
WORD = "well played, Ben"
PASSWORDS = {"alexandros": "a good password", "somebody": "another password"}
OURS = {"PGPASSWORD": PASSWORDS["alexandros"]}


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

    def control(self, folder: str, *arguments: str) -> None:
        """Start or stop the server of a folder, or let it read its files."""
        done = self.run("pg_ctl", "-D", f"{self.folder}/{folder}", "-w", "-t", str(PATIENCE), *arguments)
        assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def cluster() -> Iterator[Cluster]:
    with TemporaryDirectory(prefix="rows-") as name:
        folder = Path(name)
        user = pwd.getpwnam("postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name)
        os.chown(folder, user.pw_uid, user.pw_gid)
        known = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
        programs = find_programs() or Path(missing("this needs the package postgresql"))
        built = Cluster(programs, folder, free_port(), known)
        made = built.run("initdb", "-D", f"{folder}/data", "-U", user.pw_name, "-E", "UTF8", "--no-sync")
        assert made.returncode == 0, made.stderr
        (folder / "data/pg_hba.conf").write_text(
            with_changes("postgresql/pg_hba.conf", {"         postgres  ": f"         {user.pw_name}  "})
        )
        here = f"port = {built.port}\nunix_socket_directories = '{folder}'\n"
        with (folder / "data/postgresql.conf").open("a") as file:
            file.write(text("postgresql/alexandros.conf") + here)
        built.control("data", "-l", f"{folder}/log", "start")
        try:
            for role, password in PASSWORDS.items():
                asked = f"create role {role} login password '{password}'"
                assert built.ask(asked, name, user.pw_name, "postgres").returncode == 0
            asked = "create database alexandros owner alexandros"
            assert built.ask(asked, name, user.pw_name, "postgres").returncode == 0
            yield built
        finally:
            built.run("pg_ctl", "-D", f"{folder}/data", "-w", "-m", "immediate", "stop")


@pytest.fixture(scope="module")
def rows() -> Iterator[Cluster]:
    with cluster() as built:
        yield built


def test_our_user_gets_in_with_the_password_and_writes(rows: Cluster) -> None:
    told = rows.ask("create table tried (n int); select count(*) from tried", "127.0.0.1", **OURS)
    assert (told.returncode, told.stdout) == (0, "0\n"), told.stderr
    assert rows.ask("show synchronous_commit", "127.0.0.1", **OURS).stdout == "on\n"
    assert "scram-sha-256" in text("postgresql/pg_hba.conf")


def test_nobody_else_gets_in_and_nobody_elsewhere(rows: Cluster) -> None:
    wrong = rows.ask("select 1", "127.0.0.1", PGPASSWORD="a bad password")
    assert "password authentication failed" in wrong.stderr
    for user, database in (("somebody", "alexandros"), ("alexandros", "postgres"), ("postgres", "postgres")):
        password = PASSWORDS.get(user, "a password")
        told = rows.ask("select 1", "127.0.0.1", user, database, PGPASSWORD=password)
        assert told.returncode
        assert "no pg_hba.conf entry" in told.stderr, told.stderr
    by_socket = rows.ask("select 1", str(rows.folder), **OURS)
    assert "Peer authentication failed" in by_socket.stderr


def test_no_word_of_a_player_stands_in_its_log(rows: Cluster) -> None:
    """Though one is written twice into what is to stand there once."""
    made = "create table said (words text primary key)"
    assert rows.ask(made, "127.0.0.1", **OURS).returncode == 0
    for fails in (False, True):
        told = rows.ask(f"insert into said values ('{WORD}')", "127.0.0.1", **OURS)
        assert bool(told.returncode) == fails
    logged = (rows.folder / "log").read_text("utf-8", "replace")
    assert "duplicate key" in logged
    assert WORD not in logged


def test_the_settings_beside_name_this_database() -> None:
    assert environment_file()["ALEXANDROS_DATABASE"].startswith("sqlite:")
    named = "postgresql+psycopg://alexandros@/alexandros?host=/var/run/postgresql"
    assert f"# ALEXANDROS_DATABASE={named}\n" in text("systemd/settings.env")


COPIES = "copies all"
WITH_TLS, WITHOUT_TLS = {"PGSSLMODE": "require"}, {"PGSSLMODE": "disable"}
HERE = {
    "127.0.0.1/32": "127.0.0.9/32",  # who comes over the network has this machine's address here
    "# hostssl": "hostssl",
    "10.0.0.0/24 ": "127.0.0.1/32",
}


def shipped_with(built: Cluster, name: str, **changes: str) -> None:
    with (built.folder / "data/postgresql.conf").open("a") as file:
        file.write(with_changes(f"postgresql/{name}", changes))


@pytest.fixture(scope="module")
def primary() -> Iterator[Cluster]:
    with cluster() as built:
        make_certificate(built.folder, "postgresql", **built.known)
        (built.folder / "data/pg_hba.conf").write_text(
            with_changes("postgresql/pg_hba.conf", HERE).replace("postgres  ", f"{owner(built)}  ")
        )
        places = {"/etc/ssl": str(built.folder), "10.0.0.21": "127.0.0.1"}
        shipped_with(built, "replication.conf", **places)
        built.control("data", "-l", f"{built.folder}/log", "restart")
        made = f"create role standby login replication password '{COPIES}'"
        assert built.ask(made, str(built.folder), owner(built), "postgres").returncode == 0
        yield built


def owner(built: Cluster) -> str:
    return built.folder.owner()


@contextmanager
def standby_of(primary: Cluster, name: str) -> Iterator[Cluster]:
    """A standby that copies over TLS, by the command of the document."""
    [command] = [line for line in text("machines.md").splitlines() if line.startswith("pg_basebackup ")]
    arguments = command.replace("10.0.0.21", f"127.0.0.1 port={primary.port}").split(" -D ")[0]
    arguments = arguments.split('"')
    whole = [*arguments[0].split()[1:], arguments[1], *arguments[2].split()]
    made = primary.run("pg_basebackup", *whole, "-D", f"{primary.folder}/{name}", PGPASSWORD=COPIES)
    assert made.returncode == 0, made.stderr
    port = free_port()
    with (primary.folder / name / "postgresql.auto.conf").open("a") as file:
        file.write(f"port = {port}\n")
    primary.control(name, "-l", f"{primary.folder}/{name}.log", "start")
    try:
        yield Cluster(primary.programs, primary.folder, port, primary.known)
    finally:
        primary.control(name, "-m", "immediate", "stop")


def test_machines_get_in_over_tls_alone(primary: Cluster) -> None:
    assert primary.ask("select 1", "127.0.0.1", **OURS, **WITH_TLS).stdout == "1\n"
    refused = primary.ask("select 1", "127.0.0.1", **OURS, **WITHOUT_TLS)
    assert "no encryption" in refused.stderr, refused.stderr
    for user in ("alexandros", "postgres"):
        line = f"host=127.0.0.1 port={primary.port} user={user} sslmode=require dbname=x replication=true"
        told = primary.run("psql", "-XAtqw", line, "-c", "IDENTIFY_SYSTEM", **OURS)
        assert "no pg_hba.conf entry for replication" in told.stderr, told.stderr
    told = primary.ask("select 1", "127.0.0.1", "standby", PGPASSWORD=COPIES)
    assert "no pg_hba.conf entry" in told.stderr, "who copies reads nothing by itself"


def test_a_synchronous_standby_takes_over_with_all_that_was_acknowledged(primary: Cluster) -> None:
    with standby_of(primary, "standby") as standby:
        shipped_with(primary, "synchronous.conf")
        primary.control("data", "reload")
        state, home = "select sync_state from pg_stat_replication", str(primary.folder)
        until(lambda: primary.ask(state, home, owner(primary), "postgres").stdout == "sync\n", "it keeps up")
        told = primary.ask("create table kept as select 1 as n", "127.0.0.1", **OURS)
        assert told.returncode == 0, told.stderr
        primary.control("data", "-m", "immediate", "stop")
        primary.control("standby", "promote")
        both = (
            f"host=127.0.0.1,127.0.0.1 port={primary.port},{standby.port} user=alexandros dbname=alexandros"
        )
        asked = "insert into kept values (2) returning (select sum(n) from kept)"
        line = f"{both} target_session_attrs=read-write sslmode=require"
        told = standby.run("psql", "-XAtqw", line, "-c", asked, **OURS)
        assert told.stdout == "1\n", told.stderr
