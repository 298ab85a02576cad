"""A copy that was made before an upgrade comes back after it, into what the newer program needs."""

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import URL, make_url

from server.cli import main
from server.store.database import BASELINE, SCHEMA_VERSION
from server.store.dialects.system_choice import system_of
from tests.postgresql import cluster
from tests.server.storage import POSTGRESQL, choose, storage
from tests.server.store.old_database import EXPECTED, environment, execute, query, restore
from tests.server.store.test_postgresql import migrated


def bring_back(target: str, copy: str) -> Result:
    settings = environment(copy) | {"ALEXANDROS_DATABASE": target}
    return CliRunner(env=settings).invoke(main, ["restore", str(copy)])


@pytest.mark.file
def test_it_comes_back_and_is_migrated(tmp_path):
    copy, file = restore(tmp_path), tmp_path / "again.sqlite"
    done = bring_back(f"sqlite:///{file}", copy)
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"The copy had version {BASELINE}, and was migrated to {SCHEMA_VERSION}.\n" in done.stdout
    assert "The database is restored" in done.stdout
    assert query(file, "SELECT version_num FROM alembic_version") == [(SCHEMA_VERSION,)]
    games = {one["id"] for one in EXPECTED["games"]}
    assert {number for (number,) in query(file, "SELECT id FROM game")} == games != set()
    assert query(copy, "SELECT version_num FROM alembic_version") == [(BASELINE,)], "the copy stays as it is"


@pytest.mark.file
@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("9999", f"knows no version after {SCHEMA_VERSION}"),
        ("0016", f"migrates no version before {BASELINE}"),
    ],
)
def test_a_copy_that_is_too_new_or_too_old_is_refused_and_nothing_has_changed(tmp_path, version, why):
    copy, file = restore(tmp_path), tmp_path / "again.sqlite"
    execute(copy, f"UPDATE alembic_version SET version_num = '{version}'")
    refused = bring_back(f"sqlite:///{file}", copy)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"{copy} has version {version}; this program {why}" in refused.stderr
    assert not file.exists()


@pytest.mark.breadth
def test_on_postgresql_it_comes_back_into_a_database_without_tables(tmp_path, system):
    choose(POSTGRESQL)
    before, empty = (named(tmp_path, name) for name in ("before", "empty"))
    migrated(before, BASELINE).dispose()
    system_of(before).copy_database(before, tmp_path / "copy", lambda _: None)
    done = bring_back(empty.render_as_string(hide_password=False), tmp_path / "copy")
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"and was migrated to {SCHEMA_VERSION}.\n" in done.stdout
    assert cluster().execute("SELECT version_num FROM alembic_version", empty.database) == [(SCHEMA_VERSION,)]


def named(folder, name: str) -> URL:
    place = folder / name
    place.mkdir()
    return make_url(storage().bare(place))
