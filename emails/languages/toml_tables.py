"""Files of a language: tables of words, read and checked.

Whoever writes such a file is told by a sentence what is wrong with it, and where.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import TypeVar

Words = frozenset[str]
"""Words, parted by blanks in a file."""
Phrases = tuple[str, ...]
"""Phrases, parted by commas in a file; "a|b" stands for two, and "(a)" may be left out."""
Expressions = tuple[str, ...]
"""Regular expressions, in a list."""


class InvalidLanguage(Exception):
    """A file of a language cannot be used."""

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(f"{file.parent.name}/{file.name}: {why}.")


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table of a file, or the file itself."""

    file: Path
    content: Mapping[str, object]
    name: str = ""
    """Empty: it is the file itself."""

    def refuse(self, key: str, why: str) -> InvalidLanguage:
        """What is raised where a key is wrong."""
        return InvalidLanguage(self.file, f"{f'[{self.name}] ' if self.name else ''}{key} {why}")

    def check_keys(self, wanted: Mapping[str, object] | frozenset[str], needed: bool = True) -> None:
        """Refuse keys that nobody knows, and where they are `needed` that one is missing."""
        for key in self.content:
            if key not in wanted:
                raise self.refuse(key, f"is not known here; known are {', '.join(sorted(wanted))}")
        for key in sorted(wanted) if needed else ():
            if key not in self.content:
                raise self.refuse(key, "is missing")

    def table(self, key: str) -> TomlTable:
        """A table in it."""
        content = self.content.get(key)
        if not isinstance(content, dict):
            raise self.refuse(f"[{key}]", "is missing: it is a table")
        return TomlTable(self.file, content, f"{self.name}.{key}".lstrip("."))

    def text(self, key: str) -> str:
        """A text."""
        found = self.content.get(key)
        if not isinstance(found, str):
            raise self.refuse(key, "is no text in quotes" if key in self.content else "is missing")
        return found

    def name_of(self, key: str) -> str:
        """One word or name."""
        found = " ".join(self.text(key).split())
        if not found:
            raise self.refuse(key, "is empty")
        return found

    def listed(self, key: str) -> tuple[str, ...]:
        """Words in order, in small letters."""
        return tuple(self.text(key).casefold().split())

    def words(self, key: str) -> Words:
        """Words in small letters."""
        return frozenset(self.listed(key))

    def raw_phrases(self, key: str) -> Phrases:
        """Phrases in small letters, as they are written."""
        found = (" ".join(one.split()) for one in self.text(key).casefold().split(","))
        return tuple(filter(None, found))

    def phrases(self, key: str) -> Phrases:
        """Phrases in small letters, each of "a|b" and with and without "(a)"."""
        return tuple(dict.fromkeys(expand_phrases(self.text(key).casefold())))

    def patterns(self, key: str) -> Expressions:
        """Regular expressions."""
        found = self.content.get(key)
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise self.refuse(key, "is no list of texts" if key in self.content else "is missing")
        for one in found:
            try:
                re.compile(one, re.IGNORECASE)
            except re.error as error:
                raise self.refuse(key, f"holds “{one}”, which is no regular expression: {error}") from None
        return tuple(found)

    def numbers(self) -> Mapping[str, int]:
        """Words by the numbers that are their keys."""
        return {word: int(key) for key in self.content if key.isdigit() for word in self.listed(key)}


def read_file(file: Path) -> TomlTable:
    """A file. Raises `InvalidLanguage`."""
    try:
        return TomlTable(file, tomllib.loads(file.read_text("utf-8")))
    except FileNotFoundError:
        raise InvalidLanguage(file, "the file is missing") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidLanguage(file, f"it cannot be read: {error}") from None


Value = TypeVar("Value")
READERS: Mapping[str, Callable[[TomlTable, str], object]] = {
    "str": TomlTable.name_of,
    "Words": TomlTable.words,
    "Phrases": TomlTable.phrases,
    "Expressions": TomlTable.patterns,
}
"""What reads a field of a dataclass, by its type."""


def read_fields(kind: type[Value], table: TomlTable) -> Value:
    """A dataclass of words, each field by the key of its name."""
    names = {one.name: str(one.type) for one in fields(kind)}  # type: ignore[arg-type]
    table.check_keys(names)
    return kind(**{name: READERS[type_](table, name) for name, type_ in names.items()})


def join_fields(values: tuple[Value, ...]) -> Value:
    """Several dataclasses of words as one that holds the words of all."""
    first = values[0]
    joined: dict[str, object] = {}
    for one in fields(first):  # type: ignore[arg-type]
        found = [getattr(value, one.name) for value in values]
        if isinstance(found[0], frozenset):
            joined[one.name] = frozenset[str]().union(*found)
        else:
            joined[one.name] = tuple(dict.fromkeys(word for words in found for word in words))
    return type(first)(**joined)


# --- phrases --------------------------------------------------------------------------------------------

_PIECE = re.compile(r"\(([^)]*)\)|(\S+)")


def expand_phrases(text: str) -> list[str]:
    """All phrases of a list: parted by commas, "a|b" one of two words, "(a|b)" one of them or nothing."""
    found: list[str] = []
    for phrase in text.split(","):
        pieces = [
            ["", *optional.split("|")] if optional else needed.split("|")
            for optional, needed in _PIECE.findall(phrase)
        ]
        found += filter(None, (" ".join(" ".join(words).split()) for words in product(*pieces)))
    return found


def match_words(words: Words | Phrases) -> str:
    """A pattern of any of these words or phrases, the longest first; of none where there are none."""
    longest = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(map(re.escape, longest)).replace("\\ ", " ") or "(?!)"
