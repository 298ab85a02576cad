"""Worlds: positions that a view leaves possible, dealt at random from what its reader does not know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from engine.cards import DECK, SYMBOLS, Bag, Chance, Symbol
from engine.position import Position, View


@dataclass
class Dice:
    """Dice that fall by a seed, the same on every machine (splitmix64)."""

    state: int

    def throw(self, sides: int) -> int:
        """A number below `sides`."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        return (mixed ^ mixed >> 31) % sides

    def shuffle(self, cards: Sequence[Symbol]) -> list[Symbol]:
        """The cards in some order."""
        shuffled = list(cards)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.throw(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled


def dice_of(known: View, purpose: str = "") -> Dice:
    """Dice by what a reader knows and what they are for: the same view always gives the same."""
    table = known.table
    facts = (
        table.edition.name, table.turn, table.seat, str(table.phase), table.actions_left, table.levied,
        table.chosen, str(table.alexander), table.black, table.red, table.walled, table.standing,
        table.scores, table.display.counts, table.discard.counts, known.me, known.hand.counts,
        known.hand_sizes,
    )  # fmt: skip
    return Dice(int.from_bytes(sha256((repr(facts) + purpose).encode()).digest()[:8], "big"))


def deal_world(known: View, dice: Dice) -> tuple[Position, list[Symbol]]:
    """A position that the reader cannot tell from the true one, and the order in which cards will come."""
    table = known.table
    hidden = dice.shuffle(list(DECK - known.hand - table.display - table.discard))
    hands = []
    for seat, size in enumerate(known.hand_sizes):
        if seat == known.me:
            hands.append(known.hand)
        else:
            hands.append(Bag.of(hidden[:size]))
            del hidden[:size]
    return Position(table, tuple(hands), Bag.of(hidden)), hidden


def fall_in(order: Sequence[Symbol], dice: Dice) -> Chance:
    """Chance that deals cards in an order, and by dice once none of those is left (5.3)."""
    ahead = list(order)

    def chance(supply: Bag) -> Symbol:
        while ahead:
            card = ahead.pop(0)
            if card in supply:
                return card
        number = dice.throw(len(supply))
        for symbol in SYMBOLS:
            number -= supply[symbol]
            if number < 0:
                return symbol
        raise AssertionError("an empty supply deals nothing")

    return chance
