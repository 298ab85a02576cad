"""A PostgreSQL with its standby as config/postgresql sets them up: who gets in, and that nothing is lost."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.certificates import make_certificate
from tests.deployment.shipped import text, with_changes
from tests.deployment.test_postgresql import PASSWORDS, PATIENCE, Cluster, cluster
from tests.faults.visits import until
from tests.ports import free_port

pytestmark = pytest.mark.breadth

COPIES = "copies all"
"""The password of whoever copies."""
WITH_TLS, WITHOUT_TLS = {"PGSSLMODE": "require"}, {"PGSSLMODE": "disable"}
OURS = {"PGPASSWORD": PASSWORDS["alexandros"]}
HERE = {
    "127.0.0.1/32": "127.0.0.9/32",  # who comes over the network has this machine's address here
    "# hostssl": "hostssl",
    "10.0.0.0/24 ": "127.0.0.1/32",
}


def shipped_with(built: Cluster, name: str, **changes: str) -> None:
    """Let a file be read behind all others."""
    with (built.folder / "data/postgresql.conf").open("a") as file:
        file.write(with_changes(f"postgresql/{name}", changes))


def control(built: Cluster, folder: str, *arguments: str) -> None:
    done = built.run("pg_ctl", "-D", f"{built.folder}/{folder}", "-w", "-t", str(PATIENCE), *arguments)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def primary() -> Iterator[Cluster]:
    with cluster() as built:
        make_certificate(built.folder, "postgresql", **built.known)
        (built.folder / "data/pg_hba.conf").write_text(
            with_changes("postgresql/pg_hba.conf", HERE).replace("postgres  ", f"{owner(built)}  ")
        )
        places = {"/etc/ssl": str(built.folder), "10.0.0.21": "127.0.0.1"}
        shipped_with(built, "replication.conf", **places)
        control(built, "data", "-l", f"{built.folder}/log", "restart")
        made = f"create role standby login replication password '{COPIES}'"
        assert built.ask(made, str(built.folder), owner(built), "postgres").returncode == 0
        yield built


def owner(built: Cluster) -> str:
    """Who is asked by the socket."""
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
    control(primary, name, "-l", f"{primary.folder}/{name}.log", "start")
    try:
        yield Cluster(primary.programs, primary.folder, port, primary.known)
    finally:
        control(primary, name, "-m", "immediate", "stop")


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
        control(primary, "data", "reload")
        state, home = "select sync_state from pg_stat_replication", str(primary.folder)
        until(lambda: primary.ask(state, home, owner(primary), "postgres").stdout == "sync\n", "it keeps up")
        told = primary.ask("create table kept as select 1 as n", "127.0.0.1", **OURS)
        assert told.returncode == 0, told.stderr
        control(primary, "data", "-m", "immediate", "stop")
        control(primary, "standby", "promote")
        both = (
            f"host=127.0.0.1,127.0.0.1 port={primary.port},{standby.port} user=alexandros dbname=alexandros"
        )
        asked = "insert into kept values (2) returning (select sum(n) from kept)"
        line = f"{both} target_session_attrs=read-write sslmode=require"
        told = standby.run("psql", "-XAtqw", line, "-c", asked, **OURS)
        assert told.stdout == "1\n", told.stderr
