"""What to do after the march: all actions of a turn together.

A card that is drawn counts as what it is worth on the average, so draws stand last.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.actions import Action, Draw, Levy, Recall, Take
from engine.bots.cheapest_conquests import conquer
from engine.bots.judge import Counts, Judge, PositionFeatures
from engine.cards import SYMBOLS, Symbol
from engine.position import GUARDS_PER_SEAT

MOST_CONQUESTS = 8
"""Conquests with which a plan may begin."""

_Plan = tuple[float, tuple[Action, ...], PositionFeatures]
"""What it is worth, what is done, and what stands then."""


def plan_actions(
    judge: Judge, features: PositionFeatures, left: int, display: list[Symbol], supply: int
) -> Iterator[_Plan]:
    """For each thing with which the actions can begin the best that follows it."""
    yield _cards(judge, features, left, display, supply)
    if not left or features.over:
        return
    levied = levy(judge, features)
    if levied is not None:
        worth, actions, last = _cards(judge, levied[1], left - 1, display, supply)
        yield worth, (levied[0], *actions), last
    for action, after in _list_conquests_and_recalls(judge, features, left):
        plans = plan_actions(judge, after, left - 1, display, supply)
        worth, actions, last = max(plans, key=lambda plan: plan[0])
        yield worth, (action, *actions), last


def _list_conquests_and_recalls(
    judge: Judge, features: PositionFeatures, left: int
) -> list[tuple[Action, PositionFeatures]]:
    """The conquests and recalls worth a thought."""
    found = []
    for extent in features.extents:
        made = conquer(judge, features, extent)
        if made is not None:
            found.append((judge.worth(made[1]), made))
    found.sort(key=lambda one: -one[0])
    return [made for _, made in found[:MOST_CONQUESTS]] + list(_recalls(judge, features, left))


def _recalls(
    judge: Judge, features: PositionFeatures, left: int
) -> Iterator[tuple[Action, PositionFeatures]]:
    """Guards too many for their province, and any where none is in supply for what may follow."""
    own, grid = features.standing[judge.me], judge.grid
    scarce = left > 1 and own.bit_count() == GUARDS_PER_SEAT
    for extent in features.extents:
        inside = own & extent
        if not inside or (inside.bit_count() == 1 and not scarce):
            continue
        value = (extent & judge.open).bit_count()
        for space in grid.list_spaces(inside):
            bit = grid.space_bits[space]
            incomes = list(features.incomes)
            incomes[judge.me] += {1: -value, 2: value}.get(inside.bit_count(), 0)
            rest = inside ^ bit
            lands = features.lands - judge.land(extent, features.open_symbols, inside, judge.me)
            lands += judge.land(extent, features.open_symbols, rest, judge.me if rest else None)
            standing = list(features.standing)
            standing[judge.me] = own ^ bit
            yield (
                Recall(space),
                features.but(standing=tuple(standing), incomes=tuple(incomes), lands=lands),
            )


def levy(judge: Judge, features: PositionFeatures) -> tuple[Action, PositionFeatures] | None:
    """A levy with the card that is missed least."""
    symbols = [] if features.levied else judge.levy_symbols(features)
    if not symbols:
        return None
    number = max(symbols, key=lambda n: features.hand[n])
    scores = tuple(score + more for score, more in zip(features.scores, features.incomes, strict=True))
    over = max(scores) >= judge.table.edition.winning_score
    after = features.but(hand=changed(features.hand, number, -1), scores=scores, levied=True, over=over)
    return Levy(SYMBOLS[number]), after


def changed(hand: Counts, number: int, by: int) -> Counts:
    """The same cards with so many more of one symbol."""
    counts = [*hand]
    counts[number] += by
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def _cards(judge: Judge, features: PositionFeatures, left: int, display: list[Symbol], supply: int) -> _Plan:
    """The best cards to take with so many actions."""
    if features.over or features.last_turn or not left:
        return judge.worth(features), (), features
    key = features.hand, left, tuple(display), supply
    known = judge.takings.get(key)
    if known is None:
        known = judge.takings[key] = _take_cards(judge, features.hand, left, display, supply)
    drawn, actions, hand = known
    after = features.but(hand=hand)
    return judge.worth(after) + drawn, actions, after


def _take_cards(
    judge: Judge, hand: Counts, left: int, display: list[Symbol], supply: int
) -> tuple[float, tuple[Action, ...], Counts]:
    """The best cards to take: what drawn ones are worth on the average, the actions, and the hand then."""
    actions: list[Action] = []
    shown, drawn = list(display), 0.0
    for _ in range(left):
        now = judge.hand(hand)
        gains = [judge.hand(changed(hand, n, 1)) - now for n in range(len(SYMBOLS))]
        chance = sum(one * gain for one, gain in zip(judge.unseen, gains, strict=True)) if supply else -1.0
        taken = max(shown, key=lambda card: gains[SYMBOLS.index(card)], default=None)
        if taken is not None and gains[SYMBOLS.index(taken)] >= chance:
            hand = changed(hand, SYMBOLS.index(taken), 1)
            shown.remove(taken)
            actions.append(Take(taken))
        elif supply:
            drawn += chance
            supply -= 1
            actions.append(Draw())
    actions.sort(key=lambda action: isinstance(action, Draw))
    return drawn, tuple(actions), hand
