"""Questions and choices that a letter or a number answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import assert_never

from emails.wording import options
from emails.wording.options import Option, OptionGroup, heading_for_card
from engine import march_rules
from engine.actions import (
    Action,
    Ambiguous,
    Choose,
    Draw,
    End,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
    TakeOver,
)
from engine.cards import EMPTY
from engine.notation.orders import write
from engine.position import View
from engine.provinces import find_siege, province_to_conquer


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


MOST_OPTIONS = 6
"""Choices of one question: what can be read at a glance."""


@dataclass(frozen=True, slots=True)
class OrderQuestion:
    """What words can mean."""

    choices: tuple[Option, ...]
    """At most `MOST_OPTIONS`. The words of each are all orders of the mail, with this meaning filled in."""
    more: bool
    """Whether they can mean other things too."""
    common: str = ""
    """What is to be said of all choices, once: a sentence without its stop, or nothing."""


def ask_which(refusal: Ambiguous, known: View, before: Sequence[str], rest: Sequence[str]) -> OrderQuestion:
    """What a refused line can mean, in the language spoken.

    `known` is what its writer knows when the line is read; `before` and `rest` are the orders of the mail
    that stand before and after it, in canonical English.
    """
    shown = refusal.candidates[:MOST_OPTIONS]
    takeovers = [one for one in shown if isinstance(one, TakeOver)]
    if len(takeovers) == len(shown) and len({one.guards for one in takeovers}) == 1:
        found, common = [_option_by_gift(known, one) for one in takeovers], _common_cost(known, takeovers[0])
    else:
        found, common = [_option_of(known, one) for one in shown], ""
    meant = tuple(replace(one, words="; ".join((*before, one.words, *rest))) for one in found)
    more = refusal.more or len(shown) < len(refusal.candidates)
    return OrderQuestion(meant, more, common)


def _option_of(known: View, action: Action) -> Option:
    """One meaning: what it is and what it would bring about."""
    table = known.table
    title, detail = "", ""
    match action:
        case March():
            corner, between = action.path[-1], action.path[1:-1]
            title = options.add_waypoints(options.corner_title(table, (action.target,), corner, ""), between)
            detail = options.march_detail(known, march_rules.outcome_of(table, action.path), known.hand)
        case Occupy() | TakeOver():
            title, detail = options.placement_title(table, action.guards), _conquest_detail(known, action)
        case Choose() | Play():
            title = heading_for_card(table, action)
        case Stay():
            title = options.stay_title(action.card)
        case Levy():
            title, detail = options.levy_title(action.card), options.action_detail(known, action)
        case Recall():
            title, detail = (
                options.recall_title(table, action.place),
                options.action_detail(known, action),
            )
        case Draw() | Take() | End():
            title, detail = options.action_title(table, action), options.action_detail(known, action)
        case _:
            assert_never(action)
    return Option(write(action, table.board), title, detail)


def _option_by_gift(known: View, action: TakeOver) -> Option:
    """One of several ways to take over a province that differ only in the cards its holder gets."""
    table = known.table
    loser = province_to_conquer(table, table.seat, action.guards).holder
    assert loser is not None
    return Option(write(action, table.board), options.gift_detail(table, loser, action.given))


def _common_cost(known: View, action: TakeOver) -> str:
    """What a take-over costs and brings, whatever is given to the holder."""
    title = options.placement_title(known.table, action.guards)
    return f"{title}: {_conquest_detail(known, replace(action, given=EMPTY))}"


def _conquest_detail(known: View, action: Occupy | TakeOver) -> str:
    """What getting a province costs and gives; nothing where it cannot be had."""
    table = known.table
    province = province_to_conquer(table, table.seat, action.guards)
    siege = find_siege(table, table.seat, known.hand, province)
    if siege is None:
        return ""
    given = action.given if isinstance(action, TakeOver) else EMPTY
    return options.conquest_detail(known, siege, action.guards, siege.price(table, action.guards), given)


# --- kept until its letter is written -------------------------------------------------------------------


def encode_question(question: OrderQuestion) -> dict[str, object]:
    """A question as JSON has it."""
    return {
        "choices": [[one.words, one.title, one.detail] for one in question.choices],
        "more": question.more,
        "common": question.common,
    }


def decode_question(kept: Mapping[str, object]) -> OrderQuestion:
    """The question that was encoded so."""
    rows = kept["choices"]
    assert isinstance(rows, list)
    found = tuple(Option(str(words), str(title), str(detail)) for words, title, detail in rows)
    return OrderQuestion(found, kept["more"] is True, str(kept["common"]))
