"""The supported languages, and the reading of their vocabulary files: TOML tables, checked as dataclasses."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from itertools import product
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError


class InvalidLanguage(Exception):
    """An unusable vocabulary file; the message names the file and the key."""

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(f"{file.parent.name}/{file.name}: {why}.")


class Table:
    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid")


Content = TypeVar("Content")


def read_text(file: Path) -> str:
    """Return the text of a vocabulary file; raises `InvalidLanguage`."""
    try:
        return file.read_text("utf-8")
    except FileNotFoundError:
        raise InvalidLanguage(file, "the file is missing") from None
    except UnicodeDecodeError as error:
        raise InvalidLanguage(file, f"it is not UTF-8: {error}") from None


def read_file(kind: type[Content], file: Path) -> Content:
    """Read a vocabulary file as a value of the type `kind`; raises `InvalidLanguage`."""
    try:
        return TypeAdapter(kind).validate_python(tomllib.loads(read_text(file)))
    except tomllib.TOMLDecodeError as error:
        raise InvalidLanguage(file, f"it is not valid TOML: {error}") from None
    except ValidationError as error:
        raise InvalidLanguage(file, "; ".join(_explain(error))) from None


def _explain(error: ValidationError) -> Iterator[str]:
    for fault in error.errors(include_url=False):
        key = ".".join(str(part) for part in fault["loc"] if part != "[key]")
        yield f"{key}: {fault['msg'].removeprefix('Value error, ')}"


# --- the types of fields ----------------------------------------------------------------------------------


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text in quotes")
    return value


def _read_words(value: object) -> tuple[str, ...]:
    return tuple(_read_text(value).casefold().split())


def _read_phrases(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(expand_phrases(_read_text(value).casefold())))


def read_spelled_phrases(value: object) -> tuple[str, ...]:
    """Expand phrases as `Phrases` does, but keep their capitals."""
    return tuple(dict.fromkeys(expand_phrases(_read_text(value))))


def _read_name(value: object) -> str:
    return " ".join(_read_text(value).split())


def _check_expression(pattern: str) -> str:
    try:
        re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"“{pattern}” is not a regular expression: {error}") from None
    return pattern


Name = Annotated[str, BeforeValidator(_read_name), Field(min_length=1)]
WordList = Annotated[tuple[str, ...], BeforeValidator(_read_words)]
FilledWordList = Annotated[WordList, Field(min_length=1)]
Words = Annotated[frozenset[str], BeforeValidator(_read_words)]
Phrases = Annotated[tuple[str, ...], BeforeValidator(_read_phrases)]
"""Phrases in lower case; the file separates them by commas; "a|b" is a choice, "(a)" is optional."""
PhraseSet = Annotated[frozenset[str], BeforeValidator(_read_phrases)]
FilledPhrases = Annotated[Phrases, Field(min_length=1)]
Expressions = tuple[Annotated[str, AfterValidator(_check_expression)], ...]

Checked = TypeVar("Checked", bound=Mapping[object, object])


def keys_of(known: Collection[object], needed: bool = True) -> AfterValidator:
    """Return a check that a table has only keys in `known` and, if `needed`, all keys in `known`."""

    def check(table: Checked) -> Checked:
        for key in table:
            if key not in known:
                raise ValueError(f"“{key}” is not known; known are {', '.join(map(str, known))}")
        for key in known if needed else ():
            if key not in table:
                raise ValueError(f"“{key}” is missing")
        return table

    return AfterValidator(check)


Joined = TypeVar("Joined")


def join_fields(values: tuple[Joined, ...]) -> Joined:
    """Merge objects field by field: unite sets, tuples, and tuples under a key; else keep the last value."""
    first = values[0]
    joined: dict[str, object] = {}
    for one in fields(first):  # type: ignore[arg-type]
        found = [getattr(value, one.name) for value in values]
        if isinstance(found[0], frozenset):
            joined[one.name] = frozenset[str]().union(*found)
        elif isinstance(found[0], tuple):
            joined[one.name] = _unite(found)
        elif isinstance(found[0], Mapping):
            keys = dict.fromkeys(key for words in found for key in words)
            joined[one.name] = {key: _unite(words.get(key, ()) for words in found) for key in keys}
        else:
            joined[one.name] = found[-1]
    return type(first)(**joined)


def _unite(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for words in lists for word in words))


# --- phrases --------------------------------------------------------------------------------------------

_PIECE = re.compile(r"\(([^)]*)\)|(\S+)")


def expand_phrases(text: str) -> list[str]:
    """Return all phrases of a list separated by commas; "a|b" is a choice, "(a)" is optional."""
    found: list[str] = []
    for phrase in text.split(","):
        pieces = [
            ["", *optional.split("|")] if optional else needed.split("|")
            for optional, needed in _PIECE.findall(phrase)
        ]
        found += filter(None, (" ".join(" ".join(words).split()) for words in product(*pieces)))
    return found


def match_words(words: Collection[str]) -> str:
    """Return a regular expression for any of these words or phrases; without words, it matches nothing."""
    longest = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(map(re.escape, longest)).replace("\\ ", " ") or "(?!)"


HERE = Path(__file__).parent
ENGLISH = "en"
LANGUAGES: dict[str, str] = {}
"""The name of each language in that language, by language code (BCP 47); English first."""
REPLY_MARKERS: dict[str, str] = {}
"""By language code, the line at the top of a letter above which recipients write their reply."""
LONGEST_MARKER = 39
"""Maximum length of a reply marker in characters; mail programs may break longer lines."""
FOLDERS: dict[str, Path] = {}


@dataclass(frozen=True, slots=True)
class Language(Table):
    name: Name
    called: Phrases
    marker: Annotated[Name, Field(max_length=LONGEST_MARKER)]


@cache
def read_language(folder: Path) -> Language:
    return read_file(Language, folder / "language.toml")


def add_language(folder: Path) -> None:
    """Add the language of a folder, whose name is the language code; raises `InvalidLanguage`."""
    found = read_language(folder)
    FOLDERS[folder.name] = folder
    LANGUAGES[folder.name] = found.name
    REPLY_MARKERS[folder.name] = found.marker


for _file in sorted(HERE.glob("*/language.toml"), key=lambda one: (one.parent.name != ENGLISH, one)):
    add_language(_file.parent)
