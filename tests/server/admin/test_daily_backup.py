"""The daily copy of the database: once a day from 3:00 UTC, the newest seven, never half of one."""

import lzma
import os
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest
from click.testing import CliRunner

from server.admin import backups
from server.admin.backups import back_up_daily
from server.cli import main
from server.loops import Loops
from server.store.context import Context
from server.store.dialects import BackupRefused
from tests.server.desk import DATABASE, GIVEN, NOON, Clock, Collector, desk
from tests.server.test_loops import PATIENCE
from tests.server.test_sent_before import FILE

DAY = timedelta(days=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def context(tmp_path: Path, folder: Path) -> Context:
    found = desk(tmp_path, ALEXANDROS_BACKUP=str(folder))
    found.start_game("Anna", "Ben")
    return found


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_a_copy_is_made_once_a_day_from_three_on(context, folder):
    assert not back_up_daily(context, NOON.replace(hour=2, minute=59))
    assert back_up_daily(context, NOON.replace(hour=3))
    assert not back_up_daily(context, NOON)
    assert names(folder) == ["alexandros-2026-03-02.db"]
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "alexandros-2026-03-02.db").stat().st_mode & 0o777 == 0o600


def test_the_newest_seven_stay_and_no_other_file_is_deleted(context, folder):
    folder.mkdir()
    (folder / "alexandros-before-upgrade.db").write_text("kept")
    for day in range(9):
        assert back_up_daily(context, NOON + day * DAY)
    assert names(folder) == [
        *(f"alexandros-2026-03-{day:02}.db" for day in range(4, 11)),
        "alexandros-before-upgrade.db",
    ]


def test_a_copy_that_breaks_off_leaves_none_of_its_name_and_the_next_hour_makes_it(
    context, folder, monkeypatch
):
    def fail(*_: object) -> int:
        raise BackupRefused("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(backups, "back_up", fail)
        with pytest.raises(BackupRefused):
            back_up_daily(context, NOON)
    assert names(folder) == []
    assert back_up_daily(context, NOON)


def test_what_a_killed_process_has_left_is_deleted_after_a_day(context, folder):
    left = folder / ".unfinished-1"
    left.mkdir(parents=True)
    (left / "alexandros-2026-03-02.db").write_text("half")
    moment = NOON.timestamp()
    os.utime(left, (moment, moment))
    back_up_daily(context, NOON + timedelta(hours=2))
    assert left.exists()
    back_up_daily(context, NOON + 2 * DAY)
    assert not left.exists()


def test_a_server_makes_the_copy_of_the_day_when_it_starts(context, folder):
    loops = Loops.of(context, [Collector()], Clock())
    loops.start(context)
    try:
        until = monotonic() + PATIENCE
        while not (folder / "alexandros-2026-03-02.db").exists():
            assert monotonic() < until
            sleep(0.01)
    finally:
        loops.stop()


def test_one_that_fails_is_among_the_chores_that_fail_until_it_is_made(context, folder):
    folder.write_text("no folder")
    loops = Loops.of(context, [Collector()], Clock())
    backup = next(one for one in loops.each if one.name == "clock back_up_daily")
    backup._run()
    assert loops.failures.chores == ("back_up_daily",)
    folder.unlink()
    backup._run()
    assert loops.failures.chores == ()


COUNTS = b"0 0 0 0 0 0 0 0"
"""A part of what an older program stored of each player: the hours at which they answered."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    file = tmp_path / "games.sqlite"
    file.touch(0o600)
    file.write_bytes(lzma.decompress(FILE.read_bytes()))
    return file


def test_the_counts_are_gone_from_the_database_and_a_week_later_from_all_backups(old, tmp_path):
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("SELECT count(*) FROM answer_count").fetchone() > (0,)
    assert COUNTS in old.read_bytes()
    folder = tmp_path / "backups"
    folder.mkdir(0o700)
    (folder / "alexandros-2026-03-02.db").write_bytes(old.read_bytes())
    migrated = CliRunner(env=GIVEN | {DATABASE: f"sqlite:///{old}"}).invoke(main, ["migrate"])
    assert migrated.exit_code == 0, migrated.output
    assert COUNTS not in old.read_bytes()
    context = desk(tmp_path, ALEXANDROS_BACKUP=str(folder))
    for days in range(1, 8):
        assert any(COUNTS in one.read_bytes() for one in folder.iterdir()), "the control: they were there"
        assert back_up_daily(context, NOON + timedelta(days=days))
    assert len(list(folder.iterdir())) == 7
    assert not any(COUNTS in one.read_bytes() for one in folder.iterdir())
