"""The rules of the game for players, clause by clause, in every language: languages/<language>/rules.toml.

They have the numbers of engine/README.md, which says what is enforced; refusals name them too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from emails.i18n import CATALOGUES, current_locale


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of the rules."""

    number: str
    """Such as 5.9."""
    text: str


@dataclass(frozen=True, slots=True)
class RulesText:
    """All rules in one language."""

    parts: Mapping[str, str]
    """What each part is called, by its number, in order."""
    clauses: tuple[Clause, ...]
    """In order."""


@cache
def read_rules(language: str) -> RulesText:
    """The rules in a language."""
    read = tomllib.loads((CATALOGUES / language / "rules.toml").read_text("utf-8"))
    found = (Clause(number, text.strip()) for number, text in read["clauses"].items())
    return RulesText(read["parts"], tuple(found))


def find_clauses(number: str) -> tuple[Clause, ...]:
    """The clause of this number, or all of the part of this number, in the language spoken; none: no such."""
    found = read_rules(current_locale().language).clauses
    return tuple(one for one in found if number in (one.number, one.number.partition(".")[0]))


def part_titles() -> Mapping[str, str]:
    """What each part of the rules is called in the language spoken, by its number."""
    return read_rules(current_locale().language).parts


def nearest_numbers(number: str) -> Sequence[str]:
    """The one or two numbers that stand around a number of which there is no clause or part."""
    part, _, minor = number.partition(".")
    known = [one.number for one in read_rules(current_locale().language).clauses]
    if not minor or part not in part_titles():
        known = list(part_titles())
        number = part
    before = [one for one in known if _sort_key(one) < _sort_key(number)]
    after = [one for one in known if _sort_key(one) > _sort_key(number)]
    return [*before[-1:], *after[:1]]


def _sort_key(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))
