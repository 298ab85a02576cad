"""The wheel as pip installs it, beside packages with folders of the same names: none comes in its way.

Nothing is asked of the net: both are built here, and what the server needs is taken from where the tests run.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tomllib
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.deployment.shipped import block
from tests.paths import TOP
from tests.ports import free_port
from tests.post.town import PATIENCE
from tests.server.test_serving import served

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
GAME = TOP / "tests/engine/games/points"
STANDING = json.loads(Path(f"{GAME}.final.json").read_text("utf-8"))
NAMES = "server", "emails", "engine", "config"
NUMBER = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def pip(*arguments: str, python: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What pip does, in a venv if one is named; it looks for nothing elsewhere."""
    there = ["--python", str(python)] if python else []
    asked = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", *there, *arguments]
    return subprocess.run(asked, capture_output=True, text=True, timeout=PATIENCE)


def built(source: Path, folder: Path) -> Path:
    at = ["--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    told = pip("wheel", *at)
    assert told.returncode == 0, told.stderr
    (wheel,) = folder.iterdir()
    return wheel


@pytest.fixture(scope="module")
def ours(tmp_path_factory) -> Path:
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

    def install(self, package: Path, *more: str) -> None:
        pinned = ["-c", str(TOP / "config/constraints.txt")]
        told = pip("install", "--no-index", "--no-deps", *pinned, *more, str(package), python=self.python)
        assert told.returncode == 0, told.stderr

    def begin(self, *typed: str) -> subprocess.Popen[str]:
        """Type a command of the venv in an empty folder."""
        at = self.folder / "empty"
        at.mkdir(exist_ok=True)
        clean = {
            key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "ALEXANDROS"))
        }
        command, pipe = [str(self.folder / "bin" / typed[0]), *typed[1:]], subprocess.PIPE
        return subprocess.Popen(command, cwd=at, env=clean, stdout=pipe, stderr=pipe, text=True)

    def run(self, *typed: str) -> str:
        with self.begin(*typed) as begun:
            answer, said = begun.communicate(timeout=PATIENCE)
        assert begun.returncode == 0, said
        return answer

    def plays(self) -> None:
        """See the command play a log, which needs the board, and show a letter, which needs all floors."""
        assert "unknown" not in self.run("alexandros", "--version")
        assert json.loads(self.run("alexandros", "replay", f"{GAME}.jsonl")) == STANDING
        port = free_port()
        with self.begin("alexandros", "demo", "--port", str(port)) as demo:
            try:
                page = served(demo, f"http://127.0.0.1:{port}/mailbox")
                assert re.search(r'href="/mailbox/\d+"', page), (
                    "the first letter is there as soon as the page"
                )
            finally:
                demo.terminate()
                demo.communicate(timeout=PATIENCE)


@pytest.fixture
def venv(tmp_path: Path) -> Venv:
    folder = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=PATIENCE)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "needs.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Venv(folder)


def lay_beside(venv: Venv, foreign: dict[str, Path]) -> None:
    """Install all that have folders of these names; they are there, and found before all that is not ours."""
    for wheel in foreign.values():
        venv.install(wheel)
    assert venv.run("python", "-c", "from server.start import main; main()") == "theirs\n"


def test_the_wheel_has_one_folder(ours: Path) -> None:
    with ZipFile(ours) as wheel:
        assert {name.split("/")[0] for name in wheel.namelist()} == {
            "alexandros_by_mail",
            f"alexandros_by_mail-{NUMBER}.dist-info",
        }


@pytest.mark.parametrize("ours_first", [True, False])
def test_the_command_is_ours_whatever_is_installed_before_and_after(
    ours_first: bool, venv: Venv, ours: Path, foreign: dict[str, Path]
) -> None:
    if ours_first:
        venv.install(ours)
    lay_beside(venv, foreign)
    if not ours_first:
        venv.install(ours)
    venv.plays()
    for name in NAMES:
        assert pip("uninstall", "--yes", f"foreign-{name}", python=venv.python).returncode == 0
    venv.plays()


def test_a_checkout_that_is_installed_to_be_edited_goes_before_them_too(
    venv: Venv, foreign: dict[str, Path]
) -> None:
    lay_beside(venv, foreign)
    venv.install(TOP, "--no-build-isolation", "-e")
    venv.plays()


def copy_sources(folder: Path) -> None:
    """Make a clone of what the wheel is made of."""
    for name in (".ci", *NAMES):
        shutil.copytree(TOP / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(TOP / "pyproject.toml", folder)


def variables_for_pip(folder: Path) -> dict[str, str]:
    """With these pip finds what the server needs where the tests run, and looks nowhere else."""
    (folder / "pip").mkdir(parents=True)
    found_last = f"import sys\nsys.path.append({sysconfig.get_path('purelib')!r})\n"
    (folder / "sitecustomize.py").write_text(found_last)
    (folder / "pip/pip.conf").write_text("[global]\nno-index = yes\nno-build-isolation = no\n")  # no: none
    return {"PYTHONPATH": str(folder), "XDG_CONFIG_HOME": str(folder)}


def test_the_blocks_of_the_first_page_show_the_demo_and_serve_in_a_clone(tmp_path: Path) -> None:
    """Typed as they stand there, but at a port of its own."""
    clone, port = tmp_path / "clone", free_port()
    copy_sources(clone)
    here = os.environ | variables_for_pip(tmp_path / "needs") | {"ALEXANDROS_LISTEN": f"127.0.0.1:{port}"}
    demo, serve = (block(name, "../README.md").strip() for name in ("demo", "serve"))
    pipe = subprocess.PIPE
    for typed, page, shown in ((f"{demo} --port {port}", "mailbox", "/mailbox/"), (serve, "new", "<form")):
        command = ["bash", "-c", typed]
        with subprocess.Popen(
            command, cwd=clone, env=here, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        ) as begun:
            try:
                assert shown in served(begun, f"http://127.0.0.1:{port}/{page}")
            finally:
                os.killpg(begun.pid, signal.SIGTERM)
                begun.communicate(timeout=PATIENCE)
    assert list(clone.glob(".venv/lib/python*/site-packages/alexandros_by_mail/server/cli/__init__.py"))
