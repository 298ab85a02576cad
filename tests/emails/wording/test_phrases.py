"""Small words: names, lists, numbers, cards, refusals, moments, spans, requests, and how a game stands."""

# ruff: noqa: RUF001 - letters that look alike are what names are about

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.i18n import Locale, gettext, use_locale
from emails.names import skeleton
from emails.picture.palette import clean_name
from emails.terms import HABITS, Habit, TurnOutlook
from emails.wording import phrases, standings
from emails.wording.options import number_corners
from emails.wording.phrases import explain_refusal, format_symbol_count, safe_name, seat_look, symbol_name
from emails.wording.requests import Request, RequestKind, request_word
from emails.wording.texts import say
from engine.actions import ActionRefused, Ambiguous, Choose, Illegal, Play, Unreadable
from engine.board import SYMBOL_LETTERS
from engine.cards import SYMBOLS, Bag, Symbol
from engine.position import Phase, View, view
from tests.breadth import first, spread
from tests.emails.approving import approved
from tests.emails.positions import BOARD, NASTY_NAMES, stored_game
from tests.spoken import LEXICON, VOCABULARY, assert_no_orders, is_chat, parse, parse_request


def test_names_that_a_reader_tells_apart_have_other_skeletons() -> None:
    names = ("Anna", "Ana", "Zoë", "Zoe", "Anna 2", "Сара", "Sara", "🎲", "🎯", "...", "?", "علی", "على")
    assert len({skeleton(one) for one in names}) == len(names)
    assert skeleton("Сара") == skeleton("Capa")


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


@pytest.mark.parametrize(
    ("refused", "english", "dutch"),
    [
        (
            Illegal("5.6", "the hand lacks %(cards)s to pay for it", cards=LACKING),
            "the hand lacks a horse and 2 lyres to pay for it (rule 5.6)",
            "om dat te betalen kom je een paard en 2 harpen tekort (regel 5.6)",
        ),
        (
            Ambiguous("it could mean %(actions)s", EITHER, actions="choose lyre or play lyre"),
            "it could mean choose lyre or play lyre",
            "dat kan betekenen: kies harp of speel harp",
        ),
        (
            Unreadable("say draw alone", ("choose", "march", "play")),
            "say draw alone; did you mean choose, march or play?",
            "schrijf alleen “trek”; bedoelde je choose, march of play?",
        ),
    ],
)
def test_a_refusal_is_said_in_both_languages(refused: ActionRefused, english: str, dutch: str) -> None:
    assert explain_refusal(refused) == english
    with use_locale(Locale("nl")):
        assert explain_refusal(refused) == dutch


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


NOW = datetime(2026, 8, 5, 8, tzinfo=UTC)


@pytest.mark.parametrize("within", HABITS)
def test_a_habit_is_a_sentence_of_its_own(within: timedelta) -> None:
    with use_locale(Locale("en", "Europe/Amsterdam")):
        habit = say("time.next_turn", outlook=TurnOutlook(habit=Habit("Ben", within)), now=NOW)
        latest = datetime(2026, 8, 20, 9, 20, tzinfo=UTC)
        known = TurnOutlook(latest=latest, habit=Habit("Ben", within))
        both = say("time.next_turn", outlook=known, now=NOW)
    assert habit.startswith("Ben mostly answers within ")
    assert both == f"Your turn: by Thu 20 August at the latest. {habit}"


def test_a_question_is_answered_where_nothing_is_known() -> None:
    with use_locale(Locale("en")):
        unknown, soon = (
            say("time.answer_when", outlook=one, now=NOW)
            for one in (TurnOutlook(), TurnOutlook(is_immediate=True))
        )
    assert unknown == "There is no telling yet when your turn comes."
    assert "as soon as the house" in soon


# --- requests: never mistaken for orders ---------------------------------------------------------------


def test_no_request_is_an_order_or_said_to_others() -> None:
    for phrase in (*LEXICON.shown, "?", "rules 5.9", "rules 5", "regel 5.9", "history 20"):
        assert not is_chat(phrase)
        with pytest.raises(ActionRefused):
            parse(phrase, BOARD, {"1": "C5", "5": "draw"})


def test_no_request_is_a_word_of_the_game_or_begins_one() -> None:
    """Orders may be shortened to the beginning of a word."""
    of_orders = {*VOCABULARY.verbs, *VOCABULARY.symbols}
    named = {name.casefold() for name in (*BOARD.places, *BOARD.point_names)}
    for phrase in LEXICON.shown:
        assert phrase not in of_orders | named
        assert not [one for one in of_orders | named if one.startswith(phrase)], phrase
        assert len(phrase) > 2
    assert not {phrase for phrase in LEXICON.shown if phrase in VOCABULARY.small} - {"cards", "kaarten"}


def test_the_word_that_letters_name_asks_for_it(language: str) -> None:
    assert {*LEXICON.shown.values()} == set(RequestKind)
    for kind in RequestKind:
        assert parse_request(request_word(kind)) == Request(kind)
        assert re.fullmatch(r"[a-z]+( [a-z]+){0,2}", request_word(kind))


# --- how a game stands ----------------------------------------------------------------------------------

STORED = "three-players"
ORDERS = ("draw", "terug", "take lyre")


def seen(phase: Phase, me: int | None = 0, turn: int = 16) -> View:
    """A turn of the first player in this phase, as late in it as there is something to do."""
    begun = (one for one in stored_game(STORED).positions if one.table.turn == turn)
    found = [one for one in begun if one.table.phase is phase]
    return view([one for one in found if phase is not Phase.ACTIONS or one.table.actions_left][-1], me)


def over(me: int | None, winners: tuple[int, ...]) -> View:
    last = stored_game(STORED).positions[-1]
    return view(replace(last, table=last.table.but(winners=winners)), me)


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
    said = [standings.summarize_game(known) for known in moments]
    said.append(standings.board_alt_text(march, number_corners(march, None)))
    for land in standings.province_standings(seen(Phase.CARD)):
        mine = land.province.holder == seen(Phase.CARD).me
        said.append(f"{gettext('you') if mine else land.name}: {land.contents}")
    approved(f"standings.{language}.txt", "\n".join(said) + "\n")


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("names", first(1, [[*ORDERS], [*NASTY_NAMES[:3]]]))
@pytest.mark.parametrize("part", [0, *spread(2, range(1, 9))])
def test_nothing_said_of_a_game_is_an_order(names: tuple[str, ...], part: int) -> None:
    for position in [*stored_game(STORED).positions][part::9]:
        named = replace(position, table=position.table.but(names=names))
        for me in (0, 1, None):
            known = view(named, me)
            lines = [
                standings.summarize_game(known),
                standings.board_alt_text(known, number_corners(known, None)),
                *(row.guards for row in standings.player_standings(known)),
            ]
            if known.my_turn:
                lines.append(standings.describe_next_step(known))
            for land in standings.province_standings(known):
                lines += [land.name, land.contents]
            assert not any("\n" in line for line in lines)
            assert_no_orders(lines, known.table.board)
