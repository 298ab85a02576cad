"""A copy that was made before an upgrade comes back after it, into what the newer program needs."""

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import URL, make_url

from server.cli import main
from server.store.database import SCHEMA_VERSION
from server.store.dialects.system_choice import backup_format_of
from tests.breadth import LONG
from tests.postgresql import cluster
from tests.server.storage import POSTGRESQL, choose, storage
from tests.server.store.old_databases import VERSIONS, environment, execute, expected, query, restore
from tests.server.store.test_postgresql import migrated

THAT_SAY_SO = [one for one in VERSIONS if one >= "0005"]
"""Versions of which a database says that it has them."""


def bring_back(target: str, copy: str, version: str) -> Result:
    """What `restore` says."""
    settings = environment(copy, version) | {"ALEXANDROS_DATABASE": target}
    return CliRunner(env=settings).invoke(main, ["restore", str(copy)])


@pytest.mark.file
@pytest.mark.parametrize(
    "version", [pytest.param(one, marks=[LONG] * (one != VERSIONS[-1])) for one in THAT_SAY_SO]
)
def test_it_comes_back_and_is_migrated(tmp_path, version):
    copy, file = restore(tmp_path, version), tmp_path / "again.sqlite"
    done = bring_back(f"sqlite:///{file}", copy, version)
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"The copy had version {version}, and was migrated to {SCHEMA_VERSION}.\n" in done.stdout
    assert "The database is restored" in done.stdout
    assert query(file, "SELECT version_num FROM alembic_version") == [(SCHEMA_VERSION,)]
    games = {one["id"] for one in expected(version)["games"]}
    assert {number for (number,) in query(file, "SELECT id FROM game")} == games != set()
    assert query(copy, "SELECT version_num FROM alembic_version") == [(version,)], "the copy stays as it is"


@pytest.mark.file
def test_a_copy_of_a_newer_program_is_refused_and_nothing_has_changed(tmp_path):
    copy, file = restore(tmp_path, VERSIONS[-1]), tmp_path / "again.sqlite"
    execute(copy, "UPDATE alembic_version SET version_num = '9999'")
    refused = bring_back(f"sqlite:///{file}", copy, VERSIONS[-1])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"{copy} has version 9999, and this program knows none after {SCHEMA_VERSION}" in refused.stderr
    assert not file.exists()


@pytest.mark.breadth
def test_on_postgresql_it_comes_back_into_a_database_without_tables(tmp_path, system):
    choose(POSTGRESQL)
    before, empty = (named(tmp_path, name) for name in ("before", "empty"))
    migrated(before, VERSIONS[-1]).dispose()
    backup_format_of(before).copy_database(before, tmp_path / "copy", lambda _: None)
    done = bring_back(empty.render_as_string(hide_password=False), tmp_path / "copy", VERSIONS[-1])
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"and was migrated to {SCHEMA_VERSION}.\n" in done.stdout
    assert cluster().execute("SELECT version_num FROM alembic_version", empty.database) == [(SCHEMA_VERSION,)]


def named(folder, name: str) -> URL:
    """A database without tables."""
    place = folder / name
    place.mkdir()
    return make_url(storage().bare(place))
