"""Whom of the house a form offers for a seat: anybody of a strength, or one by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from emails.i18n import gettext
from emails.wording.house_players_text import STRENGTHS_EXPLAINED, describe_house_players, strength_word
from engine.bots.characters import CHARACTERS, BotChoice, Strength, find_bot_choice


@dataclass(frozen=True, slots=True)
class HouseChoice:
    """What a form offers: each value with its words, and a sentence about everybody."""

    strengths: tuple[tuple[str, str], ...]
    named: tuple[tuple[str, str], ...]
    faces: tuple[str, ...]


def house_choice() -> HouseChoice:
    """What a form offers, in the language of the page."""
    return HouseChoice(
        tuple((one.value, gettext(words)) for one, words in STRENGTHS_EXPLAINED.items()),
        tuple((name, f"{name} ({strength_word(name)})") for name in CHARACTERS),
        describe_house_players(CHARACTERS),
    )


def read_house_choice(form: Mapping[str, str], field: str) -> BotChoice:
    """Who is chosen in a field of a form; steady where nothing that is offered is."""
    return find_bot_choice(form.get(field, "")[:20]) or Strength.STEADY
