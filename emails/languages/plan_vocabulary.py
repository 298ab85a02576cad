"""The words of plans of a language: its plans.toml."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from emails.languages.order_words import read_order_words
from emails.languages.toml_tables import TomlTable, expand_phrases, read_file
from engine.cards import Symbol
from engine.plans.syntax import PlanWords

LISTS = ("heading", "condition", "otherwise", "also", "then", "card", "free")
NAMING = {"card", "free"}
"""The lists whose phrases name something."""


@cache
def read_plan_words(folder: Path) -> PlanWords:
    """The words of plans of the language of a folder. Raises `InvalidLanguage`."""
    file = read_file(folder / "plans.toml")
    file.check_keys(frozenset((*LISTS, "small", "open_cards")))
    cards = file.table("open_cards")
    cards.check_keys(frozenset(map(str, Symbol)))
    found = {name: tuple(dict.fromkeys(expand_phrases(file.text(name)))) for name in LISTS}
    for name, phrases in found.items():
        _check_phrases(file, name, phrases)
    return PlanWords(
        orders=read_order_words(folder),
        small=file.words("small"),
        open_cards={symbol: cards.name_of(symbol) for symbol in Symbol},
        **found,
    )


def _check_phrases(file: TomlTable, name: str, phrases: tuple[str, ...]) -> None:
    if not phrases:
        raise file.refuse(name, "is empty")
    for phrase in phrases:
        if phrase.split().count("*") != (name in NAMING):
            raise file.refuse(name, f"holds “{phrase}”, which is to have one * if it names something")
