"""Conquests: a province is had with the fewest guards, those that save the best cards."""

from __future__ import annotations

from engine import action_rules
from engine.actions import Action, Occupy, TakeOver
from engine.bots.judge import Counts, Judge, PositionFeatures
from engine.cards import SYMBOLS, Bag
from engine.position import GUARDS_PER_SEAT


def conquest_gain(judge: Judge, features: PositionFeatures, extent: int) -> float:
    """What it gains to conquer a province now; 0 where that cannot be."""
    own = features.standing[judge.me]
    if own & extent:
        return 0.0
    loser, inside = _holder(features, extent)
    key = (extent, features.hand, own.bit_count(), inside, features.open_symbols & extent)
    known = judge.conquest_gains.get(key)
    if known is None:
        known, found = 0.0, _find_cheapest(judge, features, extent, inside)
        if found is not None:
            placed, hand = found
            known = (
                judge.land(extent, features.open_symbols, placed, judge.me)
                - judge.land(extent, features.open_symbols, inside, loser)
                + judge.hand(hand) - judge.hand(features.hand)
                + judge.guards(own | placed) - judge.guards(own)
            )  # fmt: skip
        judge.conquest_gains[key] = known
    return known


def conquer(judge: Judge, features: PositionFeatures, extent: int) -> tuple[Action, PositionFeatures] | None:
    """The occupation or take-over of a province with the fewest guards, and what stands then."""
    loser, inside = _holder(features, extent)
    if loser == judge.me:
        return None
    found = _find_cheapest(judge, features, extent, inside)
    return None if found is None else _conquered(judge, features, extent, loser, inside, *found)


def _holder(features: PositionFeatures, extent: int) -> tuple[int | None, int]:
    """Who holds a province, and where their guards stand in it."""
    for seat, guards in enumerate(features.standing):
        if inside := guards & extent:
            return seat, inside
    return None, 0


def _find_cheapest(
    judge: Judge, features: PositionFeatures, extent: int, inside: int
) -> tuple[int, Counts] | None:
    """Where guards go and the hand that is left, worked out once; None: it cannot be had, or is of no use."""
    if not extent & judge.open:
        return None
    left = GUARDS_PER_SEAT - features.standing[judge.me].bit_count()
    key = (extent, features.hand, left, inside, features.open_symbols & extent)
    try:
        return judge.conquests[key]
    except KeyError:
        found = judge.conquests[key] = _price(judge, features, extent, inside, left)
        return found


def _price(
    judge: Judge, features: PositionFeatures, extent: int, inside: int, left: int
) -> tuple[int, Counts] | None:
    """Where the fewest guards for a province go, and the hand once it is paid; None: it cannot be had."""
    places = extent & judge.board.symbol_mask
    if not places or not left or places.bit_count() > left + sum(features.hand):
        return None
    here, rest, lacking = [], [], []
    for held, mask in zip(features.hand, judge.masks, strict=True):
        wanted, kept = (places & mask).bit_count(), held - 2 * (inside & mask).bit_count()
        if kept < 0:
            return None
        here.append(wanted)
        rest.append(kept)
        lacking.append(max(0, wanted - kept))
    if sum(lacking) > left:
        return None
    if not any(lacking):
        lacking[_best_guard(judge, here, rest)] = 1
    a, b, c, d, e = [kept - wanted + placed for kept, wanted, placed in zip(rest, here, lacking, strict=True)]
    return _place_guards(features, judge, places, lacking), (a, b, c, d, e)


def _best_guard(judge: Judge, here: list[int], rest: list[int]) -> int:
    """The symbol under the one guard: that which saves the best card and leaves one to levy with."""

    def kept(number: int) -> float:
        left = [held - wanted for held, wanted in zip(rest, here, strict=True)]
        left[number] += 1
        return judge.hand((left[0], left[1], left[2], left[3], left[4])) + (1.0 if left[number] else 0.0)

    return max((number for number, wanted in enumerate(here) if wanted), key=kept)


def _place_guards(features: PositionFeatures, judge: Judge, places: int, guards: list[int]) -> int:
    """The spaces for so many guards of each symbol: first those to which Alexander may be sent."""
    chosen = 0
    for mask, many in zip(judge.masks, guards, strict=True):
        for choice in (places & mask & features.open_symbols, places & mask & ~features.open_symbols):
            while many and choice:
                chosen |= choice & -choice
                choice &= choice - 1
                many -= 1
    return chosen


def _conquered(
    judge: Judge,
    features: PositionFeatures,
    extent: int,
    loser: int | None,
    inside: int,
    placed: int,
    hand: Counts,
) -> tuple[Action, PositionFeatures]:
    standing, incomes, sizes = [*features.standing], [*features.incomes], [*features.sizes]
    value = (extent & judge.open).bit_count()
    standing[judge.me] |= placed
    if not placed & placed - 1:
        incomes[judge.me] += value
    guards = judge.grid.list_spaces(placed)
    action: Action = Occupy(guards)
    if loser is not None:
        standing[loser] ^= inside
        if not inside & inside - 1:
            incomes[loser] -= value
        a, b, c, d, e = [held - left for held, left in zip(features.hand, hand, strict=True)]
        given = _choose_gift(judge, Bag((a, b, c, d, e)), standing[loser])
        sizes[loser] += len(given)
        action = TakeOver(guards, given)
    lands = features.lands - judge.land(extent, features.open_symbols, inside, loser)
    lands += judge.land(extent, features.open_symbols, placed, judge.me)
    after = features.but(
        hand=hand, standing=tuple(standing), incomes=tuple(incomes), sizes=tuple(sizes), lands=lands
    )
    return action, after


def _choose_gift(judge: Judge, paid: Bag, standing: int) -> Bag:
    """The cards to hand over (5.10): first those with which the loser cannot levy."""
    due = action_rules.loser_share(judge.table, paid)
    useful = {symbol for symbol, mask in zip(SYMBOLS, judge.masks, strict=True) if standing & mask}
    return Bag.of(sorted(paid, key=lambda card: card in useful)[:due])
