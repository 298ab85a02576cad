"""Requests are never mistaken for orders, and letters name words that are read."""

import re

import pytest

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.wording.requests import Request, RequestKind, request_word
from engine.actions import ActionRefused
from tests.emails.positions import BOARD
from tests.spoken import LEXICON, VOCABULARY, is_chat, parse, parse_request


def test_no_request_is_an_order_or_said_to_others() -> None:
    for phrase in (*LEXICON.shown, "?", "rules 5.9", "rules 5", "regel 5.9", "history 20"):
        assert not is_chat(phrase)
        with pytest.raises(ActionRefused):
            parse(phrase, BOARD, {"1": "C5", "5": "draw"})


def test_no_request_is_a_word_of_the_game_or_begins_one() -> None:
    """Orders may be shortened to the beginning of a word."""
    of_orders = {*VOCABULARY.verbs, *VOCABULARY.symbols, *(" ".join(pair) for pair in VOCABULARY.pairs)}
    named = {name.casefold() for name in (*BOARD.places, *BOARD.point_names)}
    for phrase in LEXICON.shown:
        assert phrase not in of_orders | named
        assert not [one for one in of_orders | named if one.startswith(phrase)], phrase
        assert len(phrase) > 2
    assert not {phrase for phrase in LEXICON.shown if phrase in VOCABULARY.small} - {"cards", "kaarten"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_word_that_letters_name_asks_for_it(language: str) -> None:
    assert {*LEXICON.shown.values()} == set(RequestKind)
    with use_locale(Locale(language)):
        for kind in RequestKind:
            assert parse_request(request_word(kind)) == Request(kind)
            assert re.fullmatch(r"[a-z]+( [a-z]+){0,2}", request_word(kind))
