"""The players of the house in words: how well each plays, and a sentence about each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from emails.i18n import gettext, gettext_noop
from engine.bots.characters import CHARACTERS, Strength

STRENGTHS: Mapping[Strength, str] = {
    Strength.EASY: gettext_noop("easy"),
    Strength.STEADY: gettext_noop("steady"),
    Strength.STRONG: gettext_noop("strong"),
}
STRENGTHS_EXPLAINED: Mapping[Strength, str] = {
    Strength.EASY: gettext_noop("easy: plays like a beginner"),
    Strength.STEADY: gettext_noop("steady: knows the game"),
    Strength.STRONG: gettext_noop("strong: thinks further ahead"),
}
FACES: Mapping[str, str] = {
    "Philip": gettext_noop("Philip has just learned the game, likes to build, and takes nothing from you."),
    "Barsine": gettext_noop("Barsine is new to the game too, and would rather draw one more card."),
    "Perdiccas": gettext_noop("Perdiccas dreams of conquests and never makes one: a gentle beginning."),
    "Roxana": gettext_noop("Roxana plays a sound game, and likes large provinces with no way in."),
    "Seleucus": gettext_noop("Seleucus plays a sound game, with an eye on what others hold."),
    "Ptolemy": gettext_noop("Ptolemy plays a sound game, and likes to have a hand full of cards."),
    "Darius": gettext_noop("Darius thinks ahead, and builds to stay."),
    "Olympias": gettext_noop("Olympias thinks ahead, and would like to have what is yours."),
    "Porus": gettext_noop("Porus thinks ahead, and saves cards for every occasion."),
}
"""A sentence about each, true of how they play."""


def strength_word(name: str) -> str:
    """How well somebody of the house plays; empty for a seat that has none of their names."""
    return gettext(STRENGTHS[CHARACTERS[name].strength]) if name in CHARACTERS else ""


def describe_house_players(names: Iterable[str]) -> tuple[str, ...]:
    """A sentence about each of the house who has one of their names."""
    return tuple(gettext(FACES[name]) for name in names if name in FACES)
