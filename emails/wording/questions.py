"""Which of several things is meant: the question that a letter asks, to be answered with a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from emails.wording import option_text
from emails.wording.options import Option, heading_for_card
from engine import action_rules, march_rules
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
            title = option_text.add_waypoints(
                option_text.corner_title(table, (action.target,), corner, ""), between
            )
            detail = option_text.march_detail(known, march_rules.outcome_of(table, action.path), known.hand)
        case Occupy() | TakeOver():
            title, detail = option_text.placement_title(table, action.guards), _conquest_detail(known, action)
        case Choose() | Play():
            title = heading_for_card(table, action)
        case Stay():
            title = option_text.stay_title(action.card)
        case Levy():
            title, detail = option_text.levy_title(action.card), option_text.action_detail(known, action)
        case Recall():
            title, detail = (
                option_text.recall_title(table, action.place),
                option_text.action_detail(known, action),
            )
        case Draw() | Take() | End():
            title, detail = option_text.action_title(table, action), option_text.action_detail(known, action)
        case _:
            assert_never(action)
    return Option(write(action, table.board), title, detail)


def _option_by_gift(known: View, action: TakeOver) -> Option:
    """One of several ways to take over a province that differ only in the cards its holder gets."""
    table = known.table
    loser = action_rules.province_to_conquer(table, table.seat, action.guards).holder
    assert loser is not None
    return Option(write(action, table.board), option_text.gift_detail(table, loser, action.given))


def _common_cost(known: View, action: TakeOver) -> str:
    """What a take-over costs and brings, whatever is given to the holder."""
    title = option_text.placement_title(known.table, action.guards)
    return f"{title}: {_conquest_detail(known, replace(action, given=EMPTY))}"


def _conquest_detail(known: View, action: Occupy | TakeOver) -> str:
    """What getting a province costs and gives; nothing where it cannot be had."""
    table = known.table
    province = action_rules.province_to_conquer(table, table.seat, action.guards)
    siege = action_rules.find_siege(table, table.seat, known.hand, province)
    if siege is None:
        return ""
    given = action.given if isinstance(action, TakeOver) else EMPTY
    return option_text.conquest_detail(known, siege, action.guards, siege.price(table, action.guards), given)


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
