"""Provinces: their extents and holders, and the actions with them (sections 5 and 6).

A large hand can allow a quarter of a million occupations and takeovers. They are therefore listed in
steps: affordable provinces, then spaces for guards, then cards to hand over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from engine.actions import Illegal, Occupy, TakeOver
from engine.board import Board, Space
from engine.cards import EMPTY, SYMBOLS, Bag, Symbol
from engine.position import Table


@dataclass(frozen=True, slots=True)
class Province:
    board: Board = field(repr=False)
    extent: int
    holder: int | None
    guarded: int
    """The mask of spaces with the holder's guards."""

    @property
    def spaces(self) -> tuple[Space, ...]:
        return self.board.grid.list_spaces(self.extent)

    @property
    def places(self) -> tuple[Space, ...]:
        return self.board.grid.list_spaces(self.extent & self.board.symbol_mask)

    @property
    def guards(self) -> tuple[Space, ...]:
        """The spaces with the holder's guards, in reading order."""
        return self.board.grid.list_spaces(self.guarded)

    @property
    def first(self) -> Space:
        """The first space in reading order, which identifies the province."""
        return self.board.grid.spaces[self.extent & -self.extent]

    @property
    def value(self) -> int:
        """The number of open spaces (5.5)."""
        return (self.extent & ~self.board.symbol_mask).bit_count()

    @property
    def scores(self) -> int:
        """The points in a levy: the value if exactly one guard is inside, else 0 (5.12)."""
        return self.value if self.guarded.bit_count() == 1 else 0


@lru_cache(maxsize=256)
def partition_board(board: Board, walled: int) -> tuple[int, ...]:
    """Return the mask of each province, in reading order of their first spaces."""
    rest, parts, fill = board.grid.whole, [], board.grid.fill
    while rest:
        part = fill(walled, rest & -rest)
        rest ^= part
        parts.append(part)
    return tuple(parts)


def split_extent(board: Board, walled: int, extent: int, seeds: int) -> tuple[int, ...]:
    """Return the masks of the parts into which new walls split a province, in reading order.

    `seeds` is a mask with at least one space of each part, for example all spaces beside the new walls (6.1).
    """
    rest, ahead, parts, fill = extent, seeds, [], board.grid.fill
    while ahead:
        part = fill(walled, ahead & -ahead, ahead)
        if not ahead & ~part:  # the remaining seeds are all in this part
            parts.append(rest)
            break
        rest ^= part
        ahead &= rest
        parts.append(part)
    return tuple(sorted(parts, key=lambda part: part & -part))


def make_province(table: Table, extent: int) -> Province:
    """Return the province with the mask `extent`, its holder and guards."""
    for seat, standing in enumerate(table.standing):
        if inside := standing & extent:
            return Province(table.board, extent, seat, inside)
    return Province(table.board, extent, None, 0)


def province_at(table: Table, space: Space) -> Province:
    grid = table.board.grid
    return make_province(table, grid.fill(table.walled, grid.space_bits[space]))


def provinces(table: Table) -> Iterator[Province]:
    return (make_province(table, extent) for extent in partition_board(table.board, table.walled))


def levy_gains(table: Table) -> tuple[int, ...]:
    """Return the points that each seat would score in a levy now (5.12)."""
    board, walled = table.board, table.walled
    return tuple([levy_gain(board, walled, standing) for standing in table.standing])


def levy_gain(board: Board, walled: int, standing: int) -> int:
    """Return the points that the guards on the mask `standing` would score in a levy."""
    total, fill = 0, board.grid.fill
    while standing:
        extent = fill(walled, standing & -standing)
        inside = standing & extent
        standing ^= inside
        if not inside & inside - 1:
            total += (extent & ~board.symbol_mask).bit_count()
    return total


MOST_LACKING = 4
"""Highest number of missing cards that a refusal lists one by one."""


def symbols_on(table: Table, places: tuple[Space, ...]) -> Bag:
    return table.board.symbols_within(table.board.grid.mask_spaces(places))


def removal_cost(table: Table, province: Province) -> Bag:
    """Return the cards that remove the holder's guards: for each guard two of the symbol below it (5.9)."""
    once = table.board.symbols_within(province.guarded)
    return once + once


def unguarded_price(table: Table, province: Province, guards: tuple[Space, ...]) -> Bag:
    board = table.board
    return board.symbols_within(province.extent & board.symbol_mask & ~board.grid.mask_spaces(guards))


@dataclass(frozen=True, slots=True)
class Siege:
    """A province that a seat can occupy or take over now, and its price (5.6, 5.9)."""

    province: Province
    removal: Bag
    """The cards that remove the holder's guards; none for a free province."""
    rest: Bag
    """The cards left in the hand after removing the guards."""
    most: int
    """The number of guards that the seat has in supply."""
    needed: Bag
    """For each symbol, how many spaces need a guard because the hand lacks the cards to pay instead."""

    @property
    def fewest_guards(self) -> int:
        return max(1, sum(self.needed.counts))

    @property
    def can_score(self) -> bool:
        """True if one guard suffices; with more the province scores nothing (5.12)."""
        return self.fewest_guards == 1

    def guard_places(self, table: Table) -> Iterator[tuple[Space, ...]]:
        """Yield each choice of guard spaces for which the hand has cards for all unguarded symbols (5.6)."""
        board, extent = table.board, self.province.extent
        grouped = [
            (board.grid.list_spaces(extent & bearing), need)
            for bearing, need in zip(board.symbol_masks, self.needed.counts, strict=True)
            if extent & bearing
        ]
        later = sum(self.needed.counts)
        chosen = _choose_by_symbol(grouped, 0, self.most, later)
        return (tuple(sorted(guards)) for guards in chosen if guards)

    def price(self, table: Table, guards: tuple[Space, ...]) -> Bag:
        return self.removal + unguarded_price(table, self.province, guards)


def _choose_by_symbol(
    grouped: list[tuple[tuple[Space, ...], int]], kind: int, left: int, later: int
) -> Iterator[tuple[Space, ...]]:
    places, need = grouped[kind]
    later -= need
    for many in range(need, min(len(places), left - later) + 1):
        if kind + 1 == len(grouped):
            yield from combinations(places, many)
            continue
        for chosen in combinations(places, many):
            for others in _choose_by_symbol(grouped, kind + 1, left - many, later):
                yield chosen + others


def loser_share(table: Table, paid: Bag) -> int:
    """Return the number of paid cards that the loser gets: half, rounded up; none with two players (5.10)."""
    return 0 if len(table.names) == 2 else (len(paid) + 1) // 2


def find_siege(table: Table, seat: int, hand: Bag, province: Province) -> Siege | None:
    """Return the way in which `seat` can occupy or take over `province`; None if impossible (5.5-5.9)."""
    board, most = table.board, table.guards_in_supply(seat)
    places = province.extent & board.symbol_mask
    if not places or province.holder == seat or not most or places.bit_count() > most + len(hand):
        return None
    price, rest = EMPTY, hand
    if province.holder is not None:
        price = removal_cost(table, province)
        if not hand.covers(price):
            return None
        rest = hand - price
    a, b, c, d, e = [
        max(0, (places & bearing).bit_count() - held)
        for bearing, held in zip(board.symbol_masks, rest.counts, strict=True)
    ]
    if a + b + c + d + e > most:
        return None
    return Siege(province, price, rest, most, Bag((a, b, c, d, e)))


def find_sieges(table: Table, seat: int, hand: Bag) -> Iterator[Siege]:
    """Yield every province that a seat can occupy or take over now, in reading order."""
    for province in provinces(table):
        found = find_siege(table, seat, hand, province)
        if found is not None:
            yield found


def conquests(table: Table, found: Siege) -> Iterator[Occupy | TakeOver]:
    for guards in found.guard_places(table):
        if found.province.holder is None:
            yield Occupy(guards)
        else:
            paid = found.price(table, guards)
            for given in paid.handfuls(loser_share(table, paid)):
                yield TakeOver(guards, given)


def levy_cards(table: Table, seat: int, hand: Bag) -> tuple[Symbol, ...]:
    """Return the hand cards with which a seat may levy taxes (3.2, 5.11)."""
    if table.levied:
        return ()
    standing = table.board.symbols_within(table.standing[seat])
    return tuple(card for card in hand.kinds() if card in standing)


def province_to_conquer(table: Table, seat: int, guards: tuple[Space, ...]) -> Province:
    """Return the province that contains all these spaces for guards; raises `Illegal` if there is none."""
    if not guards:
        raise Illegal("5.6", "at least one guard is needed")
    if len(set(guards)) < len(guards):
        raise Illegal("5.6", "there can be only one guard on a space")
    for place in guards:
        if place not in table.board.names:
            raise Illegal("5.6", "guards stand on symbol spaces only")
    province, bits = province_at(table, guards[0]), table.board.grid.space_bits
    name = table.board.names[guards[0]]
    for place in guards:
        if not bits[place] & province.extent:
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
    if not hand.covers(price):
        lacking = Bag.of(card for card in SYMBOLS for _ in range(price[card] - hand[card]))
        if len(lacking) > MOST_LACKING:
            raise Illegal(
                rule, "it takes %(price)s cards and the hand holds %(held)s", price=len(price), held=len(hand)
            )
        raise Illegal(rule, "the hand lacks %(cards)s to pay for it", cards=lacking)


def judge_occupation(table: Table, seat: int, hand: Bag, action: Occupy) -> Bag:
    """Check an occupation and return the cards that it costs; raises `Illegal` (5.5-5.8)."""
    province = province_to_conquer(table, seat, action.guards)
    if province.holder is not None:
        raise Illegal(
            "5.6",
            "that province is held by %(name)s: it must be taken over",
            name=table.display_name(province.holder),
        )
    paid = unguarded_price(table, province, action.guards)
    check_payment(hand, paid, "5.6")
    return paid


def judge_takeover(table: Table, seat: int, hand: Bag, action: TakeOver) -> tuple[Province, Bag]:
    """Check a takeover and return its province and all cards it costs; raises `Illegal` (5.9, 5.10)."""
    province = province_to_conquer(table, seat, action.guards)
    if province.holder is None:
        raise Illegal("5.9", "that province is free: it can be occupied")
    price = removal_cost(table, province)
    paid = price + unguarded_price(table, province, action.guards)
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
