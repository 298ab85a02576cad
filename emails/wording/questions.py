"""Which of several things is meant: the question that a letter asks, to be answered with a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from emails.wording import option_text
from emails.wording.options import Choice, heading
from engine import acting, marching
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
from engine.notation.grammar import write
from engine.position import View

MOST_ASKED = 6
"""Choices of one question: what can be read at a glance."""


@dataclass(frozen=True, slots=True)
class Question:
    """What words can mean."""

    choices: tuple[Choice, ...]
    """At most `MOST_ASKED`. The words of each are all orders of the mail, with this meaning filled in."""
    more: bool
    """Whether they can mean other things too."""
    common: str = ""
    """What is to be said of all choices, once: a sentence without its stop, or nothing."""


def question(refusal: Ambiguous, known: View, before: Sequence[str], rest: Sequence[str]) -> Question:
    """What a refused line can mean, in the language spoken.

    `known` is what its writer knows when the line is read; `before` and `rest` are the orders of the mail
    that stand before and after it, in canonical English.
    """
    shown = refusal.candidates[:MOST_ASKED]
    takeovers = [one for one in shown if isinstance(one, TakeOver)]
    if len(takeovers) == len(shown) and len({one.guards for one in takeovers}) == 1:
        found, common = [_by_gift(known, one) for one in takeovers], _price(known, takeovers[0])
    else:
        found, common = [_choice(known, one) for one in shown], ""
    meant = tuple(replace(one, words="; ".join((*before, one.words, *rest))) for one in found)
    more = refusal.more or len(shown) < len(refusal.candidates)
    return Question(meant, more, common)


def _choice(known: View, action: Action) -> Choice:
    """One meaning: what it is and what it would bring about."""
    table = known.table
    title, detail = "", ""
    match action:
        case March():
            corner, between = action.path[-1], action.path[1:-1]
            title = option_text.by(option_text.goal(table, (action.target,), corner, ""), between)
            detail = option_text.outcome(known, marching.outcome(table, action.path), known.hand)
        case Occupy() | TakeOver():
            title, detail = option_text.placement(table, action.guards), _conquest(known, action)
        case Choose() | Play():
            title = heading(table, action)
        case Stay():
            title = option_text.stay(action.card)
        case Levy():
            title, detail = option_text.taxes(action.card), option_text.detail(known, action)
        case Recall():
            title, detail = option_text.comes_back(table, action.place), option_text.detail(known, action)
        case Draw() | Take() | End():
            title, detail = option_text.title(table, action), option_text.detail(known, action)
        case _:
            assert_never(action)
    return Choice(write(action, table.board), title, detail)


def _by_gift(known: View, action: TakeOver) -> Choice:
    """One of several ways to take over a province that differ only in the cards its holder gets."""
    table = known.table
    loser = acting.besieged(table, table.seat, action.guards).holder
    assert loser is not None
    return Choice(write(action, table.board), option_text.gift(table, loser, action.given))


def _price(known: View, action: TakeOver) -> str:
    """What a take-over costs and brings, whatever is given to the holder."""
    title = option_text.placement(known.table, action.guards)
    return f"{title}: {_conquest(known, replace(action, given=EMPTY))}"


def _conquest(known: View, action: Occupy | TakeOver) -> str:
    """What getting a province costs and gives; nothing where it cannot be had."""
    table = known.table
    province = acting.besieged(table, table.seat, action.guards)
    siege = acting.siege(table, table.seat, known.hand, province)
    if siege is None:
        return ""
    given = action.given if isinstance(action, TakeOver) else EMPTY
    return option_text.conquest(known, siege, action.guards, siege.price(table, action.guards), given)


# --- kept until its letter is written -------------------------------------------------------------------


def encoded(question: Question) -> dict[str, object]:
    """A question as JSON has it."""
    return {
        "choices": [[one.words, one.title, one.detail] for one in question.choices],
        "more": question.more,
        "common": question.common,
    }


def decoded(kept: Mapping[str, object]) -> Question:
    """The question that was encoded so."""
    rows = kept["choices"]
    assert isinstance(rows, list)
    found = tuple(Choice(str(words), str(title), str(detail)) for words, title, detail in rows)
    return Question(found, kept["more"] is True, str(kept["common"]))
