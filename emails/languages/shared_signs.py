"""Signs that mean the same in every language: pictures, and the names of machines that sign mails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from emails.languages.supported_languages import HERE
from emails.languages.toml_tables import read_file
from engine.cards import Symbol


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
