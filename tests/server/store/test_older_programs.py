"""An older and a newer program at work on one database, while the schema gets more and games are played."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.admin.doctor import examine_stored_acts
from server.store.context import Context
from server.store.database import SCHEMA_VERSION, SchemaMismatch, is_usable, open_database
from tests.breadth import BREADTH
from tests.paths import TOP
from tests.server.desk import desk, start_game
from tests.server.newer_programs import NEXT, begin_migration, newer_program
from tests.server.storage import POSTGRESQL, choose

STEPS = 6
"""Turns in each half of the games, after the migration."""


@pytest.fixture(autouse=True)
def on_postgresql(system):
    choose(POSTGRESQL)


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return desk(tmp_path)


def url_of(context: Context) -> str:
    return context.settings.database.render_as_string(hide_password=False)


@contextmanager
def server(program: Path, url: str) -> Iterator[subprocess.Popen[str]]:
    """A process of a program that is ready to be told what to do."""
    command = [sys.executable, "-m", "tests.server.racer", POSTGRESQL, url]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=program, stdin=pipe, stdout=pipe, text=True) as started:
        assert json.loads(started.stdout.readline()) == "ready"
        yield started
        started.stdin.close()


def tell(process: subprocess.Popen[str], *task: object) -> None:
    process.stdin.write(json.dumps(task) + "\n")
    process.stdin.flush()


def done(process: subprocess.Popen[str]) -> object:
    return json.loads(process.stdout.readline())


def play_turns(process: subprocess.Popen[str], game: str, number: int) -> int:
    """Let a process play so many turns of a game that it does not know; how many it has played."""
    tell(process, "get to know", game)
    done(process)
    tell(process, "play", number, game)
    return int(str(done(process)))


@BREADTH
def test_an_older_program_goes_on_while_the_schema_gets_more_and_beside_a_newer_one(context, tmp_path):
    newer = newer_program(tmp_path / "newer", SCHEMA_VERSION)
    url, games = url_of(context), [start_game(context, "Anna", "Ben") for _ in range(4)]
    with server(TOP, url) as older:
        meanwhile = 0
        with begin_migration(newer, url) as migration:
            while migration.poll() is None:
                another = start_game(context, "Cleo", "Dirk")  # one alone could be over too soon
                meanwhile += play_turns(older, another, STEPS)
        assert (migration.returncode, meanwhile >= STEPS) == (0, True)
        tell(older, "get to know", *games)
        done(older)
        with server(newer, url) as other, server(TOP, url) as begun_anew:
            sent = []
            tell(other, "get to know", *games)
            done(other)
            for step in range(STEPS):
                each = [games[step % 2], games[step % 2 + 2]]
                for process, game in zip((older, other), each, strict=True):
                    tell(process, "play", 1, game)
                tell(begun_anew, "send")
                assert [done(older), done(other)] == [1, 1]
                sent += done(begun_anew)
            tell(other, "send")
            sent += done(other)
    with context.database.connect() as connection:
        assert is_usable(connection)
    assert len(sent) == len(set(sent)) >= len(games)
    assert list(examine_stored_acts(context)) == []


@BREADTH
def test_control_with_a_database_that_is_for_newer_programs_alone_none_begins(context, tmp_path):
    newer = newer_program(tmp_path / "newer", NEXT)
    assert begin_migration(newer, url_of(context)).wait() == 0
    with context.database.connect() as connection:
        assert not is_usable(connection)
    with pytest.raises(SchemaMismatch, match=f"{NEXT}.*none after {SCHEMA_VERSION}: install the newer"):
        open_database(context.settings.database)
