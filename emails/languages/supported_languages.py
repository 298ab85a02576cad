"""The supported languages, and the reading of their vocabulary files: TOML tables, checked as dataclasses."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain, product
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError


class InvalidLanguage(Exception):
    """An unusable vocabulary file; the message names the file and the key."""

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(f"{file.parent.name}/{file.name}: {why}.")


class Table:
    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid")


Content = TypeVar("Content")


def read_folder(kind: type[Content], folder: Path) -> Content:
    """Read the vocabulary file of each field of the class `kind`; raises `InvalidLanguage`."""
    types = get_type_hints(kind, include_extras=True)
    return kind(**{name: _read_file(one, folder / f"{name}.toml") for name, one in types.items()})


def _read_file(kind: Any, file: Path) -> Any:
    try:
        return TypeAdapter(kind).validate_python(tomllib.loads(file.read_text("utf-8")))
    except FileNotFoundError:
        raise InvalidLanguage(file, "the file is missing") from None
    except UnicodeDecodeError as error:
        raise InvalidLanguage(file, f"it is not UTF-8: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidLanguage(file, f"it is not valid TOML: {error}") from None
    except ValidationError as error:
        raise InvalidLanguage(file, "; ".join(_explain(error))) from None


def _explain(error: ValidationError) -> Iterator[str]:
    for fault in error.errors(include_url=False):
        key = ".".join(str(part) for part in fault["loc"] if part != "[key]")
        yield f"{key}: {fault['msg'].removeprefix('Value error, ')}".removeprefix(": ")


# --- the types of fields ----------------------------------------------------------------------------------


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text in quotes")
    return value


def _read_words(value: object) -> tuple[str, ...]:
    return tuple(_read_text(value).casefold().split())


def _read_phrases(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(expand_phrases(_read_text(value).casefold())))


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


def literals(kind: object) -> tuple[str, ...]:
    """Return the values of a `Literal`, or of a union of them."""
    return tuple(value for one in get_args(kind) for value in get_args(one) or (one,))


def keys_of(known: Collection[object]) -> AfterValidator:
    """Return a check that a table has the keys in `known` and no others."""

    def check(table: Checked) -> Checked:
        for key in (*table, *known):
            if key not in known:
                raise ValueError(f"“{key}” is not known; known are {', '.join(map(str, known))}")
            if key not in table:
                raise ValueError(f"“{key}” is missing")
        return table

    return AfterValidator(check)


Meaning = TypeVar("Meaning")


def by_phrase(table: Iterable[tuple[Meaning, Iterable[str]]], *, unique: bool = False) -> dict[str, Meaning]:
    """Return the first meaning of each phrase; raises `ValueError` for a second meaning if `unique`."""
    found: dict[str, Meaning] = {}
    for meaning, phrases in table:
        for phrase in phrases:
            if found.setdefault(phrase, meaning) != meaning and unique:
                raise ValueError(f"“{phrase}” means both {found[phrase]} and {meaning}")
    return found


Joined = TypeVar("Joined")


def join(values: Sequence[Joined]) -> Joined:
    """Unite sets, tuples, and the values of tables and objects; of other values, return the last."""
    joined: Joined = _join(values)
    return joined


def _join(values: Sequence[Any]) -> Any:
    first = values[0]
    if isinstance(first, frozenset):
        return first.union(*values)
    if isinstance(first, tuple):
        return tuple(dict.fromkeys(chain(*values)))
    if isinstance(first, Mapping):
        keys = dict.fromkeys(chain(*values))
        return {key: _join([table[key] for table in values if key in table]) for key in keys}
    if is_dataclass(first) and not isinstance(first, type):
        return replace(
            first,
            **{one.name: _join([getattr(value, one.name) for value in values]) for one in fields(first)},
        )
    return values[-1]


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
LANGUAGE_NAMES: dict[str, tuple[str, ...]] = {}
"""By language code, the names by which mails ask for the language."""
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


def add_language(folder: Path) -> None:
    """Add the language of a folder, whose name is the language code; raises `InvalidLanguage`."""
    found: Language = _read_file(Language, folder / "language.toml")
    LANGUAGE_NAMES[folder.name] = found.called
    FOLDERS[folder.name] = folder
    LANGUAGES[folder.name] = found.name
    REPLY_MARKERS[folder.name] = found.marker


for _file in sorted(HERE.glob("*/language.toml"), key=lambda one: (one.parent.name != ENGLISH, one)):
    add_language(_file.parent)
