"""The actions after the march (section 5): cards, provinces, taxes, guards.

Occupations are offered by steps: the provinces that can be paid for, then where guards may stand, then the
cards to hand over, each lazily, because a hoarded hand allows a quarter of a million combinations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from engine.actions import Illegal, Occupy, TakeOver
from engine.cards import EMPTY, SYMBOLS, Bag, Symbol
from engine.lattice import Space
from engine.position import GUARDS_PER_SEAT, Table
from engine.provinces import Province, province_at, provinces


def symbols_on(table: Table, places: tuple[Space, ...]) -> Bag:
    """The symbols these symbol spaces bear, as cards."""
    found = (table.board.symbols[place] for place in places)
    return Bag.of(symbol for symbol in found if symbol is not None)


def removal_cost(table: Table, province: Province) -> Bag:
    """The cards that remove the holder's guards: two matching each (5.9)."""
    once = symbols_on(table, province.guards)
    return once + once


@dataclass(frozen=True, slots=True)
class Siege:
    """A province a seat could occupy or take over now, and with what (5.6, 5.9)."""

    province: Province
    removal: Bag
    """Cards that remove the holder's guards; none for a free province."""
    rest: Bag
    """The hand once the removal is paid."""
    most: int
    """Guards in the seat's supply."""
    needed: Bag
    """For each symbol how many of its spaces need a guard: the rest of the hand cannot pay for them."""

    def guard_places(self, table: Table) -> Iterator[tuple[Space, ...]]:
        """Every choice of spaces for guards whose other symbol spaces can be paid (5.6), lazily."""
        grouped = [
            [place for place in self.province.places if table.board.symbols[place] is symbol]
            for symbol in SYMBOLS
        ]
        return (tuple(sorted(chosen)) for chosen in self._choose_by_symbol(grouped, 0, self.most) if chosen)

    def _choose_by_symbol(
        self, grouped: list[list[Space]], kind: int, left: int
    ) -> Iterator[tuple[Space, ...]]:
        if kind == len(SYMBOLS):
            yield ()
            return
        later = sum(self.needed.counts[kind + 1 :])
        for many in range(self.needed.counts[kind], min(len(grouped[kind]), left - later) + 1):
            for chosen in combinations(grouped[kind], many):
                for others in self._choose_by_symbol(grouped, kind + 1, left - many):
                    yield chosen + others

    def price(self, table: Table, guards: tuple[Space, ...]) -> Bag:
        """All cards played when guards go there: the removal and every other symbol space."""
        return self.removal + symbols_on(table, self.province.places) - symbols_on(table, guards)


def loser_share(table: Table, paid: Bag) -> int:
    """How many of the cards played the loser receives: half, rounded up; none with two players (5.10)."""
    return 0 if len(table.names) == 2 else (len(paid) + 1) // 2


def find_siege(table: Table, seat: int, hand: Bag, province: Province) -> Siege | None:
    """How `seat` could get `province`, or None where it cannot (5.5-5.9)."""
    most = table.guards_in_supply(seat)
    if (
        not province.places
        or province.holder == seat
        or not most
        or len(province.places) > GUARDS_PER_SEAT + len(hand)
    ):
        return None
    price = EMPTY if province.holder is None else removal_cost(table, province)
    if not hand.covers(price):
        return None
    rest = hand - price
    missing = symbols_on(table, province.places) - rest
    a, b, c, d, e = (max(0, count) for count in missing.counts)
    needed = Bag((a, b, c, d, e))
    return Siege(province, price, rest, most, needed) if len(needed) <= most else None


def find_sieges(table: Table, seat: int, hand: Bag) -> Iterator[Siege]:
    """Every province a seat could occupy or take over now, in reading order."""
    for province in provinces(table):
        found = find_siege(table, seat, hand, province)
        if found is not None:
            yield found


def conquests(table: Table, found: Siege) -> Iterator[Occupy | TakeOver]:
    """Every way to get one province, lazily."""
    for guards in found.guard_places(table):
        if found.province.holder is None:
            yield Occupy(guards)
        else:
            paid = found.price(table, guards)
            for given in paid.handfuls(loser_share(table, paid)):
                yield TakeOver(guards, given)


def levy_cards(table: Table, seat: int, hand: Bag) -> tuple[Symbol, ...]:
    """The hand cards with which a seat may levy taxes (3.2, 5.11)."""
    if table.levied:
        return ()
    standing = symbols_on(table, table.guards[seat])
    return tuple(card for card in hand.kinds() if card in standing)


def province_to_conquer(table: Table, seat: int, guards: tuple[Space, ...]) -> Province:
    """The one province in which a seat may put these guards; raises `Illegal`."""
    if not guards:
        raise Illegal("5.6", "at least one guard is needed")
    if len(set(guards)) < len(guards):
        raise Illegal("5.6", "there can be only one guard on a space")
    if any(place not in table.board.names for place in guards):
        raise Illegal("5.6", "guards stand on symbol spaces only")
    province = province_at(table, guards[0])
    name = table.board.names[guards[0]]
    for place in guards:
        if place not in province.places:
            raise Illegal(
                "5.6",
                "%(place)s and %(other)s do not lie in one province",
                place=name,
                other=table.board.names[place],
            )
    if province.holder == seat:
        raise Illegal("5.8", "%(place)s lies in a province you already hold", place=name)
    left = table.guards_in_supply(seat)
    if len(guards) > left:
        raise Illegal(
            "5.6",
            "%(guards)s guards are needed and %(left)s are in supply",
            guards=len(guards),
            left=left,
        )
    return province


def check_payment(hand: Bag, price: Bag, rule: str) -> None:
    """Refuse a price that the hand does not cover; raises `Illegal`."""
    if not hand.covers(price):
        lacking = Bag.of(card for card in SYMBOLS for _ in range(price[card] - hand[card]))
        raise Illegal(rule, "the hand lacks %(cards)s to pay for it", cards=lacking)


def judge_occupation(table: Table, seat: int, hand: Bag, action: Occupy) -> Bag:
    """What an occupation costs; raises `Illegal` (5.5-5.8)."""
    province = province_to_conquer(table, seat, action.guards)
    if province.holder is not None:
        raise Illegal(
            "5.6",
            "that province is held by %(name)s: it must be taken over",
            name=table.display_name(province.holder),
        )
    paid = symbols_on(table, province.places) - symbols_on(table, action.guards)
    check_payment(hand, paid, "5.6")
    return paid


def judge_takeover(table: Table, seat: int, hand: Bag, action: TakeOver) -> tuple[Province, Bag]:
    """The province taken over and all cards played; raises `Illegal` (5.9, 5.10)."""
    province = province_to_conquer(table, seat, action.guards)
    if province.holder is None:
        raise Illegal("5.9", "that province is free: it can be occupied")
    price = removal_cost(table, province)
    paid = price + symbols_on(table, province.places) - symbols_on(table, action.guards)
    check_payment(hand, paid, "5.9")
    due = loser_share(table, paid)
    if len(action.given) != due:
        raise Illegal(
            "5.10",
            "%(paid)s cards are played, so the loser receives %(due)s, not %(given)s",
            paid=len(paid),
            due=due,
            given=len(action.given),
        )
    if not paid.covers(action.given):
        raise Illegal("5.10", "the loser receives cards that are not among those played")
    return province, paid
