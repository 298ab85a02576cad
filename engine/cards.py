"""The cards: five symbols, eleven cards of each, and bags of them (rules 1.1, 1.2).

A bag has no order. The supply is one too: a card is picked when it is drawn, so nobody, not even
the database, knows what comes next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

COPIES = 11
"""Cards of each symbol (1.2)."""


class Symbol(StrEnum):
    """What a card shows and a symbol space bears, in canonical order (1.1)."""

    TEMPLE = "temple"
    AMPHORA = "amphora"
    HORSE = "horse"
    LYRE = "lyre"
    SOLDIER = "soldier"


SYMBOLS = tuple(Symbol)
SYMBOL_INDEX = {symbol: index for index, symbol in enumerate(SYMBOLS)}


NONE = (0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True, init=False)
class Bag:
    """A multiset of cards: how many of each symbol, in canonical order."""

    counts: tuple[int, int, int, int, int]

    def __init__(self, counts: tuple[int, int, int, int, int] = NONE) -> None:
        _set_counts(self, counts)

    @classmethod
    def of(cls, cards: Iterable[Symbol]) -> Bag:
        """The bag that holds these cards."""
        counts = [0, 0, 0, 0, 0]
        for card in cards:
            counts[SYMBOL_INDEX[card]] += 1
        return cls((counts[0], counts[1], counts[2], counts[3], counts[4]))

    def __getitem__(self, symbol: Symbol) -> int:
        return self.counts[SYMBOL_INDEX[symbol]]

    def __contains__(self, symbol: Symbol) -> bool:
        return self.counts[SYMBOL_INDEX[symbol]] > 0

    def __len__(self) -> int:
        return sum(self.counts)

    def __bool__(self) -> bool:
        return self.counts != NONE

    def __iter__(self) -> Iterator[Symbol]:
        """Every card, repeated ones repeated, in canonical order."""
        return iter([card for card, count in zip(SYMBOLS, self.counts, strict=True) for _ in range(count)])

    def __str__(self) -> str:
        """Such as "temple+horse+horse", as orders name cards."""
        return "+".join(self)

    def kinds(self) -> tuple[Symbol, ...]:
        """Each symbol of which the bag holds at least one, once."""
        return tuple(symbol for symbol, count in zip(SYMBOLS, self.counts, strict=True) if count)

    def covers(self, other: Bag) -> bool:
        """Whether every card of `other` is in this bag too."""
        a, b, c, d, e = self.counts
        v, w, x, y, z = other.counts
        return a >= v and b >= w and c >= x and d >= y and e >= z

    def __add__(self, other: Bag) -> Bag:
        a, b, c, d, e = self.counts
        v, w, x, y, z = other.counts
        return Bag((a + v, b + w, c + x, d + y, e + z))

    def __sub__(self, other: Bag) -> Bag:
        """What is left without `other`; a count below zero means a card was not there."""
        a, b, c, d, e = self.counts
        v, w, x, y, z = other.counts
        return Bag((a - v, b - w, c - x, d - y, e - z))

    def handfuls(self, size: int) -> Iterator[Bag]:
        """Every bag of `size` cards that this one covers, each once."""
        for a, b, c, d in product(*(range(count + 1) for count in self.counts[:4])):
            rest = size - a - b - c - d
            if 0 <= rest <= self.counts[4]:
                yield Bag((a, b, c, d, rest))


# The slot itself: what a frozen dataclass writes by itself takes twice as long.
_set_counts: Callable[[Bag, tuple[int, int, int, int, int]], None] = vars(Bag)["counts"].__set__

EMPTY = Bag()
DECK = Bag((COPIES, COPIES, COPIES, COPIES, COPIES))
"""All 55 cards (1.2)."""

ONE = {symbol: Bag.of([symbol]) for symbol in SYMBOLS}
"""For each symbol the bag of that one card."""

Chance = Callable[[Bag], Symbol]
"""Whoever picks a card from a bag that is not empty: dice in play, a recorded card in replay."""


def any_card(bag: Bag) -> Symbol:
    """A chance that stands for a card nobody has seen, so that an action can be judged; nobody keeps it."""
    return bag.kinds()[0]
