"""On PostgreSQL a migration gets in nobody's way who reads, for however long they do."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from sqlalchemy import Engine, event, make_url, text

from server.store.database import SCHEMA_VERSION, find_version
from server.store.dialects.system_choice import system_of
from server.store.dialects.systems import WRITING, TablesInUse
from server.store.migrations import upgrade
from server.store.migrations.upgrade import run_migrations, upgrade_database
from tests.breadth import BREADTH
from tests.server.storage import POSTGRESQL, choose, new_database

pytestmark = BREADTH
BEFORE = "0015"
LONG = 60


@pytest.fixture
def database(system):
    """A database of the version before, as those who read it have it open."""
    choose(POSTGRESQL)
    url = make_url(new_database("bare"))
    with system_of(url).open_for_upgrade(url, pytest.fail, 1).begin() as connection:
        run_migrations(connection, BEFORE)
    database = system_of(url).open(url)
    yield database
    database.dispose()


@pytest.fixture
def beside():
    with ThreadPoolExecutor(1) as thread:
        yield thread


def count_rows(connection, table):
    return connection.scalar(text(f"SELECT count(*) FROM {table}"))


def version_of(database):
    with database.connect() as connection:
        return find_version(connection)


@pytest.mark.parametrize("table", ["preference", "outgoing", "incoming"])
def test_a_migration_waits_for_whoever_reads_and_others_read_and_write_meanwhile(database, beside, table):
    waits = Event()
    with database.connect() as reader:
        count_rows(reader, table)
        migration = beside.submit(upgrade_database, database.url, waits.set)
        assert waits.wait(LONG)
        with database.connect() as other:
            assert [count_rows(other, one) for one in ("preference", "outgoing", "incoming")] == [0, 0, 0]
        with database.execution_options(**{WRITING: True}).begin() as writer:
            writer.execute(text("DELETE FROM moment"))
        assert version_of(database) == BEFORE
    assert migration.result(LONG) == BEFORE
    assert version_of(database) == SCHEMA_VERSION


def test_who_has_one_table_and_wants_another_that_the_migration_has_gets_it(database, beside):
    about_to_wait, waits = Event(), Event()

    def tell(_connection, _cursor, statement, *_):
        if statement.startswith("ALTER TABLE incoming"):
            about_to_wait.set()

    event.listen(Engine, "before_cursor_execute", tell)
    try:
        with database.connect() as reader:
            count_rows(reader, "incoming")
            migration = beside.submit(upgrade_database, database.url, waits.set)
            assert about_to_wait.wait(LONG)
            assert count_rows(reader, "preference") == 0
            assert waits.wait(LONG)
        assert migration.result(LONG) == BEFORE
    finally:
        event.remove(Engine, "before_cursor_execute", tell)


def test_a_migration_in_whose_way_somebody_stays_says_so_and_has_changed_nothing(database, monkeypatch):
    monkeypatch.setattr(upgrade, "PAUSES", (0.0, 0.0))
    waited = []
    with database.connect() as reader:
        count_rows(reader, "incoming")
        with pytest.raises(TablesInUse, match=r"such as a backup: .* `alexandros migrate` again"):
            upgrade_database(database.url, lambda: waited.append(1))
    assert (waited, version_of(database)) == ([1], BEFORE)
