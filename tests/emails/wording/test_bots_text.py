"""The players of the house in words: each has a sentence of its own, and no name of theirs is an order."""

import pytest

from emails.i18n import Locale, use_locale
from emails.wording.advice_text import (
    FACES,
    STRENGTHS,
    STRENGTHS_EXPLAINED,
    describe_bots,
    strength_word,
)
from emails.wording.phrases import safe_name
from engine.bots.strengths import PROFILES, Strength

LONGEST_FACE = 90
"""Characters of a sentence that somebody reads on a telephone."""


def test_everybody_has_a_name_that_can_be_said_and_a_short_sentence() -> None:
    assert set(STRENGTHS) == set(STRENGTHS_EXPLAINED) == set(FACES) == set(Strength)
    for name in PROFILES:
        assert safe_name(name) == name
    for language in ("en", "nl"):
        with use_locale(Locale(language)):
            told = describe_bots(PROFILES)
        assert len({*told}) == len(PROFILES)
        assert all(
            one.startswith(name) and len(one) <= LONGEST_FACE
            for name, one in zip(PROFILES, told, strict=True)
        )


def test_a_seat_of_the_house_that_has_another_name_has_no_face() -> None:
    assert describe_bots(["House", "Porus"]) == ("Porus thinks ahead.",)
    assert strength_word("House 2") == ""


@pytest.mark.parametrize(("language", "word"), [("en", "strong"), ("nl", "sterk")])
def test_how_well_they_play_is_one_word(language: str, word: str) -> None:
    with use_locale(Locale(language)):
        assert strength_word("Porus") == word
