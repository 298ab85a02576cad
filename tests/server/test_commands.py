"""The shape of the command: what each part of it loads, and the help that each gives."""

import json
import os
import re
import shlex
import subprocess
import sys
from itertools import takewhile

import pytest
from click.testing import CliRunner

from server.cli import main
from server.commands import console
from tests.breadth import first
from tests.paths import GAMES, TOP

HEAVY = "flask sqlalchemy sqlmodel pydantic jinja2 babel PIL lxml waitress".split()
"""Web, database and pictures."""
TYPED = """
import json, sys
from server.cli import main
try:
    main(sys.argv[1:], prog_name="alexandros")
except SystemExit as end:
    assert not end.code, end.code
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded_by(*arguments: str) -> set[str]:
    """The modules that a process has loaded when a command has ended."""
    path = os.pathsep.join([str(TOP), os.environ.get("PYTHONPATH", "")])
    typed = [sys.executable, "-c", TYPED, *arguments]
    ended = subprocess.run(typed, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return set(json.loads(ended.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments",
    first(
        2,
        [
            ["replay", str(GAMES / "two-players.jsonl"), "--every", "--legal"],
            ["--help"],
            ["--version"],
            ["secret"],
            *([name, "--help"] for name in ("replay", "letters", "new", "serve")),
        ],
    ),
)
def test_a_short_command_loads_neither_web_nor_database(arguments: list[str]) -> None:
    loaded = loaded_by(*arguments)
    assert "server.commands.games" in loaded
    assert not loaded & {*HEAVY}


@pytest.mark.parametrize("name", sorted(main.commands))
def test_the_help_of_each_command_ends_with_an_example_that_can_be_typed(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"], prog_name="alexandros", terminal_width=80)
    assert result.exit_code == 0
    head, found, examples = result.stdout.partition("\n  Example:\n")
    assert found, head
    for line in examples.strip().splitlines():
        words = takewhile(lambda word: word[0] not in "|<>", shlex.split(line))
        program, typed, *arguments = words
        assert program == "alexandros"
        main.commands[typed].make_context(typed, arguments)  # raises where it cannot be typed so
    assert f"alexandros {name}" in examples


def test_the_help_of_the_whole_names_every_command() -> None:
    shown = CliRunner().invoke(main, ["--help"]).stdout
    assert all(re.search(rf"^  {name} +\w", shown, re.MULTILINE) for name in main.commands)
    assert "alexandros demo" in shown


def test_the_version_names_the_commit_that_is_checked_out() -> None:
    git = ["git", "-c", f"safe.directory={TOP}", "rev-parse", "HEAD"]
    commit = subprocess.run(git, cwd=TOP, check=True, capture_output=True, text=True).stdout.strip()
    shown = CliRunner().invoke(main, ["--version"])
    assert shown.exit_code == 0
    assert re.fullmatch(rf"alexandros \S+, commit {commit[:12]}\n", shown.stdout)


def test_a_version_without_a_commit_is_no_error(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(console, "HOME", tmp_path)
    monkeypatch.setattr(console, "PACKAGE", "no-such-package")
    shown = CliRunner().invoke(main, ["--version"])
    assert (shown.exit_code, shown.stdout) == (0, "alexandros unknown version, unknown commit\n")
    (tmp_path / ".git").write_text("gitdir: /nowhere/at/all")
    assert CliRunner().invoke(main, ["--version"]).stdout == shown.stdout


def test_an_installed_wheel_knows_the_commit_it_was_built_of(monkeypatch, tmp_path) -> None:
    metadata = tmp_path / "no_such_package-1.2.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.4\nName: no-such-package\nVersion: 1.2\n")
    (tmp_path / "commit").write_text("0123456789abcdef0123456789abcdef01234567\n")
    monkeypatch.setattr(console, "HOME", tmp_path)
    monkeypatch.setattr(console, "PACKAGE", "no-such-package")
    monkeypatch.syspath_prepend(tmp_path)
    shown = CliRunner().invoke(main, ["--version"])
    assert shown.stdout == "alexandros 1.2, commit 0123456789ab\n"
