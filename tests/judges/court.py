"""What the judges are given: letters of every kind, and the programs that judge them."""

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.emails.positions import BOARD
from tests.gallery.letter_files import Specimen, render_specimens

HERE = Path(__file__).parent


@cache
def gallery() -> dict[str, Specimen]:
    """Letters of every kind in every language, by name."""
    return {one.file: one for one in render_specimens(BOARD)}


def program(*names: str, package: str) -> str:
    """Where the first of these programs is that is there."""
    found = next(filter(None, map(shutil.which, names)), None)
    return found or missing(f"this needs the package {package}: apt-get install {package}")


def missing(sentence: str) -> str:
    """A judge is not there: no verdict. `.ci/run` sets `JUDGES`, so that none stays away unnoticed."""
    if os.environ.get("JUDGES") == "required":
        pytest.fail(sentence)
    pytest.skip(sentence)


def node(script: str, *arguments: str) -> object:
    """What a script beside this file says of these arguments, in JSON."""
    runs = program("node", package="nodejs")
    if not (HERE / "node_modules").is_dir():
        missing("this needs the packages of tests/judges/package.json: npm ci --prefix tests/judges")
    said = subprocess.run([runs, HERE / script, *arguments], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)
