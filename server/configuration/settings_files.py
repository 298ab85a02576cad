"""Settings that stand in files: what systemd hands over as credentials, and the secrets of containers.

A variable with _FILE at its end names a file, and the setting is what stands there. And each file in the
folder $CREDENTIALS_DIRECTORY that has the name of a variable of ours is read as that variable. So what is
secret stands in no environment.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

FILE_SUFFIX = "_FILE"
CREDENTIALS = "CREDENTIALS_DIRECTORY"
"""The variable in which systemd names the folder of a service's credentials."""
LARGEST_FILE = 16_384
"""Bytes: no setting is nearly as long."""


class SettingsError(ValueError):
    """A setting that cannot be used; the sentence names it, what is wrong with it and what would be right."""


def gather_settings(environ: Mapping[str, str], prefix: str) -> dict[str, str]:
    """All variables of ours, from the environment and from files. Raises `SettingsError`.

    An empty variable counts as none; what is given in two ways is refused, since one of them is wrong.
    """
    given = {name: text.strip() for name, text in environ.items() if name.startswith(prefix)}
    found = {name: text for name, text in given.items() if not name.endswith(FILE_SUFFIX)}
    places = {name: name for name, text in found.items() if text}
    for name, path, place in _list_files(given, environ.get(CREDENTIALS, ""), prefix):
        if name in places:
            raise SettingsError(f"{name} is given twice, by {places[name]} and by {place}; take one away.")
        places[name] = place
        found[name] = _read_file(path, place)
    return found


def _list_files(given: Mapping[str, str], folder: str, prefix: str) -> list[tuple[str, Path, str]]:
    """Each variable that stands in a file: its name, the file, and how that was named."""
    named = [
        (name.removesuffix(FILE_SUFFIX), Path(text), name)
        for name, text in sorted(given.items())
        if name.endswith(FILE_SUFFIX) and text
    ]
    if not folder:
        return named
    try:
        files = sorted(file for file in Path(folder).iterdir() if file.name.startswith(prefix))
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"{CREDENTIALS} names a folder that cannot be read: {_describe_reason(error)}."
        ) from None
    return [*named, *((file.name, file, f"the credential {file.name}") for file in files)]


def _read_file(path: Path, place: str) -> str:
    """The one line of a file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # nobody may ever write into a pipe
            raise SettingsError(f"{place} names what is no file: {path}.")
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except SettingsError:
        raise
    except (OSError, ValueError) as error:
        raise SettingsError(f"{place} cannot be read from {path}: {_describe_reason(error)}.") from None
    if len(raw) > LARGEST_FILE:
        raise SettingsError(f"{place} has more than {LARGEST_FILE} bytes in {path}.")
    try:
        text = raw.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise SettingsError(f"{place} has bytes in {path} that are no UTF-8.") from None
    if not text:
        raise SettingsError(f"{place} has nothing in {path}; the setting has to stand there.")
    if not text.isprintable():
        raise SettingsError(f"{place} has more than one line in {path}, or signs that cannot be printed.")
    return text


def _describe_reason(error: OSError | ValueError) -> str:
    """Why, in the system's words."""
    return str(getattr(error, "strerror", None) or error)
