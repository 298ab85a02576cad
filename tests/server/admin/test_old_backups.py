"""The hours at which players answered, which an older program counted, are in no backup after a week."""

import lzma
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.admin.backups import back_up_daily
from server.cli import main
from tests.server import desk
from tests.server.desk import NOON
from tests.server.test_sent_before import FILE

COUNTS = b"0 0 0 0 0 0 0 0"
"""A part of what that table held of each player."""


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
    given = {
        "ALEXANDROS_DATABASE": f"sqlite:///{old}",
        "ALEXANDROS_BASE_URL": "http://127.0.0.1:8000",
        "ALEXANDROS_SECRET": desk.SECRET,
        "ALEXANDROS_MAIL_OUT": "local",
        "ALEXANDROS_MAIL_FROM": "Alexandros <alexandros@example.org>",
        "ALEXANDROS_MAIL_DOMAIN": desk.DOMAIN,
    }
    migrated = CliRunner(env=given).invoke(main, ["migrate"])
    assert migrated.exit_code == 0, migrated.output
    assert COUNTS not in old.read_bytes()
    context = desk.desk(tmp_path, ALEXANDROS_BACKUP=str(folder))
    for days in range(1, 8):
        assert any(COUNTS in one.read_bytes() for one in folder.iterdir()), "the control: they were there"
        assert back_up_daily(context, NOON + timedelta(days=days))
    assert len(list(folder.iterdir())) == 7
    assert not any(COUNTS in one.read_bytes() for one in folder.iterdir())
