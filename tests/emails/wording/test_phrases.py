"""Small words: names, lists, numbers, cards, refusals, moments, spans, requests, and how a game stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
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
from emails.wording.options import number_corners
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
from emails.wording.requests import Request, RequestKind, request_word
from emails.wording.standings import (
    board_alt_text,
    describe_next_step,
    player_standings,
    province_standings,
    summarize_game,
)
from engine.actions import ActionRefused, Ambiguous, Choose, Illegal, Play, Unreadable
from engine.board import SYMBOL_LETTERS
from engine.cards import EMPTY, SYMBOLS, Bag, Symbol
from engine.position import Phase, View, view
from tests.breadth import first, spread
from tests.emails import stored_games
from tests.emails.approving import approved
from tests.emails.positions import BOARD, NASTY_NAMES
from tests.spoken import LEXICON, VOCABULARY, assert_no_orders, is_chat, parse, parse_request


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


PIECES = [*VOCABULARY.verbs, *"say vertel lyre paard Larissa C3 over terug".split(), *",->&; \n:"]
NAMES = st.text(max_size=70) | st.sampled_from(NASTY_NAMES)


@given(NAMES | st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
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


LACKING = Bag.of([Symbol.HORSE, Symbol.LYRE, Symbol.LYRE])
EITHER = Choose(Symbol.LYRE), Play(Symbol.LYRE)
HELD = Bag.of([Symbol.TEMPLE, Symbol.LYRE, Symbol.TEMPLE, Symbol.AMPHORA])


@pytest.mark.parametrize(
    ("say", "what", "english", "dutch"),
    [
        (format_list, [], "nothing", "niets"),
        (format_list, ["a"], "a", "a"),
        (format_list, ["a", "b"], "a and b", "a en b"),
        (partial(format_list, ["a", "b", "c"]), "or", "a, b or c", "a, b of c"),
        (phrases.format_walls, 1, "1 wall", "1 muur"),
        (phrases.format_walls, 0, "0 walls", "0 muren"),
        (a_card, Symbol.AMPHORA, "an amphora", "een waterkruik"),
        (a_card, Symbol.HORSE, "a horse", "een paard"),
        (the_card, Symbol.TEMPLE, "the temple", "de tempel"),
        (the_card, Symbol.AMPHORA, "the amphora", "de waterkruik"),
        (the_card, Symbol.HORSE, "the horse", "het paard"),
        (the_card, Symbol.LYRE, "the lyre", "de harp"),
        (the_card, Symbol.SOLDIER, "the soldier", "de soldaat"),
        (format_cards, EMPTY, "nothing", "niets"),
        (format_cards, HELD, "2 temples, an amphora and a lyre", "2 tempels, een waterkruik en een harp"),
        (format_hours, 0, "less than an hour", "minder dan een uur"),
        (format_hours, 1, "1 hour", "1 uur"),
        (format_hours, 24, "24 hours", "24 uur"),
        (format_hours, 36, "36 hours", "36 uur"),
        (format_hours, 48, "2 days", "2 dagen"),
        (format_hours, 1440, "60 days", "60 dagen"),
        (
            explain_refusal,
            Illegal("5.6", "the hand lacks %(cards)s to pay for it", cards=LACKING),
            "the hand lacks a horse and 2 lyres to pay for it (rule 5.6)",
            "om dat te betalen kom je een paard en 2 harpen tekort (regel 5.6)",
        ),
        (
            explain_refusal,
            Ambiguous("it could mean %(actions)s", EITHER, actions="choose lyre or play lyre"),
            "it could mean choose lyre or play lyre",
            "dat kan betekenen: kies harp of speel harp",
        ),
        (
            explain_refusal,
            Unreadable("the line is empty", ("choose", "march", "play")),
            "the line is empty; did you mean choose, march or play?",
            "de regel is leeg; bedoelde je choose, march of play?",
        ),
    ],
)
def test_small_words_in_both_languages(
    say: Callable[[Any], str], what: object, english: str, dutch: str
) -> None:
    assert say(what) == english
    with use_locale(Locale("nl")):
        assert say(what) == dutch


def test_a_sentence_begins_with_a_capital() -> None:
    assert capitalize_first("you won") == "You won"
    assert capitalize_first("") == ""


COUNTED = {
    "points": phrases.format_points,
    "walls": phrases.format_walls,
    "guards": phrases.format_guards,
    "spaces": phrases.format_spaces,
    "cards": phrases.format_card_count,
    **{str(card): partial(format_symbol_count, card) for card in SYMBOLS},
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
    east = timezone(timedelta(hours=14))
    assert format_time(datetime(2027, 1, 1, 3, 5, tzinfo=east)) == "Thu 31 December 2026, 13:05 UTC"


@pytest.mark.parametrize(
    ("told", "locale", "hours", "said"),
    [
        (format_time, Locale("en"), 0, "Thu 14 January 2027, 18:00 UTC"),
        (format_time, Locale("en", "Europe/Amsterdam"), 0, "Thu 14 January 2027, 19:00 CET"),
        (format_time, Locale("nl", "Europe/Amsterdam"), 0, "do 14 januari 2027, 19:00 CET"),
        (format_time, Locale("nl"), 0, "do 14 januari 2027, 18:00 UTC"),
        (format_time, Locale("en", "Asia/Tokyo"), 0, "Fri 15 January 2027, 03:00 JST"),
        (format_time, Locale("en", "America/Sao_Paulo"), 0, "Thu 14 January 2027, 15:00 UTC-03"),
        (format_deadline, Locale("en"), 0, "Thursday evening, 14 January, 18:00 UTC"),
        (format_deadline, Locale("en", "Europe/Amsterdam"), 8, "Friday before dawn, 15 January, 03:00 CET"),
        (
            format_deadline,
            Locale("en", "America/Sao_Paulo"),
            -6,
            "Thursday morning, 14 January, 09:00 UTC-03",
        ),
        (format_deadline, Locale("nl", "Europe/Amsterdam"), -6, "donderdagmiddag, 14 januari, 13:00 CET"),
        (
            format_deadline,
            Locale("nl", "Europe/Amsterdam"),
            8,
            "vrijdag voor zonsopgang, 15 januari, 03:00 CET",
        ),
    ],
)
def test_a_moment_is_told_by_the_clock_of_its_reader(
    told: Callable[[datetime], str], locale: Locale, hours: int, said: str
) -> None:
    with use_locale(locale):
        assert told(NOON + timedelta(hours=hours)) == said


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


NOW = datetime(2026, 8, 5, 8, tzinfo=UTC)
"""A Wednesday, ten in the morning in Amsterdam."""


def august(day: int, hour: int) -> datetime:
    return datetime(2026, 8, day, hour, 20, tzinfo=UTC)


SATURDAY = august(8, 22)


@pytest.mark.parametrize(
    ("language", "outlook", "said"),
    [
        (
            "en",
            TurnOutlook(SATURDAY, august(13, 9)),
            "Your turn: not before Sunday, by Thu 13 August at the latest.",
        ),
        (
            "nl",
            TurnOutlook(SATURDAY, august(13, 9)),
            "Jouw beurt: niet voor zondag, uiterlijk do 13 augustus.",
        ),
        (
            "en",
            TurnOutlook(SATURDAY, august(10, 9)),
            "Your turn: not before Sunday, by Monday at the latest.",
        ),
        ("nl", TurnOutlook(SATURDAY, august(10, 9)), "Jouw beurt: niet voor zondag, uiterlijk maandag."),
        ("en", TurnOutlook(SATURDAY, august(9, 9)), "Your turn: by Sunday at the latest."),
        ("nl", TurnOutlook(SATURDAY, august(9, 9)), "Jouw beurt: uiterlijk zondag."),
        ("en", TurnOutlook(None, august(6, 9)), "Your turn: by Thursday 12:00 at the latest."),
        ("nl", TurnOutlook(None, august(6, 9)), "Jouw beurt: uiterlijk donderdag 12:00."),
        (
            "en",
            TurnOutlook(None, NOW + timedelta(seconds=570)),
            "Your turn: by Wednesday 10:10 at the latest.",
        ),
        ("nl", TurnOutlook(None, NOW + timedelta(seconds=570)), "Jouw beurt: uiterlijk woensdag 10:10."),
        ("en", TurnOutlook(SATURDAY), "Your turn: not before Sunday."),
        ("nl", TurnOutlook(SATURDAY), "Jouw beurt: niet voor zondag."),
        *((language, outlook, "") for language in LANGUAGES for outlook in (TurnOutlook(), None)),
    ],
)
def test_the_bounds_in_words(language: str, outlook: TurnOutlook | None, said: str) -> None:
    with use_locale(Locale(language, "Europe/Amsterdam")):
        assert describe_outlook(outlook, NOW) == said


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


# --- requests: never mistaken for orders ---------------------------------------------------------------


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


# --- how a game stands ----------------------------------------------------------------------------------

STORED = "three-players"
ORDERS = ("draw", "terug", "take lyre")


def seen(phase: Phase, me: int | None = 0, turn: int = 16) -> View:
    """A turn of the first player in this phase, as late in it as there is something to do."""
    found = [
        one for one in stored_games.positions(STORED) if one.table.turn == turn and one.table.phase is phase
    ]
    return view([one for one in found if phase is not Phase.ACTIONS or one.table.actions_left][-1], me)


def over(me: int | None, winners: tuple[int, ...]) -> View:
    last = stored_games.positions(STORED)[-1]
    return view(replace(last, table=last.table.but(winners=winners)), me)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_in_words_reads_as_approved(language: str) -> None:
    """What is needed at several moments, then the picture and each province."""
    march = seen(Phase.MARCH)
    moments = (
        seen(Phase.CARD),
        march,
        seen(Phase.ACTIONS),
        seen(Phase.CARD, 1),
        seen(Phase.CARD, None),
        over(1, (0, 1)),
        over(0, (0,)),
    )
    with use_locale(Locale(language)):
        said = [summarize_game(known) for known in moments]
        said.append(board_alt_text(march, number_corners(march, None)))
        said += [f"{land.holder}: {land.contents}" for land in province_standings(seen(Phase.CARD))]
        approved(f"standings.{language}.txt", "\n".join(said) + "\n")


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("names", first(1, [[*ORDERS], [*NASTY_NAMES[:3]]]))
@pytest.mark.parametrize("part", [0, *spread(2, range(1, 9))])
def test_nothing_said_of_a_game_is_an_order(names: tuple[str, ...], part: int) -> None:
    for position in [*stored_games.positions(STORED)][part::9]:
        named = replace(position, table=position.table.but(names=names))
        for me in (0, 1, None):
            known = view(named, me)
            lines = [
                summarize_game(known),
                board_alt_text(known, number_corners(known, None)),
                *(row.guards for row in player_standings(known)),
            ]
            if known.my_turn:
                lines.append(describe_next_step(known))
            lines += [words for land in province_standings(known) for words in (land.holder, land.contents)]
            assert not any("\n" in line for line in lines)
            assert_no_orders(lines, known.table.board)
