"""The numbers of a letter: what each stands for, and that text, HTML and picture agree about it."""

import re
from dataclasses import replace
from functools import cache

import pytest

from emails.i18n import Locale, use_locale
from emails.letters import game_letters
from emails.letters.contexts import GameLetterContext
from emails.letters.renderer import Letter
from emails.wording.advice_text import list_turn_choices
from emails.wording.options import Option, OptionGroup, list_options
from emails.wording.questions import number_options, orders_by_number
from tests.breadth import first
from tests.emails import stored_games
from tests.emails.specimens import (
    ABOUT_NO_GAME,
    TONGUES,
    WAYS,
    letter,
    letter_context,
    nodes,
)
from tests.spoken import read, translate_orders

STORED = ("two-players", "three-players")


@cache
def written(which: str) -> tuple[tuple[GameLetterContext, Letter, str], ...]:
    """A letter about each decision of a stored game, in one language after the other."""
    found = []
    for number, (at, seat) in enumerate((*stored_games.turns(which), *stored_games.actions(which))):
        made, language = stored_games.letter_context(which, at, seat), TONGUES[number % len(TONGUES)]
        with use_locale(Locale(language)):
            whole = replace(made, everything=True)
            found.append((made, game_letters.render_your_turn(whole), language))
    return tuple(found)


@pytest.mark.parametrize("which", first(1, STORED))
def test_each_letter_of_the_picture_is_the_corner_where_its_turn_ends(which: str) -> None:
    for made, told, _ in written(which):
        shown = re.findall(r'data-label="(\w+)"><circle[^>]*><text[^>]*>([a-z ]+)<', told.pictures[0].svg)
        corners = {letter: point for point, letters in shown for letter in letters.split()}
        turns = {one: words for one, words in told.choices.items() if one in "abcde"}
        assert (
            corners.items()
            <= {
                one: words.partition("march ")[2].partition(";")[0].split()[-1].rpartition("-")[2]
                for one, words in turns.items()
                if "march " in words
            }.items()
        )
        assert made.view.my_turn


@pytest.mark.parametrize("which", first(1, STORED))
def test_whoever_wants_everything_has_a_letter_beside_each_choice_in_text_and_html(which: str) -> None:
    for made, told, language in written(which):
        turns = list_turn_choices(made.view, made.suggestions)
        words = [one.words for group in list_options(made.view) for one in group.choices if one.words]
        assert [*told.choices.values()][-len(words) :] == words
        shown = [found for words in nodes(told) if (found := re.match(r"([a-z]{1,2})\.\s(.*)", words))]
        lines = told.text.splitlines()
        assert len(shown) >= min(20, len(words))
        for name, title in (found.groups() for found in shown[len(turns) :]):
            at = lines.index(f"  * {translate_orders(told.choices[name], language)}")
            below = " ".join(" ".join(lines[at + 1 : at + 3]).split())
            assert below.startswith(f"{name}. {title}"[:50])


@pytest.mark.parametrize("which", first(1, STORED))
def test_what_a_letter_stands_for_can_be_begun(which: str) -> None:
    for made, told, _ in written(which):
        for words in told.choices.values():
            read(words.partition("; ")[0], made.view)


def test_only_who_is_to_move_has_numbers() -> None:
    for name in WAYS:
        moves = letter_context(name).view.my_turn and not name.startswith(("stopped", "message"))
        assert bool(letter(name).choices) == moves, name
    for name in ("invitation", "accepted", "stopped-invitation", *ABOUT_NO_GAME):
        assert not letter(name).choices


@pytest.mark.parametrize("language", TONGUES)
def test_the_letter_says_that_a_letter_is_an_answer(language: str) -> None:
    listed = {"en": "Reply with a letter", "nl": "Antwoord met een letter"}[language]
    for name in ("your_turn", "step", "reminder", "digest-turn", "your_turn-everything"):
        assert listed in " ".join(letter(name, language).text.split())


def test_what_only_the_page_can_tell_has_no_number_and_equal_words_have_the_same() -> None:
    groups = (
        OptionGroup("A", (Option("draw", "x"), Option("", "y"))),
        OptionGroup("B", (Option("end", "z"),)),
    )
    assert orders_by_number(groups) == {"1": "draw", "2": "end"}
    titles = [one.title for group in number_options(groups) for one in group.choices]
    assert titles == ["1.\u00a0x", "y", "2.\u00a0z"]
