"""Phrases in TOML files: groups, each of which names its function and gives what it makes of each phrase.

A group holds, by language, either phrases with their meanings or a list of phrases that all mean `means`. Its
other keys are for its function.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from emails.languages.supported_languages import LANGUAGES

Group = Mapping[str, Any]
Meaning = Callable[[str, str, Group], str]
"""What a phrase comes to, in a language, in a group."""


def read_groups(folder: Path) -> dict[str, Group]:
    """Every group of the files of a folder, by its file and name."""
    return {
        f"{file.stem}: {name}": group
        for file in sorted(folder.glob("*.toml"))
        for name, group in tomllib.loads(file.read_text("utf-8")).items()
    }


def cases(group: Group) -> Iterator[tuple[str, str, str]]:
    """Each phrase of a group with its language and its meaning."""
    for language in LANGUAGES:
        given = group.get(language, {})
        meanings = given if isinstance(given, dict) else dict.fromkeys(given, group.get("means", ""))
        yield from ((language, words, meaning) for words, meaning in meanings.items())


def mistakes(group: Group, meaning: Meaning) -> list[tuple[str, str, str]]:
    """The phrases of a group that come to something else than it says, each with both."""
    found = [(words, wanted, meaning(words, language, group)) for language, words, wanted in cases(group)]
    assert found
    return [one for one in found if one[1] != one[2]]
