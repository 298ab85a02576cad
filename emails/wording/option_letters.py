"""What the letters beside choices stand for, so that a letter alone can be the answer to a mail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_lowercase

from emails.wording.options import Option, OptionGroup


def letter_of(number: int) -> str:
    """The letter of a choice by its number from 0: a to z, then aa, ab and so on."""
    rest, last = divmod(number, len(ascii_lowercase))
    return (letter_of(rest - 1) if rest else "") + ascii_lowercase[last]


def orders_by_letter(groups: Sequence[OptionGroup], first: int = 0) -> dict[str, str]:
    """For each letter through all groups the words of a choice; one without words has none.

    `first`: the number of the first letter, where others stand before it.
    """
    words = dict.fromkeys(one.words for group in groups for one in group.choices if one.words)
    return {letter_of(number): order for number, order in enumerate(words, first)}


def letter_options(groups: Sequence[OptionGroup], first: int = 0) -> tuple[OptionGroup, ...]:
    """The same groups with these letters before the titles of their choices."""
    by_words = {words: letter for letter, words in orders_by_letter(groups, first).items()}
    return tuple(
        replace(
            group, choices=tuple(_prefix_letter(by_words.get(one.words, ""), one) for one in group.choices)
        )
        for group in groups
    )


def _prefix_letter(letter: str, choice: Option) -> Option:
    """The space after a letter does not break: a letter alone on its line could be read as an answer."""
    return replace(choice, title=f"{letter}.\u00a0{choice.title}") if letter else choice
