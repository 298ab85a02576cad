"""Small words: names, lists, numbers, cards, refusals, moments, spans."""

from datetime import UTC, datetime, timedelta, timezone
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.i18n import Tongue, speaking
from emails.replies import chat_lines
from emails.wording import phrases
from emails.wording.phrases import (
    a,
    begun,
    cards,
    listed,
    look,
    moment,
    refusal,
    several,
    shown,
    span,
    symbol,
    the,
)
from engine.actions import Ambiguous, Choose, Illegal, Play, Refusal, Unreadable
from engine.board import LETTERS
from engine.cards import EMPTY, SYMBOLS, Bag, Symbol
from engine.notation.parser import parse
from engine.notation.vocabulary import VERBS
from tests.emails.positions import BOARD, NASTY_NAMES


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Anna", "Anna"),
        ("  Anna \t Maria\n", "Anna Maria"),
        ("Zoë Οδυσσέας", "Zoë Οδυσσέας"),
        ("draw", "“draw”"),
        ("Drawer", "Drawer"),
        ("Terug naar Troy", "“Terug naar Troy”"),
        ("Tell", "“Tell”"),
        ("", "?"),
        ("\u202e\x00", "?"),
    ],
)
def test_a_name_is_shown_as_it_is_unless_it_could_be_an_order(name: str, said: str) -> None:
    assert shown(name) == said


NAMES = st.one_of(
    st.text(max_size=70),
    st.sampled_from(NASTY_NAMES),
    st.lists(
        st.sampled_from(
            [*VERBS, "say", "vertel", "lyre", "paard", "Larissa", "C3", *",->&; \n:", "over", "terug"]
        ),
        max_size=6,
    ).map("".join),
)


@given(NAMES)
def test_no_name_is_an_order(name: str) -> None:
    line = shown(name)
    assert line
    assert line.isprintable()
    assert len(line) <= 62
    assert line == line.strip()
    assert ";" not in line
    assert not chat_lines.is_chat(f"{line} levied taxes: 3")
    with pytest.raises(Refusal):
        parse(line, BOARD)


def test_lists() -> None:
    assert listed([]) == "nothing"
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"], "or") == "a, b or c"


@pytest.mark.usefixtures("dutch")
def test_lists_in_dutch() -> None:
    assert listed([]) == "niets"
    assert listed(["a", "b"]) == "a en b"
    assert listed(["a", "b", "c"], "or") == "a, b of c"


def test_numbers_and_cards() -> None:
    assert phrases.walls(1) == "1 wall"
    assert phrases.walls(0) == "0 walls"
    assert a(Symbol.AMPHORA) == "an amphora"
    assert a(Symbol.HORSE) == "a horse"
    held = Bag.of([Symbol.TEMPLE, Symbol.LYRE, Symbol.TEMPLE, Symbol.AMPHORA])
    assert cards(held) == "2 temples, an amphora and a lyre"
    assert cards(EMPTY) == "nothing"
    assert begun("you won") == "You won"
    assert begun("") == ""


@pytest.mark.usefixtures("dutch")
def test_numbers_and_cards_in_dutch() -> None:
    assert phrases.walls(1) == "1 muur"
    assert phrases.walls(0) == "0 muren"
    assert [the(card) for card in SYMBOLS] == [
        "de tempel",
        "de waterkruik",
        "het paard",
        "de harp",
        "de soldaat",
    ]
    held = Bag.of([Symbol.HORSE, Symbol.LYRE, Symbol.HORSE, Symbol.AMPHORA])
    assert cards(held) == "een waterkruik, 2 paarden en een harp"


COUNTS = [
    phrases.points,
    phrases.actions,
    phrases.walls,
    phrases.guards,
    phrases.spaces,
    phrases.cards_counted,
]
COUNTED = {one.__name__: one for one in COUNTS} | {str(card): partial(several, card) for card in SYMBOLS}


@pytest.mark.parametrize("what", COUNTED)
def test_one_and_several_are_said_apart(what: str, language: str) -> None:
    one, two = COUNTED[what](1).split(), COUNTED[what](2).split()
    assert (one[0], two[0]) == ("1", "2")
    assert one[1:] != two[1:]


def test_symbols_have_letters_of_their_own(language: str) -> None:
    letters = phrases.symbol_letters().split()
    assert letters == [symbol(card)[0] for card in SYMBOLS]
    assert len(set(letters)) == len(SYMBOLS)
    assert all(letter.isascii() for letter in letters)
    assert (letters == list(LETTERS)) == (language == "en")


def test_each_seat_has_a_look_of_its_own(language: str) -> None:
    looks = [look(seat) for seat in range(4)]
    assert len(set(looks)) == 4
    assert looks[1] == {"en": "red square", "nl": "rood vierkant"}[language]


# --- refusals -------------------------------------------------------------------------------------------

LACKING = Bag.of([Symbol.HORSE, Symbol.LYRE, Symbol.LYRE])
REFUSALS = [
    (
        Illegal("5.6", "the hand lacks %(cards)s to pay for it", cards=LACKING),
        "the hand lacks a horse and 2 lyres to pay for it (rule 5.6)",
        ["een paard en 2 harpen", "(regel 5.6)"],
    ),
    (
        Ambiguous(
            "it could mean %(actions)s",
            (Choose(Symbol.LYRE), Play(Symbol.LYRE)),
            actions="choose lyre or play lyre",
        ),
        "it could mean choose lyre or play lyre",
        ["kies harp of speel harp"],
    ),
    (
        Unreadable("the line is empty", ("choose", "march", "play")),
        "the line is empty; did you mean choose, march or play?",
        ["; bedoelde je choose, march of play?"],
    ),
]


@pytest.mark.parametrize(("refused", "english", "dutch"), REFUSALS)
def test_a_refusal_is_said_with_all_it_names(refused: Refusal, english: str, dutch: list[str]) -> None:
    assert refusal(refused) == english
    with speaking(Tongue("nl")):
        assert all(words in refusal(refused) for words in dutch)


@pytest.mark.parametrize(
    "line", ["", "sing", "choose", "march", "take tmple", "choose lyre lyre", "%", "%(x)s"]
)
def test_whatever_cannot_be_read_is_refused_in_every_language(line: str, language: str) -> None:
    with pytest.raises(Refusal) as caught:
        parse(line, BOARD)
    said = refusal(caught.value)
    assert said
    assert language != "en" or said.startswith(str(caught.value))


# --- times ----------------------------------------------------------------------------------------------

NOON = datetime(2027, 1, 14, 18, tzinfo=UTC)


def test_a_moment_is_told_in_utc_with_its_weekday() -> None:
    assert moment(NOON) == "Thu 14 January 2027, 18:00 UTC"
    east = timezone(timedelta(hours=14))
    assert moment(datetime(2027, 1, 1, 3, 5, tzinfo=east)) == "Thu 31 December 2026, 13:05 UTC"


@pytest.mark.parametrize(
    ("tongue", "said"),
    [
        (Tongue("en", "Europe/Amsterdam"), "Thu 14 January 2027, 19:00 CET"),
        (Tongue("nl", "Europe/Amsterdam"), "do 14 januari 2027, 19:00 CET"),
        (Tongue("nl"), "do 14 januari 2027, 18:00 UTC"),
        (Tongue("en", "Asia/Tokyo"), "Fri 15 January 2027, 03:00 JST"),
        (Tongue("en", "America/Sao_Paulo"), "Thu 14 January 2027, 15:00 UTC-03"),
    ],
)
def test_a_moment_is_told_by_the_clock_of_its_reader(tongue: Tongue, said: str) -> None:
    with speaking(tongue):
        assert moment(NOON) == said


@pytest.mark.parametrize(
    ("hours", "said", "dutch"),
    [
        (0, "less than an hour", "minder dan een uur"),
        (1, "1 hour", "1 uur"),
        (24, "24 hours", "24 uur"),
        (36, "36 hours", "36 uur"),
        (48, "2 days", "2 dagen"),
        (1440, "60 days", "60 dagen"),
    ],
)
def test_a_span(hours: int, said: str, dutch: str) -> None:
    assert span(hours) == said
    with speaking(Tongue("nl")):
        assert span(hours) == dutch
