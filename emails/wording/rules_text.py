"""The rules of the game for players, clause by clause, in every language: languages/<language>/rules.toml.

They have the numbers of engine/README.md, which says what is enforced; refusals name them too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from emails.i18n import CATALOGUES, spoken


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of the rules."""

    number: str
    """Such as 5.9."""
    text: str


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules in one language."""

    parts: Mapping[str, str]
    """What each part is called, by its number, in order."""
    clauses: tuple[Clause, ...]
    """In order."""


@cache
def rules(language: str) -> Rules:
    """The rules in a language."""
    read = tomllib.loads((CATALOGUES / language / "rules.toml").read_text("utf-8"))
    found = (Clause(number, text.strip()) for number, text in read["clauses"].items())
    return Rules(read["parts"], tuple(found))


def clauses(number: str) -> tuple[Clause, ...]:
    """The clause of this number, or all of the part of this number, in the language spoken; none: no such."""
    found = rules(spoken().language).clauses
    return tuple(one for one in found if number in (one.number, one.number.partition(".")[0]))


def parts() -> Mapping[str, str]:
    """What each part of the rules is called in the language spoken, by its number."""
    return rules(spoken().language).parts


def nearest(number: str) -> Sequence[str]:
    """The one or two numbers that stand around a number of which there is no clause or part."""
    part, _, minor = number.partition(".")
    known = [one.number for one in rules(spoken().language).clauses]
    if not minor or part not in parts():
        known = list(parts())
        number = part
    before = [one for one in known if _order(one) < _order(number)]
    after = [one for one in known if _order(one) > _order(number)]
    return [*before[-1:], *after[:1]]


def _order(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))
