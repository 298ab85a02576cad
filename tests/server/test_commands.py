"""The shape of the command: what each part of it loads, and the help that each gives."""

import re
import shlex
import subprocess
from itertools import takewhile

import pytest
from click.testing import CliRunner

from server.cli import main
from server.commands import console
from tests.paths import TOP


@pytest.mark.parametrize("name", sorted(main.commands))
def test_the_help_of_each_command_ends_with_an_example_that_can_be_typed(name):
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


def test_the_version_names_the_commit_that_is_checked_out():
    git = ["git", "-c", f"safe.directory={TOP}", "rev-parse", "HEAD"]
    commit = subprocess.run(git, cwd=TOP, check=True, capture_output=True, text=True).stdout.strip()
    shown = CliRunner().invoke(main, ["--version"])
    assert shown.exit_code == 0
    assert re.fullmatch(rf"alexandros \S+, commit {commit[:12]}\n", shown.stdout)


def test_an_installed_wheel_knows_the_commit_it_was_built_of(monkeypatch, tmp_path):
    metadata = tmp_path / "no_such_package-1.2.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.4\nName: no-such-package\nVersion: 1.2\n")
    (tmp_path / "commit").write_text("0123456789abcdef0123456789abcdef01234567\n")
    monkeypatch.setattr(console, "HOME", tmp_path)
    monkeypatch.setattr(console, "PACKAGE", "no-such-package")
    monkeypatch.syspath_prepend(tmp_path)
    shown = CliRunner().invoke(main, ["--version"])
    assert shown.stdout == "alexandros 1.2, commit 0123456789ab\n"
