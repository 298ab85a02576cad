"""What the numbers beside the meanings of a question stand for, so that a number alone can be its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from emails.wording.options import Option, OptionGroup


def orders_by_number(groups: Sequence[OptionGroup]) -> dict[str, str]:
    """For each number, from 1 through all groups, the words of a choice; one without words has none."""
    words = dict.fromkeys(one.words for group in groups for one in group.choices if one.words)
    return {str(number): order for number, order in enumerate(words, 1)}


def number_options(groups: Sequence[OptionGroup]) -> tuple[OptionGroup, ...]:
    """The same groups with these numbers before the titles of their choices."""
    by_words = {words: number for number, words in orders_by_number(groups).items()}
    return tuple(
        replace(
            group, choices=tuple(_prefix_number(by_words.get(one.words, ""), one) for one in group.choices)
        )
        for group in groups
    )


def _prefix_number(number: str, choice: Option) -> Option:
    """The space after a number does not break: a number alone on its line could be read as an answer."""
    return replace(choice, title=f"{number}.\u00a0{choice.title}") if number else choice
