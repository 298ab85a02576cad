"""The languages that the house speaks: each folder that holds a language.toml is one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emails.languages.toml_tables import InvalidLanguage, Phrases, read_fields, read_file

HERE = Path(__file__).parent
ENGLISH = "en"
LANGUAGES: dict[str, str] = {}
"""Each language by its code (BCP 47), with its own name. English stands first."""
REPLY_MARKERS: dict[str, str] = {}
"""For each language the line at the top of a letter above which its answer is written."""
LONGEST_MARKER = 39
"""Characters; mail programs break long lines."""
_FOLDERS: dict[str, Path] = {}


@dataclass(frozen=True, slots=True)
class Language:
    """What is the same wherever a language is spoken."""

    name: str
    """As the language calls itself."""
    called: Phrases
    """By what it is asked for, beside its code."""
    marker: str


def add_language(folder: Path) -> None:
    """Speak the language of a folder too; its name is the code. Raises `InvalidLanguage`."""
    file = folder / "language.toml"
    found = read_fields(Language, read_file(file))
    if len(found.marker) > LONGEST_MARKER:
        raise InvalidLanguage(file, f"marker has more than {LONGEST_MARKER} characters")
    _FOLDERS[folder.name] = folder
    LANGUAGES[folder.name] = found.name
    REPLY_MARKERS[folder.name] = found.marker


def remove_language(code: str) -> None:
    """Speak a language no more."""
    for known in (_FOLDERS, LANGUAGES, REPLY_MARKERS):
        del known[code]


def folder_of(code: str) -> Path:
    """The folder of a language."""
    return _FOLDERS[code]


@cache
def read_language(folder: Path) -> Language:
    """What is the same wherever the language of a folder is spoken."""
    return read_fields(Language, read_file(folder / "language.toml"))


def _find_languages() -> None:
    found = (file.parent for file in HERE.glob("*/language.toml"))
    for folder in sorted(found, key=lambda one: (one.name != ENGLISH, one.name)):
        add_language(folder)


_find_languages()
