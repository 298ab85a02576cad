"""Every command that a document names is one of the program, with options that it takes."""

from __future__ import annotations

import re
import shlex

import pytest
from click.testing import CliRunner

from server.cli import main
from tests.paths import TOP
from tests.test_documents import BLOCK, DOCUMENTS, IN_A_LINE


def named() -> set[str]:
    """The commands that documents name, without the name of the program and what is said beside them."""
    found = set()
    for text in (file.read_text("utf-8") for file in DOCUMENTS):
        lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
        found |= {line for line in lines if line.startswith("alexandros ")} | set(IN_A_LINE.findall(text))
    return {line.removeprefix("alexandros ").partition("  #")[0].strip() for line in found} - {"COMMAND"}


LINES = sorted(named())


@pytest.mark.parametrize("line", LINES)
def test_the_program_takes_each_command_that_a_document_names(line: str) -> None:
    result = CliRunner().invoke(main, [*shlex.split(line), "--help"])
    assert result.exit_code == 0, result.output


def test_documents_name_every_command() -> None:
    assert main.commands.keys() <= {shlex.split(line)[0] for line in LINES}


def test_the_commands_that_need_no_settings_are_told() -> None:
    """All others say which are missing; the demo, which would run on, makes its own."""
    text = " ".join((TOP / "config/settings.md").read_text("utf-8").split())
    (told,) = re.findall(r"All subcommands but (.*?) need the same settings", text)
    needless = set()
    for line in sorted(set(LINES) - {"demo", "new", "--version"}):
        command, *words = shlex.split(re.sub(r"\b[A-Z]+\b", "1", line))
        said = CliRunner().invoke(main, [command, *words], input="y\n").output
        if "ALEXANDROS_DATABASE is not set" not in said:
            needless.add(command)
    assert needless == {word.split()[0] for word in re.findall(r"`([^`]+)`", told)} - {"demo", "--version"}
