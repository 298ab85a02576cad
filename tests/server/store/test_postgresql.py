"""PostgreSQL: made by the same migrations, begun by many at once, and away for a while."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date, datetime
from threading import Event, Thread

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from click.testing import CliRunner
from sqlalchemy import Boolean, Date, DateTime, MetaData, func, insert, make_url, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

from server.app import create_app
from server.cli import main
from server.store.database import (
    BASELINE,
    MODELS,
    SCHEMA_VERSION,
    VERSION_TABLE,
    open_database,
    run_migrations,
    upgrade_database,
)
from server.store.dialects import DatabaseInUse, postgresql, system_of
from server.store.models import Game, Player
from tests.breadth import BREADTH
from tests.paths import TOP
from tests.postgresql import cluster
from tests.server.desk import NOON, Collector, body, desk
from tests.server.storage import POSTGRESQL, choose, new_database
from tests.server.store.old_database import create_baseline, environment, restore, url
from tests.server.web.site import Visitor

pytestmark = BREADTH
OPEN = "import sys; from sqlalchemy import make_url; from server.store.database import open_database\n"
OPEN += "sys.stdin.readline(); open_database(make_url(sys.argv[1])).dispose()"


@pytest.fixture(autouse=True)
def on_postgresql(system):
    choose(POSTGRESQL)


@pytest.fixture
def bare():
    return make_url(new_database("bare"))


@pytest.fixture
def office(tmp_path):
    context = desk(tmp_path)
    return context, context.start_game("Anna", "Ben")


def fail_if_called():
    raise AssertionError("nobody else writes")


def migrated(named, until=SCHEMA_VERSION):
    database = system_of(named).open_for_upgrade(named, fail_if_called, 1)
    with database.begin() as connection:
        create_baseline(connection)
        run_migrations(connection, until)
    return database


def described(named):
    columns = "SELECT table_name, column_name, data_type, is_nullable, column_default"
    rules = "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
    asked = [
        f"{columns} FROM information_schema.columns WHERE table_schema = 'public'",
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
        f"{rules} WHERE connamespace = 'public'::regnamespace",
    ]
    return [sorted(map(str, cluster().execute(one, named.database))) for one in asked]


def test_a_new_database_is_the_same_as_one_that_took_every_migration(bare):
    migrated(bare)
    new = make_url(new_database("new"))
    open_database(new).dispose()
    assert described(bare) == described(new)
    assert all(described(bare))


@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_migrations_and_models_do_not_differ(bare):
    with migrated(bare).connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), MODELS) == []


def read_as(kind, value):
    match kind:
        case _ if value is None:
            return None
        case Boolean():
            return bool(value)
        case Date():
            return date.fromisoformat(value)
        case DateTime():
            return datetime.fromisoformat(value)
    return value


def rebuilt(named, file):
    """A database of PostgreSQL as an earlier version would have left it that one of SQLite has left."""
    database, tables = migrated(named, BASELINE), MetaData()
    with database.begin() as connection, closing(sqlite3.connect(file)) as old:
        old.row_factory = sqlite3.Row
        tables.reflect(connection)
        for table in tables.sorted_tables:
            if table.name == VERSION_TABLE.name:
                continue
            if table.name == "outgoing":  # a letter can be told by a later one
                connection.execute(text("ALTER TABLE outgoing DISABLE TRIGGER ALL"))
            found = old.execute(f'SELECT * FROM "{table.name}"').fetchall()
            rows = [{one: read_as(table.c[one].type, row[one]) for one in row.keys()} for row in found]  # noqa: SIM118
            if rows:
                connection.execute(insert(table), rows)
            if rows and table.c.get("id") is not None and isinstance(rows[0]["id"], int):
                last = select(func.max(table.c.id)).scalar_subquery()
                of = func.pg_get_serial_sequence(f'"{table.name}"', "id")
                connection.execute(select(func.setval(of, last)))
        connection.execute(text("ALTER TABLE outgoing ENABLE TRIGGER ALL"))


def stored(named):
    database = system_of(named).open(named)
    with database.connect() as connection:
        found = {
            table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=str)
            for table in MODELS.sorted_tables
        }
    database.dispose()
    return found


def test_an_old_database_becomes_what_one_of_sqlite_becomes(tmp_path, bare):
    file = restore(tmp_path)
    rebuilt(bare, file)
    given = environment(file)
    assert CliRunner(env=given).invoke(main, ["migrate"]).exit_code == 0
    given["ALEXANDROS_DATABASE"] = bare.render_as_string(hide_password=False)
    said = CliRunner(env=given).invoke(main, ["migrate"]).stdout
    assert said == f"The database was migrated from version {BASELINE} to {SCHEMA_VERSION}.\n"
    here, there = stored(bare), stored(url(file))
    assert here == there
    assert here["game"]
    examined = CliRunner(env=given).invoke(main, ["doctor"])
    assert examined.stderr == f"The database has version {SCHEMA_VERSION}.\n"


def test_four_processes_that_begin_together_all_live(bare):
    command = [sys.executable, "-c", OPEN, bare.render_as_string(hide_password=False)]
    started = [
        subprocess.Popen(command, cwd=TOP, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for one in started:
        one.stdin.write("now\n")
        one.stdin.flush()
    assert [one.communicate()[1] for one in started] == [""] * 4
    assert cluster().execute("SELECT version_num FROM alembic_version", "bare") == [(SCHEMA_VERSION,)]


def test_a_migration_waits_for_whoever_writes_and_then_does_nothing(bare):
    migrated(bare, BASELINE)
    before, waited = described(bare), []
    database = system_of(bare).open(bare)
    with database.execution_options(writing=True).begin(), pytest.raises(DatabaseInUse, match="migrate"):
        upgrade_database(bare, lambda: waited.append(1), patience=0.2)
    database.dispose()
    assert (waited, described(bare)) == ([1], before)
    assert upgrade_database(bare, fail_if_called) == BASELINE


def names(session: Session) -> set[str]:
    return set(session.exec(select(Player.name)).scalars())


def test_who_reads_sees_the_database_as_it_was_when_they_began(office):
    context, _ = office
    with context.reading() as session:
        before = names(session)
        context.start_game("Cleo", "Dirk")
        assert names(session) == before
    with context.reading() as session:
        assert names(session) == before | {"Cleo", "Dirk"}


def test_who_only_reads_cannot_write(office):
    context, _ = office
    with context.reading() as session, pytest.raises(OperationalError):
        session.execute(text("DELETE FROM player"))


def is_held_up(context, game, other):
    """Whether somebody who writes to a game has to wait for somebody who writes to another, or to all."""
    done = Event()

    def write() -> None:
        with context.writing(game) as session:
            session.connection()
        done.set()

    with context.writing(other) as session:
        session.connection()
        beside = Thread(target=write)
        beside.start()
        waits = not done.wait(1)
    beside.join()
    return waits


@pytest.mark.parametrize(
    ("game", "other", "waits"),
    [("a", "b", False), ("a", "a", True), ("a", None, True), (None, "b", True), (None, None, True)],
)
def test_who_writes_to_one_game_waits_for_those_who_write_to_it_or_to_all(office, game, other, waits):
    assert is_held_up(office[0], game, other) == waits


def test_who_writes_and_says_nothing_is_cut_off_before_those_who_wait_give_up(office, monkeypatch):
    context, game = office
    assert postgresql.WRITER_SILENT < postgresql.PATIENCE
    monkeypatch.setattr(postgresql, "WRITER_SILENT", 0.3)
    with context.writing(game) as silent:
        silent.connection()
        with context.writing() as session:
            session.connection()
        with pytest.raises(OperationalError):
            silent.execute(text("DELETE FROM moment"))


def test_connections_that_were_ended_are_noticed_before_they_are_used(office):
    context, game = office
    with context.reading() as session:
        assert session.get(Game, game)
    own = context.database.url.database
    cluster().execute(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{own}'")
    with context.writing() as session:
        assert session.get(Game, game)


def test_while_the_database_is_away_pages_say_so_and_everything_goes_on_after(office):
    context, _ = office
    carrier, browser = Collector(), Visitor(create_app(context, lambda: NOON).test_client())
    context.work_until_idle(carrier, NOON)
    link = next(word for word in body(carrier.to("Anna")[0]).split() if "/t/" in word)
    path = link.partition("8000")[2].removesuffix("/settings")
    assert browser.get(path).status == 200
    cluster().stop()
    try:
        for _ in range(2):
            answer = browser.client.get(path)
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
            assert "Nothing can be stored just now" in answer.text
        refused = context.type_in("games")
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
        assert "the database (ALEXANDROS_DATABASE) cannot be used" in refused.stderr
        with pytest.raises(OperationalError):
            context.work_until_idle(carrier, NOON)
    finally:
        cluster().start()
    assert browser.get(path).status == 200
    before = len(carrier.mails)
    context.start_game("Cleo", "Dirk")
    context.work_until_idle(carrier, NOON)
    assert len(carrier.mails) > before


@pytest.mark.parametrize("path", ["/mailbox/9223372036854775807", "/mailbox/99999999999999999999", "/g/%00"])
def test_what_no_column_takes_is_nowhere(office, path):
    assert create_app(office[0], lambda: NOON).test_client().get(path).status_code in (400, 404)


def test_the_guide_says_how_many_connections_a_process_may_take(bare):
    """Those of its pool; one that listens, and one for locks that last."""
    database = system_of(bare).open(bare)
    assert isinstance(database.pool, QueuePool)
    most = database.pool.size() + database.pool._max_overflow
    database.dispose()
    said = " ".join((TOP / "config/postgresql.md").read_text("utf-8").split())
    assert f"a pool of up to {most}," in said
    assert f"at most {most + 2} connections" in said
