"""The numbers of a letter: what each stands for, and that text, HTML and picture agree about it."""

import re
from functools import cache

import pytest

from emails.i18n import Locale, use_locale
from emails.letters import letter_kinds
from emails.letters.contexts import GameLetterContext
from emails.letters.renderer import Letter
from emails.wording.option_numbers import number_options, orders_by_number
from emails.wording.options import Option, OptionGroup, list_options, number_corners
from engine.notation.grammar import read
from engine.notation.vocabulary import translate_orders
from tests.emails import sheets
from tests.emails.positions import BOARD
from tests.emails.specimens import (
    ABOUT_NO_GAME,
    ASKING,
    STORY,
    TONGUES,
    WAYS,
    letter,
    nodes,
    sheet,
)

STORED = ("two-players", "three-players")


@cache
def written(which: str) -> tuple[tuple[GameLetterContext, Letter, str], ...]:
    """A letter about each decision of a stored game, in one language after the other."""
    found = []
    for number, (at, seat) in enumerate((*sheets.turns(which), *sheets.actions(which))):
        made, language = sheets.sheet(which, at, seat), TONGUES[number % len(TONGUES)]
        with use_locale(Locale(language)):
            found.append((made, letter_kinds.render_your_turn(made), language))
    return tuple(found)


@pytest.mark.parametrize("which", STORED)
def test_before_the_march_each_number_of_the_picture_is_a_corner(which: str) -> None:
    for made, told, _ in written(which):
        if made.view.table.phase == "card":
            shown = re.findall(r'data-label="(\w+)"><circle[^>]*><text[^>]*>(\d+)<', told.pictures[0].svg)
            assert told.numbers == {number: point for point, number in shown}
            assert told.numbers == {number: str(point) for point, number in number_corners(made.view).items()}
            for number, point in told.numbers.items():
                assert f"{number} ({point})" in told.pictures[0].alt


@pytest.mark.parametrize("which", STORED)
def test_after_the_march_each_number_is_the_choice_beside_it_in_text_and_html(which: str) -> None:
    for made, told, language in written(which):
        if made.view.table.phase != "actions":
            continue
        words = [one.words for group in list_options(made.view) for one in group.choices if one.words]
        assert told.numbers == {str(number): said for number, said in enumerate(words, 1)}
        shown = [found for words in nodes(told) if (found := re.match(r"(\d+)\.\s(.*)", words))]
        lines = told.text.splitlines()
        assert len(shown) >= min(20, len(words))
        for number, title in (found.groups() for found in shown):
            at = lines.index(f"  * {translate_orders(told.numbers[number], language)}")
            below = " ".join(" ".join(lines[at + 1 : at + 3]).split())
            assert below.startswith(f"{number}. {title}"[:60])


def test_what_a_number_stands_for_can_be_done() -> None:
    for which in STORED:
        for made, told, _ in written(which):
            if made.view.table.phase == "actions":
                for words in told.numbers.values():
                    read(words, made.view)


def test_in_the_march_the_corners_are_numbered_too() -> None:
    at = next(at for at, one in enumerate(STORY.positions, 1) if one.table.phase == "march")
    seat = STORY.positions[at - 1].table.seat
    made = letter_kinds.render_step(STORY.letter_context(at, seat))
    assert made.numbers
    assert set(made.numbers.values()) <= {str(point) for point in BOARD.steps}


def test_only_who_is_to_move_has_numbers() -> None:
    for name in WAYS:
        moves = sheet(name).view.my_turn and not name.startswith("stopped")
        assert bool(letter(name).numbers) == moves, name
    for name in ("invitation", "accepted", "stopped-invitation", *ABOUT_NO_GAME):
        assert not letter(name).numbers


@pytest.mark.parametrize("language", TONGUES)
def test_the_letter_says_that_a_number_is_an_answer(language: str) -> None:
    listed = {"en": "with a number from the list below", "nl": "met een nummer uit de lijst hieronder"}
    corner = {"en": "or with the number of a corner", "nl": "of met het nummer van een hoek"}
    meaning = {"en": "A number means what bears it", "nl": "Een nummer betekent wat dat nummer draagt"}
    for name in WAYS:
        if sheet(name).view.my_turn and not name.startswith("stopped"):
            made, offers = letter(name, language), sheet(name).view.table.phase == "actions"
            for part in (" ".join(made.text.split()), " ".join(nodes(made))):
                assert part.count(meaning[language]) == 1
                assert part.count(listed[language]) == (offers and name not in ASKING)
                assert part.count(corner[language]) == (not offers and name not in ASKING)


def test_what_only_the_page_can_tell_has_no_number_and_equal_words_have_the_same() -> None:
    groups = (
        OptionGroup("A", (Option("draw", "x"), Option("", "y"))),
        OptionGroup("B", (Option("end", "z"),)),
    )
    assert orders_by_number(groups) == {"1": "draw", "2": "end"}
    titles = [one.title for group in number_options(groups) for one in group.choices]
    assert titles == ["1.\u00a0x", "y", "2.\u00a0z"]
