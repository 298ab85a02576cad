"""What mail programs write by themselves, and signs that mean the same in every language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emails.languages.supported_languages import HERE, folder_of
from emails.languages.toml_tables import Expressions, join_fields, read_fields, read_file
from engine.cards import Symbol


@dataclass(frozen=True, slots=True, eq=False)
class ProgramWords:
    """Patterns of what mail programs write."""

    wrote: Expressions
    """In the line that says who wrote what is quoted."""
    wrote_begins: Expressions
    """The first word of such a line."""
    headings: Expressions
    """Of an old mail that is copied whole."""
    own_lines: Expressions
    """How a line begins that a program adds below: "Sent from my telephone"."""
    reply_prefixes: Expressions
    """Before the subject of an answer, without the colon."""
    bounced: Expressions
    """How the subject begins of a mail that came back."""
    automatic: Expressions
    """How the subject begins of what a program writes while its owner is away."""


@cache
def read_programs(file: Path) -> ProgramWords:
    """What a file knows of mail programs. Raises `InvalidLanguage`."""
    return read_fields(ProgramWords, read_file(file))


@cache
def join_programs(languages: tuple[str, ...]) -> ProgramWords:
    """What is known of mail programs that speak these languages."""
    files = (HERE, *map(folder_of, languages))
    return join_fields(tuple(read_programs(folder / "programs.toml") for folder in files))


@dataclass(frozen=True, slots=True)
class SharedSigns:
    """Pictures and names."""

    cards: Mapping[str, Symbol]
    """Each card by the pictures that stand for it."""
    any_card: frozenset[str]
    """The pictures that stand for a card, whichever it is."""
    hesitation: str
    """The pictures by which somebody asks, waits or takes back."""
    devices: tuple[str, ...]
    """The machines and programs that sign mails, in small letters."""
    phones: tuple[str, ...]
    """How words for a telephone begin in languages without a folder, in small letters."""


@cache
def read_signs() -> SharedSigns:
    """What signs.toml holds. Raises `InvalidLanguage`."""
    file = read_file(HERE / "signs.toml")
    file.check_keys(frozenset(("cards", "signs")))
    cards, others = file.table("cards"), file.table("signs")
    cards.check_keys(frozenset(map(str, Symbol)))
    return SharedSigns(
        {picture: symbol for symbol in Symbol for picture in cards.name_of(symbol)},
        frozenset(others.name_of("card")),
        others.name_of("hesitation"),
        others.listed("devices"),
        others.listed("phones"),
    )
