"""No command but those that begin something makes a database where none is: its path may be mistyped."""

import shlex
from itertools import takewhile

import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine, inspect
from sqlalchemy.engine import make_url

from server.cli import main
from server.configuration.settings import file_of_database
from tests.paths import GAMES
from tests.server.desk import DOMAIN, SECRET
from tests.server.storage import storage

pytestmark = pytest.mark.systems

MAKING = {
    "new": ["--name", "Friday", "--seat", "Anna <anna@example.org>", "--seat", "house"],
    "import": [str(GAMES / "two-players.jsonl")],
    "migrate": [],
}
ELSEWHERE = {
    "serve": "it makes one, and runs until it is stopped: tests/server/test_serving.py",
    "demo": "it makes one of its own: tests/server/test_serving.py",
    "check": "it says so among other things: tests/server/admin/test_setup_check.py",
    "secret": "it needs none",
    "replay": "it needs none",
    "verify": "it needs none",
}
"""Why other commands are not typed here."""
NEEDLESS = {"letters every-letter", "restore games-monday.db", "restore --replace games-monday.db"}
"""What needs none of commands that are typed here otherwise."""
MAIL = "To: new@play.example.org\nFrom: anna@example.org\n\nBen <ben@example.org>\n"


def typed(name):
    lines = [line.strip().removeprefix("alexandros ") for line in main.commands[name].epilog.splitlines()[2:]]
    return [
        [*takewhile(lambda word: word[0] not in "|<>", shlex.split(line))]
        for line in lines
        if line not in NEEDLESS and shlex.split(line)[0] == name
    ]


def run(database, *arguments):
    environment = {
        "ALEXANDROS_DATABASE": database,
        "ALEXANDROS_BASE_URL": "http://127.0.0.1:8000",
        "ALEXANDROS_SECRET": SECRET,
        "ALEXANDROS_MAIL_OUT": "local",
        "ALEXANDROS_MAIL_FROM": "alexandros@example.org",
        "ALEXANDROS_MAIL_DOMAIN": DOMAIN,
    }
    given = MAIL if arguments[0] == "receive" else "y\n"
    return CliRunner(env=environment).invoke(main, arguments, input=given)


def is_made(database):
    file = file_of_database(make_url(database))
    if file is not None:
        return file.exists()
    engine = create_engine(database)
    try:
        return bool(inspect(engine).get_table_names())
    finally:
        engine.dispose()


@pytest.fixture
def nothing(tmp_path):
    return storage().bare(tmp_path)


def test_a_command_that_finds_no_database_says_so_and_makes_none(nothing):
    place = str(file_of_database(make_url(nothing)) or make_url(nothing).render_as_string())
    names = main.commands.keys() - MAKING.keys() - ELSEWHERE.keys()
    for arguments in (one for name in sorted(names) for one in typed(name) or [[name]]):
        result = run(nothing, *arguments)
        assert f"there is no database of this program at {place}: check" in result.stderr, arguments
        assert result.exit_code == (75 if arguments[0] == "receive" else 2), arguments
        assert not is_made(nothing), arguments


@pytest.mark.parametrize("name", MAKING)
def test_a_command_that_begins_something_makes_the_database(nothing, name):
    assert run(nothing, name, *MAKING[name]).exit_code == 0
    assert is_made(nothing)
    assert run(nothing, "doctor").exit_code in (0, 1)


@pytest.mark.file
def test_a_file_without_tables_is_no_database_and_stays_empty(tmp_path):
    (tmp_path / "empty.db").touch()
    assert "there is no database of this program" in run(f"sqlite:///{tmp_path / 'empty.db'}", "games").stderr
    assert (tmp_path / "empty.db").read_bytes() == b""


@pytest.mark.file
@pytest.mark.parametrize("name", MAKING)
def test_a_database_that_cannot_be_made_is_refused_with_its_folder_and_the_cause(tmp_path, name):
    missing = tmp_path / "none"
    said = run(f"sqlite:///{missing / 'games.db'}", name, *MAKING[name]).stderr
    assert f"unable to open database file: there is no folder {missing}, or" in said
    assert f"{tmp_path} is a folder" in run(f"sqlite:///{tmp_path}", name, *MAKING[name]).stderr
    (tmp_path / "text.db").write_text("This is a text, and of some length; a database it is not." * 20)
    said = run(f"sqlite:///{tmp_path / 'text.db'}", name, *MAKING[name]).stderr
    assert said.endswith("cannot be used: file is not a database\n"), "SQLite's own words are enough"
