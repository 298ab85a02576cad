"""litestream copies a database of SQLite as it changes, beside the server, and what it copied comes back."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from sqlalchemy.engine import make_url
from sqlmodel import select

from engine.bots import stand_in
from server.admin.backups import examine_stored_acts, restore_file
from server.store.context import Context
from server.store.database import open_database
from server.store.models import Act
from server.store.states import Channel
from server.turns.play import play_turn
from tests.breadth import BREADTH
from tests.server.desk import NOON, Collector, desk, game_row, rows_of, start_game, work_until_idle
from tests.server.storage import SQLITE, choose

LITESTREAM = Path(sys.executable).with_name("litestream")
SOON = 60.0
"""Seconds within which what was played is in the copy; it takes about one."""
LOOKS_AGAIN = Event()
"""Never set: who looks again and again leaves the machine to others meanwhile."""


@pytest.fixture(autouse=True)
def on_sqlite(system):
    choose(SQLITE)


@contextmanager
def streaming(file: Path, to: Path) -> Iterator[None]:
    """The command of the documents, with a folder in the place of a bucket."""
    command = [LITESTREAM, "replicate", file, f"file://{to}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(SOON)
            except subprocess.TimeoutExpired:
                process.kill()


def restored(kept: Path, to: Path) -> int:
    """How many acts are in what comes back; none where nothing does yet."""
    to.unlink(missing_ok=True)
    command = [LITESTREAM, "restore", "-o", to, f"file://{kept}"]
    if subprocess.run(command, capture_output=True, timeout=SOON).returncode:
        return 0
    database = open_database(make_url(f"sqlite:///{to}"))
    try:
        with database.connect() as connection:
            return len(connection.execute(select(Act.seq)).all())
    finally:
        database.dispose()


def acts_of(context: Context) -> int:
    return len(rows_of(context, Act.seq))


def take_turn(context: Context, game: str, carrier: Collector) -> None:
    play_turn(context, game, game_row(context, game).after, stand_in, Channel.WEB, NOON)
    work_until_idle(context, carrier, NOON)


@BREADTH
def test_a_copy_that_is_made_as_it_happens_comes_back_and_is_played_on(tmp_path):
    context, carrier = desk(tmp_path), Collector()
    file, kept, copy = Path(context.settings.database.database), tmp_path / "bucket", tmp_path / "copy.db"
    game = start_game(context, "Anna", "Ben")
    with streaming(file, kept):
        for _ in range(3):
            take_turn(context, game, carrier)
        ends = monotonic() + SOON
        while (found := restored(kept, copy)) != acts_of(context):
            assert monotonic() < ends, f"{found} acts of {acts_of(context)} come back"
            LOOKS_AGAIN.wait(0.2)
        acts = found
    take_turn(context, game, carrier)  # after the stream: lost
    context.database.dispose()

    assert restore_file(context.settings, copy, NOON, replacing=True).games == 1
    again = desk(tmp_path)
    assert acts_of(again) == acts
    work_until_idle(again, carrier, NOON)
    take_turn(again, game, carrier)
    assert list(examine_stored_acts(again)) == []
