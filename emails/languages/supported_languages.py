"""The supported languages: each folder here that holds a language.toml, and those that tests add."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field

from emails.languages.vocabulary_files import Name, Phrases, Table, read_file

HERE = Path(__file__).parent
ENGLISH = "en"
LANGUAGES: dict[str, str] = {}
"""The name of each language in that language, by its code (BCP 47); English first."""
REPLY_MARKERS: dict[str, str] = {}
"""The line at the top of a letter above which its answer is written, by code."""
LONGEST_MARKER = 39
"""Characters, so that mail programs do not break the line."""
FOLDERS: dict[str, Path] = {}
"""The folder of each language, by code."""


@dataclass(frozen=True, slots=True)
class Language(Table):
    name: Name
    called: Phrases
    """Names by which the language is requested, beside its code."""
    marker: Annotated[Name, Field(max_length=LONGEST_MARKER)]


@cache
def read_language(folder: Path) -> Language:
    return read_file(Language, folder / "language.toml")


def add_language(folder: Path) -> None:
    """Support the language of a folder, whose name is the code. Raises `InvalidLanguage`."""
    found = read_language(folder)
    FOLDERS[folder.name] = folder
    LANGUAGES[folder.name] = found.name
    REPLY_MARKERS[folder.name] = found.marker


def remove_language(code: str) -> None:
    for known in (FOLDERS, LANGUAGES, REPLY_MARKERS):
        del known[code]


def _find_languages() -> None:
    found = (file.parent for file in HERE.glob("*/language.toml"))
    for folder in sorted(found, key=lambda one: (one.name != ENGLISH, one.name)):
        add_language(folder)


_find_languages()
