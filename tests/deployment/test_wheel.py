"""The wheel as pip installs it, and another package with a folder of the same name as pip installs that.

Nothing is asked of the net: both are built here, and what the server needs is taken from where the tests run.
"""

import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

from server.installation import FLOORS, PACKAGE, REMEDY, SETTINGS_FOLDER
from tests.paths import TOP
from tests.post.town import PATIENCE

pytestmark = pytest.mark.breadth

FOREIGN = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "foreign-{name}"
version = "0.6"

[tool.hatch.build.targets.wheel]
packages = ["{name}"]
"""
THEIRS = "# theirs\n"
NAMES = (*FLOORS, SETTINGS_FOLDER)


def pip(*arguments: str, python: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What pip does, in a venv if one is named; it looks for nothing elsewhere."""
    there = ["--python", str(python)] if python else []
    asked = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", *there, *arguments]
    return subprocess.run(asked, capture_output=True, text=True, timeout=PATIENCE)


def built(source: Path, folder: Path) -> Path:
    """The wheel of a project."""
    at = ["--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    told = pip("wheel", *at)
    assert told.returncode == 0, told.stderr
    (wheel,) = folder.iterdir()
    return wheel


@pytest.fixture(scope="module")
def ours(tmp_path_factory) -> Path:
    """The wheel of the server."""
    return built(TOP, tmp_path_factory.mktemp("ours"))


@pytest.fixture(scope="module")
def foreign(tmp_path_factory) -> dict[str, Path]:
    """For each folder of ours the wheel of a package that has one of this name."""
    wheels = {}
    for name in NAMES:
        source = tmp_path_factory.mktemp(name)
        (source / "pyproject.toml").write_text(FOREIGN.format(name=name))
        (source / name).mkdir()
        (source / name / "__init__.py").write_text(THEIRS)
        (source / name / "start.py").write_text("def main() -> None:\n    print('theirs')\n")
        wheels[name] = built(source, tmp_path_factory.mktemp(f"{name}-wheel"))
    return wheels


@dataclass(frozen=True)
class Venv:
    """A venv, which finds what the server needs where the tests run."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin/python"

    def install(self, wheel: Path, *more: str) -> str:
        """What pip says of a package that it installs; it never fails."""
        pinned = ["-c", str(TOP / "config/constraints.txt")]
        told = pip("install", "--no-index", "--no-deps", *pinned, *more, str(wheel), python=self.python)
        assert told.returncode == 0, told.stderr
        return told.stdout + told.stderr

    def run(self, *typed: str) -> tuple[int, str, str]:
        """What a command of the venv answers, typed in an empty folder."""
        command = [str(self.folder / "bin" / typed[0]), *typed[1:]]
        at = self.folder / "empty"
        at.mkdir(exist_ok=True)
        clean = {
            key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "ALEXANDROS"))
        }
        done = subprocess.run(command, cwd=at, env=clean, capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout, done.stderr

    def starts(self) -> str:
        """The sentence with which the command does nothing; empty where it does what it is told."""
        code, answer, said = self.run("alexandros", "secret")
        assert (code, len(answer.strip())) == ((2, 0) if said else (0, 43)), said
        return said


@pytest.fixture
def venv(tmp_path: Path) -> Venv:
    return new_venv(tmp_path / "venv")


def new_venv(folder: Path) -> Venv:
    """An empty venv."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=PATIENCE)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "needs.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Venv(folder)


def test_installed_alone_it_serves_from_its_own_folder(venv: Venv, ours: Path) -> None:
    venv.install(ours)
    assert venv.starts() == ""
    asked = "import emails, engine, server; print(emails.__file__, engine.__file__, server.__file__)"
    code, where, said = venv.run("python", "-c", asked)
    assert code == 0, said
    assert all(one.startswith(f"{venv.folder}/lib") for one in where.split())


@pytest.mark.parametrize("name", NAMES)
def test_pip_lays_another_package_over_ours_without_a_word_and_the_command_says_so(
    name: str, venv: Venv, ours: Path, foreign: dict[str, Path]
) -> None:
    venv.install(ours)
    said = venv.install(foreign[name])
    assert PACKAGE not in said
    assert "warning" not in said.lower()
    (lying,) = venv.folder.glob(f"lib/python*/site-packages/{name}/__init__.py")
    assert lying.read_text() == THEIRS
    assert (
        venv.starts()
        == f"alexandros: {name}/__init__.py belongs to the package foreign-{name} 0.6 too. {REMEDY}\n"
    )


def test_it_says_so_where_ours_came_last_and_where_theirs_is_gone_again(
    venv: Venv, ours: Path, foreign: dict[str, Path]
) -> None:
    venv.install(foreign["emails"])
    venv.install(ours)
    assert "belongs to the package foreign-emails 0.6 too" in venv.starts()
    assert pip("uninstall", "--yes", "foreign-emails", python=venv.python).returncode == 0
    assert "emails/__init__.py is missing from what was installed" in venv.starts()
    venv.install(ours, "--force-reinstall")
    assert venv.starts() == ""


def test_in_a_venv_of_its_own_it_serves_whatever_is_installed_in_another(
    venv: Venv, tmp_path: Path, ours: Path, foreign: dict[str, Path]
) -> None:
    other = new_venv(tmp_path / "other")
    for wheel in foreign.values():
        other.install(wheel)
    venv.install(ours)
    assert venv.starts() == ""


def test_control_who_begins_in_a_folder_of_that_name_is_given_theirs(
    venv: Venv, ours: Path, foreign: dict[str, Path]
) -> None:
    venv.install(ours)
    venv.install(foreign["server"])
    assert venv.run("python", "-c", "from server.start import main; main()") == (0, "theirs\n", "")
    assert venv.starts()
