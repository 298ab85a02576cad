"""Games that began under clocks of before keep them exactly, and are played to their end.

`sent_before/clocks.sqlite.xz` holds a database of commit 7aa88f80 (schema 0017) with a running game of each
clock that there was, absences of all games and of one, plans that are stored, something of each kind that
all players are asked, and a seat that is offered; its last letter left at 16:00 UTC on 2 March 2026. It stays
as it is.
"""

from __future__ import annotations

import lzma
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copyfile

import pytest
from click.testing import CliRunner

from engine import bots
from server.cli import main
from server.clock import tick
from server.store.context import Context
from server.store.states import Channel, GameStatus
from server.store.stored_availability import unavailable_spans_of
from server.store.turn_clock import find_deadline
from server.time_control.turn_time import count_time
from server.turns.play import play_turn
from tests.breadth import spread
from tests.server import desk
from tests.server.desk import Clock, Collector, game_row, work_until_idle

FILE = Path(__file__).parent / "sent_before/clocks.sqlite.xz"
ENDED = datetime(2026, 3, 2, 16, 0, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
NIGHT = timedelta(hours=11)
"""By how much a deadline moves at most that falls into a night."""
MOST_TURNS = 400
CLOCKS = [
    "own reserve",
    "live of one hour",
    "asked: resume",
    "plain hours",
    "reserve",
    "own hours",
    "yearly allowance",
    "days of one game",
    "no limit",
    "turn taken by the caretaker",
    "stored plan",
    "asked: more time",
    "asked: pause",
    "asked: close the game",
    "asked: go on without",
    "asked: replace",
    "offered seat",
]
"""The games by their names."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database as the present program has migrated it."""
    file = tmp_path_factory.mktemp("clocks") / "games.sqlite"
    file.touch(0o600)
    file.write_bytes(lzma.decompress(FILE.read_bytes()))
    given = {
        "ALEXANDROS_DATABASE": f"sqlite:///{file}",
        "ALEXANDROS_BASE_URL": "http://127.0.0.1:8000",
        "ALEXANDROS_SECRET": desk.SECRET,
        "ALEXANDROS_MAIL_OUT": "local",
        "ALEXANDROS_MAIL_FROM": "Alexandros <alexandros@example.org>",
        "ALEXANDROS_MAIL_DOMAIN": desk.DOMAIN,
    }
    migrated = CliRunner(env=given).invoke(main, ["migrate"])
    assert migrated.exit_code == 0, migrated.output
    return file


@pytest.fixture
def context(file: Path, tmp_path: Path) -> Context:
    (tmp_path / "games.sqlite").touch(0o600)
    copyfile(file, tmp_path / "games.sqlite")
    return desk.desk(tmp_path)


def stored_before(folder: Path) -> dict[str, tuple[str, timedelta, datetime | None]]:
    """The id of each game, the time of a turn with its whole reserve, and the deadline, as stored."""
    old = folder / "before.sqlite"
    old.write_bytes(lzma.decompress(FILE.read_bytes()))
    with closing(sqlite3.connect(old)) as connection:
        rows = connection.execute("SELECT name, id, hours + bank, deadline FROM game").fetchall()
    return {
        name: (game, hours * HOUR, None if due is None else datetime.fromisoformat(due).replace(tzinfo=UTC))
        for name, game, hours, due in rows
    }


def test_the_games_are_those_of_the_file(tmp_path: Path) -> None:
    assert stored_before(tmp_path).keys() == set(CLOCKS)


@pytest.mark.parametrize("name", spread(4, CLOCKS))
def test_a_game_keeps_its_clock_and_is_played_to_its_end(context: Context, tmp_path: Path, name: str) -> None:
    game, whole, deadline = stored_before(tmp_path)[name]
    clock, carrier, began = Clock(ENDED), Collector(), game_row(context, game)
    assert began.deadline == deadline
    if deadline is not None:
        work_until_idle(context, carrier, ENDED + MINUTE)
        with context.reading() as session:
            ends = find_deadline(session, began, ENDED)
        assert ends is not None
        assert deadline <= ends <= deadline + NIGHT
        for clock.now in (deadline - MINUTE, ends - MINUTE):
            work_until_idle(context, carrier, clock())
            assert game_row(context, game).turn == began.turn
        clock.now = ends
        work_until_idle(context, carrier, clock())
        now = game_row(context, game)
        assert now.turn > began.turn
        assert now.turn_began_at == ends
        assert now.deadline is not None
        with context.reading() as session:
            unavailable = unavailable_spans_of(session, game, now.seat)
        assert count_time(ends, now.deadline, unavailable) == whole
    play_on(context, game, clock)
    assert game_row(context, game).status == GameStatus.OVER
    work_until_idle(context, carrier, clock())
    assert {str(mail["X-Alexandros"]) for mail in carrier.mails} >= {"game_over"}


def play_on(context: Context, game: str, clock: Clock) -> None:
    """Let a game be played to its end, by its players and by caretakers."""
    for _ in range(MOST_TURNS):
        tick(context, clock())
        row = game_row(context, game)
        if row.status == GameStatus.OVER:
            return
        play_turn(context, game, row.after, bots.stand_in, Channel.WEB, clock.forward(0.3))
