"""How likely a rival comes to hold the cards that removing a guard costs, before the seat's next turn.

A guard goes for two cards of the symbol on which it stands (5.9), however marches split its province. A
rival has them in hand, takes one off the display to march with it, and others with the actions before the
take-over. What nobody can see is as likely to lie in one place as in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import comb

from engine.actions import Action, Choose, Take
from engine.cards import DECK, EMPTY, ONE, Bag, Symbol
from engine.position import Table, View

PRICE = 2
"""Cards of its symbol that remove a guard (5.9)."""


def takeover_chance(
    known: View,
    actions: Sequence[Action],
    after: Table,
    sizes: Sequence[int],
    given: Sequence[Bag],
    symbol: Symbol,
) -> float | None:
    """How likely a rival comes to hold the cards that remove a guard from this symbol; 0: nobody ever does.

    `actions` lead from what is `known` to the table `after`; `sizes` are those of the hands then, and `given`
    what rivals were handed on the way. None where the supply may run out before, and be made anew.
    """
    seats, most = len(sizes), known.table.edition.actions_per_turn
    if known.supply_size <= seats * (most + 1):
        return None
    shown = known.table.display
    for action in actions:
        if isinstance(action, Choose | Take):
            shown -= ONE[action.card]
    seen = known.hand + known.table.display + known.table.discard
    copies, unseen = DECK[symbol] - seen[symbol], len(DECK) - len(seen)
    lying, turned = shown[symbol], len(after.display) - len(shown)
    nobody = 1.0
    for step in range(1, seats):
        rival = (known.my_seat + step) % seats
        held = given[rival]
        picks = most - 1
        if seats == 2 and not after.guards_in_supply(rival):
            picks -= 1  # for a guard must be taken back first
        lack = PRICE - held[symbol]
        nobody *= 1 - _chance_at_turn(lack, lying, turned, copies, unseen, sizes[rival] - len(held), picks)
        # What lies on the display is another's to take, and what was handed over can be handed on.
        copies, unseen = copies + lying + held[symbol], unseen + len(shown) + len(held)
        shown, lying, turned = EMPTY, 0, len(after.display)
    return 1 - nobody


@cache
def _chance_at_turn(
    lack: int, lying: int, turned: int, copies: int, unseen: int, cards: int, picks: int
) -> float:
    """How likely a rival finds so many cards of a symbol in a turn.

    On the display are `lying` of them and `turned` unknown cards, in the hand so many unknown `cards`.
    """
    found = sum(
        chance
        * more
        * _chance_to_pick(
            lack - held, lying + open_, copies - open_ - held, unseen - turned - cards, picks, True
        )
        for open_, chance in _copy_chances(turned, copies, unseen)
        for held, more in _copy_chances(cards, copies - open_, unseen - turned)
    )
    return min(1.0, found)  # sums of fractions may come out a little above


def _copy_chances(drawn: int, copies: int, unseen: int) -> Iterator[tuple[int, float]]:
    """How many copies may be among so many cards drawn from the unseen ones, each with its chance."""
    for number in range(min(drawn, copies) + 1):
        ways = comb(copies, number) * comb(unseen - copies, drawn - number)
        if ways:
            yield number, ways / comb(unseen, drawn)


@cache
def _chance_to_pick(lack: int, lying: int, copies: int, unseen: int, picks: int, marches: bool) -> float:
    """How likely the cards that lack are found: one off the display for the march, then so many picks."""
    if lack <= 0:
        return 1.0
    if not marches and not picks:
        return 0.0
    taken = min(lying, 1)
    chance = 0.0
    for turned, likely in _copy_chances(1, copies, unseen) if unseen else [(0, 1.0)]:
        drawn = turned if not (marches or taken) else 0  # without one on display a card is drawn
        chance += likely * _chance_to_pick(
            lack - taken - drawn,
            lying - taken + turned - drawn,
            copies - turned,
            max(0, unseen - 1),
            picks - (not marches),
            False,
        )
    return chance
