"""Questions and choices that are answered by a number or by a letter of the alphabet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from string import ascii_lowercase

from emails.wording import options
from emails.wording.options import Option, OptionGroup
from engine.actions import Ambiguous, TakeOver
from engine.cards import EMPTY
from engine.position import View


def letter_of(number: int) -> str:
    """Return the letter of the choice with an index from 0: a to z, then aa, ab and so on."""
    rest, last = divmod(number, len(ascii_lowercase))
    return (letter_of(rest - 1) if rest else "") + ascii_lowercase[last]


def orders_by_letter(groups: Sequence[OptionGroup], first: int = 0) -> dict[str, str]:
    """Map letters, from index `first` on, to the orders of choices; omits choices without orders."""
    return _label_orders(groups, map(letter_of, count(first)))


def letter_options(groups: Sequence[OptionGroup], first: int = 0) -> tuple[OptionGroup, ...]:
    """Prefix the titles of the choices with the letters of `orders_by_letter`."""
    return _prefix_titles(groups, orders_by_letter(groups, first))


def orders_by_number(groups: Sequence[OptionGroup]) -> dict[str, str]:
    """Map numbers from 1 to the orders of choices."""
    return _label_orders(groups, map(str, count(1)))


def number_options(groups: Sequence[OptionGroup]) -> tuple[OptionGroup, ...]:
    """Prefix the titles of the choices with the numbers of `orders_by_number`."""
    return _prefix_titles(groups, orders_by_number(groups))


def _label_orders(groups: Sequence[OptionGroup], labels: Iterable[str]) -> dict[str, str]:
    orders = dict.fromkeys(one.words for group in groups for one in group.choices if one.words)
    return dict(zip(labels, orders, strict=False))


def _prefix_titles(groups: Sequence[OptionGroup], orders: Mapping[str, str]) -> tuple[OptionGroup, ...]:
    # A no-break space joins label and title: a label alone on a line looks like an answer.
    prefixes = {words: f"{label}.\u00a0" for label, words in orders.items()}
    return tuple(
        replace(
            group,
            choices=tuple(
                replace(one, title=prefixes.get(one.words, "") + one.title) for one in group.choices
            ),
        )
        for group in groups
    )


MOST_OPTIONS = 6


@dataclass(frozen=True, slots=True)
class OrderQuestion:
    choices: tuple[Option, ...]
    more: bool
    common: str = ""
    """A fact that holds for all choices, as a sentence without full stop; may be empty."""


def ask_which(refusal: Ambiguous, known: View, before: Sequence[str], rest: Sequence[str]) -> OrderQuestion:
    """Ask which meaning of a refused line is right; `before` and `rest`: orders before and after the line."""
    shown = refusal.candidates[:MOST_OPTIONS]
    takeovers = [one for one in shown if isinstance(one, TakeOver)]
    found, common = [options.describe(known, one) for one in shown], ""
    if len(takeovers) == len(shown) and len({one.guards for one in takeovers}) == 1:
        same = options.describe(known, replace(takeovers[0], given=EMPTY))
        common = f"{same.title}: {same.detail}"
        found = [options.describe_gift(known, one) for one in takeovers]
    meant = tuple(replace(one, words="; ".join((*before, one.words, *rest))) for one in found)
    more = refusal.more or len(shown) < len(refusal.candidates)
    return OrderQuestion(meant, more, common)


def encode_question(question: OrderQuestion) -> dict[str, object]:
    return {
        "choices": [[one.words, one.title, one.detail] for one in question.choices],
        "more": question.more,
        "common": question.common,
    }


def decode_question(kept: Mapping[str, object]) -> OrderQuestion:
    rows = kept["choices"]
    assert isinstance(rows, list)
    found = tuple(Option(str(words), str(title), str(detail)) for words, title, detail in rows)
    return OrderQuestion(found, kept["more"] is True, str(kept["common"]))
