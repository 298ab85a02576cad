"""The letters beside choices: one for each that has words, in their order."""

from emails.wording.options import Option, OptionGroup
from emails.wording.questions import letter_of, letter_options, orders_by_letter

GROUPS = (
    OptionGroup("A", (Option("draw", "x"), Option("", "y"))),
    OptionGroup("B", (Option("end", "z"), Option("draw", "x"))),
)


def test_letters_go_on_after_z_with_two() -> None:
    letters = [letter_of(number) for number in range(26 * 27)]
    assert letters[:3] == ["a", "b", "c"]
    assert letters[25:29] == ["z", "aa", "ab", "ac"]
    assert letters[-1] == "zz"
    assert len(set(letters)) == len(letters)


def test_what_only_the_page_can_tell_has_no_letter_and_equal_words_have_the_same() -> None:
    assert orders_by_letter(GROUPS) == {"a": "draw", "b": "end"}
    titles = [one.title for group in letter_options(GROUPS) for one in group.choices]
    assert titles == ["a.\u00a0x", "y", "b.\u00a0z", "a.\u00a0x"]


def test_letters_can_begin_after_others() -> None:
    assert orders_by_letter(GROUPS, first=5) == {"f": "draw", "g": "end"}
    titles = [one.title for group in letter_options(GROUPS, first=25) for one in group.choices]
    assert titles == ["z.\u00a0x", "y", "aa.\u00a0z", "z.\u00a0x"]
