"""What was installed: the floors come from one folder, and no other package has put files of its own there.

Our folders are named `server`, `emails` and `engine`, and others name theirs so too; whichever is installed
last overwrites the other, and neither pip nor Python says a word. So it is looked at before all else.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "alexandros-by-mail"
FLOORS = "server", "emails", "engine"
SETTINGS_FOLDER = "config"
"""It has no code, and so no `__init__.py`: a package of that name would go before it."""


def _find_home() -> Path:
    """Where our folders lie: beside that of this file, or in a checkout that is installed to be edited."""
    beside = Path(__file__).resolve().parents[1]
    found = find_spec(FLOORS[0])
    if found is None or found.origin is None or (beside / FLOORS[0]).is_dir():
        return beside
    return Path(found.origin).resolve().parents[1]


HERE = _find_home()
REMEDY = "Install Alexandros in a venv of its own, where nothing else is installed."


def find_intruder(folder: Path = HERE) -> str:
    """The sentence that tells what is not ours, or not as it was installed; empty where all is."""
    return _find_foreign_floor(folder) or _find_foreign_files(folder)


def _find_foreign_floor(folder: Path) -> str:
    """Whether one of the floors is loaded from elsewhere."""
    for name in (*FLOORS, SETTINGS_FOLDER):
        found = find_spec(name)
        places = [Path(place).resolve() for place in (found and found.submodule_search_locations) or ()]
        if name == SETTINGS_FOLDER and found and found.origin is None and folder / name in places:
            continue  # of several folders without code ours is asked, for no other has our files
        if places != [folder / name]:
            elsewhere = f"is loaded from {places[0]}" if places else "is not there"
            return f"The package {name} {elsewhere}, where {folder / name} is ours. {REMEDY}"
    return ""


def _find_foreign_files(folder: Path) -> str:
    """Whether another package names files in our folders as its own, or ours are not what was installed."""
    ours: list[tuple[str, str]] = []
    for one in distributions(path=[str(folder)]):
        listed = _list_files(one)
        if listed and one.name == PACKAGE:
            ours = listed
        elif listed:
            return f"{listed[0][0]} belongs to the package {one.name} {one.version} too. {REMEDY}"
    for path, digest in ours:
        if not (folder / path).is_file():
            return f"{path} is missing from what was installed. {REMEDY}"
        if digest != _digest_of(folder / path):
            return f"{path} is not as it was installed. {REMEDY}"
    return ""


def _list_files(package: Distribution) -> list[tuple[str, str]]:
    """The files in folders of ours that a package has put there, each with its digest as RECORD gives it."""
    folders = tuple(f"{name}/" for name in (*FLOORS, SETTINGS_FOLDER))
    lines = (package.read_text("RECORD") or "").splitlines()
    rows = [line.rsplit(",", 2) for line in lines if line.startswith(folders)]
    return [(row[0], row[1]) for row in rows if len(row) == 3 and row[1]]


def _digest_of(file: Path) -> str:
    """The digest of a file as RECORD has it."""
    found = hashlib.sha256(file.read_bytes()).digest()
    return f"sha256={urlsafe_b64encode(found).rstrip(b'=').decode()}"
