"""A package that is installed over ours, in each way: the command says so and does nothing."""

import hashlib
import subprocess
import sys
import tomllib
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from server.installation import PACKAGE, find_intruder
from tests.paths import TOP

STARTING = "import sys; sys.path[:0] = sys.argv[1:]; from server.start import main; main()"
REAL = "server/__init__.py", "server/installation.py", "server/start.py"
OURS = "emails/__init__.py", "emails/keys.py", "engine/__init__.py", "config/settings.toml"


def installed(folder: Path, package: str, version: str, files: dict[str, str]) -> None:
    """A package as an installer leaves it: its files, and the record of them."""
    rows = []
    for name, words in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(words)
        digest = urlsafe_b64encode(hashlib.sha256(words.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(words.encode())}")
    described = folder / f"{package.replace('-', '_')}-{version}.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {package}\nVersion: {version}\n")
    (described / "RECORD").write_text("\n".join([*rows, f"{described.name}/RECORD,,", ""]))


def removed(folder: Path, package: str, version: str, *files: str) -> None:
    """The same taken away again."""
    described = folder / f"{package}-{version}.dist-info"
    for file in [*described.iterdir(), *(folder / name for name in files)]:
        file.unlink()
    described.rmdir()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of packages with what of ours begins, and one that has nothing to do with us."""
    folder = tmp_path / "site-packages"
    real = {name: (TOP / name).read_text("utf-8") for name in REAL}
    command = {"server/cli.py": "def main() -> None:\n    print('served')\n"}
    installed(folder, PACKAGE, "0.1.0", real | command | {name: f"# {name}\n" for name in OURS})
    installed(folder, "emailing", "2.0", {"emailing/__init__.py": "", "emails.txt": ""})
    return folder


def start(*folders: Path) -> str:
    """What the command says, with a venv of these folders before all others."""
    command = [sys.executable, "-I", "-c", STARTING, *map(str, folders)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == ((2, "") if done.stderr else (0, "served\n")), done.stderr
    return done.stderr


def test_the_command_starts_where_all_is_ours(site: Path) -> None:
    assert start(site) == ""
    assert find_intruder() == ""


def overwritten(site: Path) -> None:
    installed(site, "emails", "0.6", {"emails/__init__.py": "# theirs\n", "emails/loader.py": ""})


def beside(site: Path) -> None:
    installed(site, "emails", "0.6", {"emails/loader.py": ""})


def gone(site: Path) -> None:
    overwritten(site)
    removed(site, "emails", "0.6", "emails/__init__.py", "emails/loader.py")


def changed(site: Path) -> None:
    (site / "engine/__init__.py").write_text("# theirs\n")


WAYS: dict[str, tuple[Callable[[Path], None], str]] = {
    "overwritten": (overwritten, "emails/__init__.py belongs to the package emails 0.6 too"),
    "files beside ours": (beside, "emails/loader.py belongs to the package emails 0.6 too"),
    "overwritten, then removed": (gone, "emails"),
    "a file changed": (changed, "engine/__init__.py is not as it was installed"),
    "a file missing": (lambda site: (site / "emails/keys.py").unlink(), "emails/keys.py is missing"),
}


@pytest.mark.parametrize("way", WAYS)
def test_it_says_whose_files_are_in_the_place_of_ours_and_does_nothing(way: str, site: Path) -> None:
    happens, sentence = WAYS[way]
    happens(site)
    told = start(site)
    assert told.startswith("alexandros: ")
    assert sentence in told
    assert told.endswith("Install Alexandros in a venv of its own, where nothing else is installed.\n")
    assert told.count("\n") == 1


@pytest.mark.parametrize("name", ["emails", "engine", "config"])
def test_a_package_of_that_name_that_goes_before_ours_is_told(name: str, site: Path, tmp_path: Path) -> None:
    before = tmp_path / "before"
    installed(before, name, "1.0", {f"{name}/__init__.py": ""})
    told = start(before, site)
    assert told.startswith(f"alexandros: The package {name} is loaded from {before / name}, where {site}")


def test_the_command_of_the_package_begins_in_a_folder_that_no_other_package_has() -> None:
    written = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))
    assert written["project"]["scripts"] == {"alexandros": "alexandros_by_mail.start:main"}
    again = written["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert again == {
        f"server/{name}.py": f"alexandros_by_mail/{name}.py" for name in ("installation", "start")
    }
