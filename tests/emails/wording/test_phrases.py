"""Small words: names, lists, numbers, cards, refusals, moments, spans, and when a turn comes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.i18n import Locale, use_locale
from emails.picture.palette import clean_name
from emails.wording import phrases
from emails.wording.deadlines import (
    HABITS,
    Habit,
    TurnOutlook,
    answer_when,
    describe_outlook,
    format_deadline,
    format_remaining,
)
from emails.wording.phrases import (
    a_card,
    capitalize_first,
    explain_refusal,
    format_cards,
    format_hours,
    format_list,
    format_symbol_count,
    format_time,
    safe_name,
    seat_look,
    symbol_name,
    the_card,
)
from engine.actions import ActionRefused, Ambiguous, Choose, Illegal, Play, Unreadable
from engine.board import SYMBOL_LETTERS
from engine.cards import EMPTY, SYMBOLS, Bag, Symbol
from tests.emails.positions import BOARD, NASTY_NAMES
from tests.spoken import VOCABULARY, is_chat, parse


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
        ("win500.com prize", "win500. com prize"),
        ("Anna <b@c.de>", "Anna (b@ c. de)"),
        ("t.me/prize and https://x", "t. me/ prize and https: / / x"),
        ("Anna\u3164", "Anna"),
        ("Friday 9.30, J.R.R. e.g.", "Friday 9.30, J.R.R. e.g."),
        ("שרה", "\u2068שרה\u2069"),
        ("draw שרה", "\u2068“draw שרה”\u2069"),
        ("\u2068Anna\u2069 \u2067שרה", "\u2068Anna שרה\u2069"),
        ("می\u200cم", "\u2068می\u200cم\u2069"),
        ("Anna\u200c\u200d B", "Anna B"),
    ],
)
def test_a_name_is_shown_as_it_is_unless_it_could_be_an_order(name: str, said: str) -> None:
    assert safe_name(name) == said


NAMES = st.one_of(
    st.text(max_size=70),
    st.sampled_from(NASTY_NAMES),
    st.lists(
        st.sampled_from(
            [
                *VOCABULARY.verbs,
                "say",
                "vertel",
                "lyre",
                "paard",
                "Larissa",
                "C3",
                *",->&; \n:",
                "over",
                "terug",
            ]
        ),
        max_size=6,
    ).map("".join),
)


@given(NAMES)
def test_no_name_is_an_order(name: str) -> None:
    line = safe_name(name)
    assert line
    assert clean_name(line, 70) == line
    assert len(line) <= 64
    assert line == line.strip()
    assert ";" not in line
    assert not is_chat(f"{line} levied taxes: 3")
    with pytest.raises(ActionRefused):
        parse(line, BOARD)


def test_lists() -> None:
    assert format_list([]) == "nothing"
    assert format_list(["a"]) == "a"
    assert format_list(["a", "b"]) == "a and b"
    assert format_list(["a", "b", "c"], "or") == "a, b or c"


@pytest.mark.usefixtures("dutch")
def test_lists_in_dutch() -> None:
    assert format_list([]) == "niets"
    assert format_list(["a", "b"]) == "a en b"
    assert format_list(["a", "b", "c"], "or") == "a, b of c"


def test_numbers_and_cards() -> None:
    assert phrases.format_walls(1) == "1 wall"
    assert phrases.format_walls(0) == "0 walls"
    assert a_card(Symbol.AMPHORA) == "an amphora"
    assert a_card(Symbol.HORSE) == "a horse"
    held = Bag.of([Symbol.TEMPLE, Symbol.LYRE, Symbol.TEMPLE, Symbol.AMPHORA])
    assert format_cards(held) == "2 temples, an amphora and a lyre"
    assert format_cards(EMPTY) == "nothing"
    assert capitalize_first("you won") == "You won"
    assert capitalize_first("") == ""


@pytest.mark.usefixtures("dutch")
def test_numbers_and_cards_in_dutch() -> None:
    assert phrases.format_walls(1) == "1 muur"
    assert phrases.format_walls(0) == "0 muren"
    assert [the_card(card) for card in SYMBOLS] == [
        "de tempel",
        "de waterkruik",
        "het paard",
        "de harp",
        "de soldaat",
    ]
    held = Bag.of([Symbol.HORSE, Symbol.LYRE, Symbol.HORSE, Symbol.AMPHORA])
    assert format_cards(held) == "een waterkruik, 2 paarden en een harp"


COUNTS = [
    phrases.format_points,
    phrases.format_walls,
    phrases.format_guards,
    phrases.format_spaces,
    phrases.format_card_count,
]
COUNTED = {one.__name__: one for one in COUNTS} | {
    str(card): partial(format_symbol_count, card) for card in SYMBOLS
}


@pytest.mark.parametrize("what", COUNTED)
def test_one_and_several_are_said_apart(what: str, language: str) -> None:
    one, two = COUNTED[what](1).split(), COUNTED[what](2).split()
    assert (one[0], two[0]) == ("1", "2")
    assert one[1:] != two[1:]


def test_symbols_have_letters_of_their_own(language: str) -> None:
    letters = phrases.symbol_letters().split()
    assert letters == [symbol_name(card)[0] for card in SYMBOLS]
    assert len(set(letters)) == len(SYMBOLS)
    assert all(letter.isascii() for letter in letters)
    assert (letters == list(SYMBOL_LETTERS)) == (language == "en")


def test_each_seat_has_a_look_of_its_own(language: str) -> None:
    looks = [seat_look(seat) for seat in range(4)]
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
def test_a_refusal_is_said_with_all_it_names(refused: ActionRefused, english: str, dutch: list[str]) -> None:
    assert explain_refusal(refused) == english
    with use_locale(Locale("nl")):
        assert all(words in explain_refusal(refused) for words in dutch)


@pytest.mark.parametrize(
    "line", ["", "sing", "choose", "march", "take tmple", "choose lyre lyre", "%", "%(x)s"]
)
def test_whatever_cannot_be_read_is_refused_in_every_language(line: str, language: str) -> None:
    with pytest.raises(ActionRefused) as caught:
        parse(line, BOARD)
    said = explain_refusal(caught.value)
    assert said
    assert language != "en" or said.startswith(str(caught.value))


# --- times ----------------------------------------------------------------------------------------------

NOON = datetime(2027, 1, 14, 18, tzinfo=UTC)


def test_a_moment_is_told_in_utc_with_its_weekday() -> None:
    assert format_time(NOON) == "Thu 14 January 2027, 18:00 UTC"
    east = timezone(timedelta(hours=14))
    assert format_time(datetime(2027, 1, 1, 3, 5, tzinfo=east)) == "Thu 31 December 2026, 13:05 UTC"


@pytest.mark.parametrize(
    ("tongue", "said"),
    [
        (Locale("en", "Europe/Amsterdam"), "Thu 14 January 2027, 19:00 CET"),
        (Locale("nl", "Europe/Amsterdam"), "do 14 januari 2027, 19:00 CET"),
        (Locale("nl"), "do 14 januari 2027, 18:00 UTC"),
        (Locale("en", "Asia/Tokyo"), "Fri 15 January 2027, 03:00 JST"),
        (Locale("en", "America/Sao_Paulo"), "Thu 14 January 2027, 15:00 UTC-03"),
    ],
)
def test_a_moment_is_told_by_the_clock_of_its_reader(tongue: Locale, said: str) -> None:
    with use_locale(tongue):
        assert format_time(NOON) == said


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
    assert format_hours(hours) == said
    with use_locale(Locale("nl")):
        assert format_hours(hours) == dutch


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (timedelta(days=14), "14 days"),
        (timedelta(days=13, hours=23, minutes=50), "14 days"),
        (timedelta(days=7, hours=16), "7 days"),
        (timedelta(days=3, hours=5, minutes=10), "3 days and 5 hours"),
        (timedelta(hours=36, minutes=10), "36 hours"),
        (timedelta(hours=47, minutes=40), "2 days"),
        (timedelta(hours=23, minutes=59, seconds=40), "24 hours"),
        (timedelta(hours=5, minutes=12), "5 hours and 12 minutes"),
        (timedelta(hours=5), "5 hours"),
        (timedelta(minutes=12), "12 minutes"),
        (timedelta(seconds=12), "less than an hour"),
        (-timedelta(hours=1), "less than an hour"),
    ],
)
def test_what_remains_is_told_on_the_last_day_to_the_minute(left: timedelta, said: str) -> None:
    assert format_remaining(left) == said


@pytest.mark.parametrize(
    ("locale", "hours", "said"),
    [
        (Locale("en"), 0, "Thursday evening, 14 January, 18:00 UTC"),
        (Locale("en", "Europe/Amsterdam"), 8, "Friday before dawn, 15 January, 03:00 CET"),
        (Locale("en", "America/Sao_Paulo"), -6, "Thursday morning, 14 January, 09:00 UTC-03"),
        (Locale("nl", "Europe/Amsterdam"), -6, "donderdagmiddag, 14 januari, 13:00 CET"),
        (Locale("nl", "Europe/Amsterdam"), 8, "vrijdag voor zonsopgang, 15 januari, 03:00 CET"),
    ],
)
def test_a_deadline_is_named_by_the_part_of_the_day_and_to_the_minute(locale, hours, said) -> None:
    with use_locale(locale):
        assert format_deadline(NOON + timedelta(hours=hours)) == said


NOW = datetime(2026, 8, 5, 8, tzinfo=UTC)
"""A Wednesday, ten in the morning in Amsterdam."""


def august(day: int, hour: int) -> datetime:
    return datetime(2026, 8, day, hour, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("outlook", "english", "dutch"),
    [
        (
            TurnOutlook(august(8, 22), august(13, 9)),
            "Your turn: not before Sunday, by Thu 13 August at the latest.",
            "Jouw beurt: niet voor zondag, uiterlijk do 13 augustus.",
        ),
        (
            TurnOutlook(august(8, 22), august(10, 9)),
            "Your turn: not before Sunday, by Monday at the latest.",
            "Jouw beurt: niet voor zondag, uiterlijk maandag.",
        ),
        (
            TurnOutlook(august(8, 22), august(9, 9)),
            "Your turn: by Sunday at the latest.",
            "Jouw beurt: uiterlijk zondag.",
        ),
        (
            TurnOutlook(latest=august(6, 9)),
            "Your turn: by Thursday 12:00 at the latest.",
            "Jouw beurt: uiterlijk donderdag 12:00.",
        ),
        (
            TurnOutlook(latest=NOW + timedelta(minutes=9, seconds=30)),
            "Your turn: by Wednesday 10:10 at the latest.",
            "Jouw beurt: uiterlijk woensdag 10:10.",
        ),
        (TurnOutlook(august(8, 22)), "Your turn: not before Sunday.", "Jouw beurt: niet voor zondag."),
        (TurnOutlook(), "", ""),
        (None, "", ""),
    ],
)
def test_the_bounds_in_words(outlook: TurnOutlook | None, english: str, dutch: str) -> None:
    with use_locale(Locale("en", "Europe/Amsterdam")):
        assert describe_outlook(outlook, NOW) == english
    with use_locale(Locale("nl", "Europe/Amsterdam")):
        assert describe_outlook(outlook, NOW) == dutch


def test_the_days_are_those_of_the_reader() -> None:
    back = TurnOutlook(august(8, 22), august(20, 9))
    with use_locale(Locale("en", "America/New_York")):
        assert "not before Saturday" in describe_outlook(back, NOW)
    with use_locale(Locale("en", "Asia/Tokyo")):
        assert "not before Sunday" in describe_outlook(back, NOW)


@pytest.mark.parametrize("within", HABITS)
def test_a_habit_is_a_sentence_of_its_own(within: timedelta) -> None:
    with use_locale(Locale("en", "Europe/Amsterdam")):
        habit = describe_outlook(TurnOutlook(habit=Habit("Ben", within)), NOW)
        both = describe_outlook(TurnOutlook(latest=august(20, 9), habit=Habit("Ben", within)), NOW)
    assert habit.startswith("Ben mostly answers within ")
    assert both == f"Your turn: by Thu 20 August at the latest. {habit}"


def test_a_question_is_answered_where_nothing_is_known() -> None:
    with use_locale(Locale("en")):
        assert answer_when(TurnOutlook(), NOW) == "There is no telling yet when your turn comes."
        assert "as soon as the house" in answer_when(TurnOutlook(is_immediate=True), NOW)
