"""What is asked for in a mail: alone on a line, in either language, and never mistaken for an order."""

import re

import pytest

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.wording.requests import Request, RequestKind, request_word
from engine.actions import ActionRefused
from tests.emails.positions import BOARD
from tests.spoken import LEXICON, VOCABULARY, is_chat, parse, parse_request


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("?", "help"),
        ("help", "help"),
        ("hulp", "help"),
        ("board", "board"),
        ("bord", "board"),
        ("hand", "hand"),
        ("kaarten", "hand"),
        ("my cards", "hand"),
        ("history", "history"),
        ("log", "history"),
        ("verloop", "history"),
        ("geschiedenis", "history"),
        ("rules", "rules"),
        ("regels", "rules"),
        ("settings", "settings"),
        ("instellingen", "settings"),
        ("resign", "resign"),
        ("I resign", "resign"),
        ("opgeven", "resign"),
        ("ik geef op", "resign"),
    ],
)
def test_each_request_in_both_languages_however_it_is_dressed(line: str, kind: str) -> None:
    assert parse_request(line) == Request(kind)  # type: ignore[arg-type]
    for dressed in (line.upper(), f"  {line.title()}  ", line.replace(" ", "   ")):
        assert parse_request(dressed) == Request(kind)  # type: ignore[arg-type]
    if line != "?":
        for dressed in (
            f"{line}.",
            f"{line}...",
            f"{line}!",
            f"{line} please",
            f"{line}, aub.",
            f"please {line}",
        ):
            assert parse_request(dressed) == Request(kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "kind", "about"),
    [
        ("rules 5.9", "rules", "5.9"),
        ("rule 5.9.", "rules", "5.9"),
        ("Regel 5.9 aub", "rules", "5.9"),
        ("regel 5,9", "rules", "5.9"),
        ("rules 5", "rules", "5"),
        ("regels 10?", "rules", "10"),
        ("history 20", "history", "20"),
        ("verloop 20", "history", "20"),
    ],
)
def test_a_number_says_which(line: str, kind: str, about: str) -> None:
    assert parse_request(line) == Request(kind, about)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "...",
        "aub",
        "please",
        "h",
        "b",
        "r",
        "help me win",
        "hand over the lyre",
        "the board looks odd",
        "I resign myself to it",
        "should I resign",
        "rules are rules",
        "rules 5.9 and 5.10",
        "rules 5.9.1",
        "rules five",
        "rules -1",
        "history 12345",
        "say: help",
        "> help",
        "“help”",
        "help; board",
        "ik geef op dit moment niets",
        "board " * 20,
    ],
)
def test_prose_is_no_request(line: str) -> None:
    assert parse_request(line) is None


@pytest.mark.parametrize("line", ["resign?", "Opgeven?", "I resign ?!?"])
def test_who_asks_about_resigning_does_not_resign(line: str) -> None:
    assert parse_request(line) is None


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
