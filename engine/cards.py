"""The cards: five symbols, eleven cards of each, and unordered bags of cards (1.1, 1.2).

The supply is a bag too: each card is picked only when it is drawn, so no stored order can reveal it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

COPIES = 11
"""Cards of each symbol (1.2)."""


class Symbol(StrEnum):
    """The symbol of a card or space, in canonical order (1.1)."""

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
    """A multiset of cards: the count of each symbol in canonical order."""

    counts: tuple[int, int, int, int, int]

    def __init__(self, counts: tuple[int, int, int, int, int] = NONE) -> None:
        _set_counts(self, counts)

    @classmethod
    def of(cls, cards: Iterable[Symbol]) -> Bag:
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
        """Iterate over all cards, repeated ones included, in canonical order."""
        return iter([card for card, count in zip(SYMBOLS, self.counts, strict=True) for _ in range(count)])

    def __str__(self) -> str:
        """Format the cards like "temple+horse+horse"."""
        return "+".join(self)

    def kinds(self) -> tuple[Symbol, ...]:
        return tuple(symbol for symbol, count in zip(SYMBOLS, self.counts, strict=True) if count)

    def covers(self, other: Bag) -> bool:
        """True if every card of `other` is also in this bag."""
        a, b, c, d, e = self.counts
        v, w, x, y, z = other.counts
        return a >= v and b >= w and c >= x and d >= y and e >= z

    def __add__(self, other: Bag) -> Bag:
        a, b, c, d, e = self.counts
        v, w, x, y, z = other.counts
        return Bag((a + v, b + w, c + x, d + y, e + z))

    def __sub__(self, other: Bag) -> Bag:
        """Remove the cards of `other`; a negative count means that a card was missing."""
        a, b, c, d, e = self.counts
        v, w, x, y, z = other.counts
        return Bag((a - v, b - w, c - x, d - y, e - z))

    def handfuls(self, size: int) -> Iterator[Bag]:
        """Yield every bag of `size` cards that this bag covers."""
        for a, b, c, d in product(*(range(count + 1) for count in self.counts[:4])):
            rest = size - a - b - c - d
            if 0 <= rest <= self.counts[4]:
                yield Bag((a, b, c, d, rest))


# Sets the slot directly, twice as fast as the initialiser of a frozen dataclass.
_set_counts: Callable[[Bag, tuple[int, int, int, int, int]], None] = vars(Bag)["counts"].__set__

EMPTY = Bag()
DECK = Bag((COPIES, COPIES, COPIES, COPIES, COPIES))
"""All 55 cards (1.2)."""

ONE = {symbol: Bag.of([symbol]) for symbol in SYMBOLS}
"""For each symbol a bag with one such card."""

Chance = Callable[[Bag], Symbol]
"""A function that picks a card from a non-empty bag: in play a random card, in a replay the recorded card."""


def any_card(bag: Bag) -> Symbol:
    """Pick any card, to check whether an action is legal before the real card is known."""
    return bag.kinds()[0]
