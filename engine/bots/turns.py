"""Search for whole turns (card, march and actions); the judge rates each turn."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from operator import add
from typing import TypeVar

from engine import march_rules, rules
from engine.actions import Action, Choose, Draw, End, Levy, March, Occupy, Recall, Stay, Take, TakeOver
from engine.board import Board, Point, Space, corners
from engine.bots.judge import WEIGHTS, Counts, Judge, PositionFeatures, Weights
from engine.cards import EMPTY, ONE, SYMBOLS, Bag, Symbol
from engine.march_rules import ShortestPaths
from engine.notation.orders import write
from engine.position import GUARDS_PER_SEAT, Phase, Table, View
from engine.provinces import loser_share, split_extent

Candidate = TypeVar("Candidate", bound=Action)


def best_candidate(board: Board, judged: Iterable[tuple[float, Candidate]]) -> tuple[float, Candidate]:
    """Return the highest worth and its candidate; among equals, the canonical text decides."""
    return min(judged, key=lambda one: (-one[0], write(one[1], board)))


def some_marches(table: Table, spaces: tuple[Space, ...], most: int) -> Iterator[March]:
    """Yield up to `most` legal marches: one to each corner of each target, then a second to each, ..."""
    waiting = [
        (space, islice(ShortestPaths(table, corner), most)) for space in spaces for corner in corners(space)
    ]

    def in_turn() -> Iterator[March]:
        going = waiting
        while going:
            begun = [(space, next(ways, None), ways) for space, ways in going]
            yield from (March(space, path) for space, path, _ in begun if path is not None)
            going = [(space, ways) for space, path, ways in begun if path is not None]

    return islice(in_turn(), most)


def conquest_gain(judge: Judge, features: PositionFeatures, extent: int) -> float:
    """Return the worth that the judge's seat gains by occupying or taking over a province; 0 if it cannot."""
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
    """Return the occupation or takeover with the fewest guards, and the features after it."""
    loser, inside = _holder(features, extent)
    found = None if loser == judge.me else _find_cheapest(judge, features, extent, inside)
    if found is None:
        return None
    placed, hand = found
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
        given = choose_gift(judge.table, Bag((a, b, c, d, e)), standing[loser])
        sizes[loser] += len(given)
        action = TakeOver(guards, given)
    lands = features.lands - judge.land(extent, features.open_symbols, inside, loser)
    lands += judge.land(extent, features.open_symbols, placed, judge.me)
    after = features.but(
        hand=hand, standing=tuple(standing), incomes=tuple(incomes), sizes=tuple(sizes), lands=lands
    )
    return action, after


def _holder(features: PositionFeatures, extent: int) -> tuple[int | None, int]:
    for seat, guards in enumerate(features.standing):
        if inside := guards & extent:
            return seat, inside
    return None, 0


def _find_cheapest(
    judge: Judge, features: PositionFeatures, extent: int, inside: int
) -> tuple[int, Counts] | None:
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
    def kept(number: int) -> float:
        left = [held - wanted for held, wanted in zip(rest, here, strict=True)]
        left[number] += 1
        return judge.hand((left[0], left[1], left[2], left[3], left[4])) + (1.0 if left[number] else 0.0)

    return max((number for number, wanted in enumerate(here) if wanted), key=kept)


def _place_guards(features: PositionFeatures, judge: Judge, places: int, guards: list[int]) -> int:
    chosen = 0
    for mask, many in zip(judge.masks, guards, strict=True):
        for choice in (places & mask & features.open_symbols, places & mask & ~features.open_symbols):
            while many and choice:
                chosen |= choice & -choice
                choice &= choice - 1
                many -= 1
    return chosen


def choose_gift(table: Table, paid: Bag, standing: int) -> Bag:
    """Return the cards for the loser of a takeover (5.10), preferably cards that cannot levy.

    `standing` is the mask of the loser's guards.
    """
    useful = table.board.symbols_within(standing)
    return Bag.of(sorted(paid, key=lambda card: card in useful)[: loser_share(table, paid)])


MOST_CONQUESTS = 8
"""Maximum number of conquests tried as the first action."""

_Plan = tuple[float, tuple[Action, ...], PositionFeatures]


def plan_actions(
    judge: Judge, features: PositionFeatures, left: int, display: list[Symbol], supply: int
) -> Iterator[_Plan]:
    """Yield, for each possible first action, the best sequence of up to `left` actions."""
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
    """Return a levy with the most frequent usable hand card, and the features after it, or None."""
    symbols = [] if features.levied else judge.levy_symbols(features)
    if not symbols:
        return None
    number = max(symbols, key=lambda n: features.hand[n])
    scores = tuple(score + more for score, more in zip(features.scores, features.incomes, strict=True))
    over = max(scores) >= judge.table.edition.winning_score
    after = features.but(hand=changed(features.hand, number, -1), scores=scores, levied=True, over=over)
    return Levy(SYMBOLS[number]), after


def changed(hand: Counts, number: int, by: int) -> Counts:
    counts = [*hand]
    counts[number] += by
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def _cards(judge: Judge, features: PositionFeatures, left: int, display: list[Symbol], supply: int) -> _Plan:
    """Return the plan that takes the best cards with all remaining actions."""
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


MOST_PATHS = 48
"""Maximum number of paths to one corner that are examined."""
MOST_PLANNED = 24
"""Maximum number of marches for which actions are searched."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The remaining actions of a turn, their worth, and the features after them."""

    worth: float
    actions: tuple[Action, ...]
    after: PositionFeatures

    @property
    def march(self) -> March | None:
        return march_in(self.actions)


def march_in(actions: Iterable[Action]) -> March | None:
    return next((action for action in actions if isinstance(action, March)), None)


@dataclass(frozen=True, slots=True)
class CandidateMarch:
    begun: tuple[Action, ...]
    alexander: Point
    features: PositionFeatures
    promise: float


def best_turns(known: View, planned: int = MOST_PLANNED, weights: Weights = WEIGHTS) -> list[Turn]:
    """Return the turns found, the best first. Considers only the `planned` most promising marches."""
    judge = Judge(known, weights)
    features, table = judge.features_now(known), known.table
    if table.phase is Phase.ACTIONS:
        found = list(_finish(judge, features, table.actions_left, list(table.display), known.supply_size))
    else:
        ways = _choose_ways(judge, _list_marches(known, judge, features), planned)
        found = [turn for way in ways for turn in _plan_way(known, judge, way)]
        found = found or list(_stay(known, judge, features))
    return sorted(found, key=lambda turn: -turn.worth)


def until_reveal(known: View, turn: Turn) -> tuple[Action, ...]:
    """Return the actions of a turn up to and including the first that reveals a card (8.3)."""
    for number, action in enumerate(turn.actions, start=1):
        if isinstance(action, Draw) or (isinstance(action, Choose) and known.supply_size):
            return turn.actions[:number]
    return turn.actions


def _choose_ways(judge: Judge, ways: Iterable[CandidateMarch], planned: int) -> list[CandidateMarch]:
    chosen: list[CandidateMarch] = []
    for way in sorted(ways, key=lambda way: -way.promise):
        if len(chosen) == planned and way.promise <= chosen[-1].promise:
            break  # exposure, which is never positive, cannot help the remaining marches
        exposed = way.promise + judge.exposure(way.features, way.alexander)
        insort(chosen, replace(way, promise=exposed), key=lambda way: -way.promise)
        del chosen[planned:]
    return chosen


def _list_marches(known: View, judge: Judge, features: PositionFeatures) -> Iterator[CandidateMarch]:
    table = known.table
    routes_to = cache(partial(routes, table))
    lay = cache(partial(_lay_walls, judge, features, table))
    for begun, hand, aims in _list_starts(known):
        held, goals = features.but(hand=hand), dict[Point, Space]()
        for space in aims:
            for corner in corners(space):
                goals.setdefault(corner, space)
        judged = {extent: conquest_gain(judge, held, extent) for extent in held.extents}
        gains = {extent: gain for extent, gain in judged.items() if gain > 0}
        seen: dict[int, tuple[PositionFeatures, float]] = {}
        for corner, space in goals.items():
            for fresh, path in routes_to(corner).items():
                if fresh not in seen:
                    after = lay(fresh).but(hand=hand)
                    seen[fresh] = after, _promise_after(judge, after, fresh, gains)
                yield CandidateMarch((*begun, March(space, path)), corner, *seen[fresh])


def _list_starts(known: View) -> Iterator[tuple[tuple[Action, ...], Counts, tuple[Space, ...]]]:
    """Yield each choice of the march card, the hand after it, and the targets of the march."""
    if known.table.phase is Phase.MARCH:
        yield (), known.hand.counts, march_rules.targets_of_chosen(known.table)
        return
    for choice in rules.card_choices(known):
        if isinstance(choice, Stay):
            return
        shown = isinstance(choice, Choose)
        hand = known.hand + ONE[choice.card] if shown else known.hand - ONE[choice.card]
        yield (choice,), hand.counts, march_rules.targets(known.table, choice.card, from_display=shown)


def routes(table: Table, corner: Point) -> dict[int, march_rules.Path]:
    """Return, for each possible mask of new walls, one shortest path to `corner` that builds these walls."""
    free, left = march_rules.free_sides(table), table.walls_left
    descents = table.board.descents(corner)
    ahead: dict[tuple[Point, int], march_rules.Path] = {(table.alexander, 0): (table.alexander,)}
    for _ in range(table.board.distances_from(corner)[table.alexander]):
        further: dict[tuple[Point, int], march_rules.Path] = {}
        for (point, laid), path in ahead.items():
            for step, bit in descents[point]:
                walls = laid if bit & free else laid | bit
                if (step, walls) not in further and walls.bit_count() <= left:
                    further[step, walls] = (*path, step)
        ahead = further
        if len(ahead) > MOST_PATHS:
            ahead = dict(list(further.items())[:: len(further) // MOST_PATHS + 1])
    return {laid: path for (_, laid), path in ahead.items()}


def _lay_walls(judge: Judge, features: PositionFeatures, table: Table, fresh: int) -> PositionFeatures:
    """Return the features after the walls of the mask `fresh` are built."""
    if not fresh:
        return features
    board, beside, walled = judge.board, judge.grid.beside(fresh), table.walled | fresh
    open_symbols = features.open_symbols & ~beside
    lands, incomes, extents = features.lands, list(features.incomes), list[int]()
    for extent in features.extents:
        seeds = extent & beside
        if not seeds:
            extents.append(extent)
            continue
        parts = split_extent(board, walled, extent, seeds)
        extents.extend(parts)
        lands -= judge.land_as_held(extent, features.open_symbols, features.standing)
        for part in parts:
            lands += judge.land_as_held(part, open_symbols, features.standing)
        if len(parts) > 1:
            _split_incomes(judge, features, incomes, extent, parts)
    return features.but(
        incomes=tuple(incomes),
        lands=lands,
        extents=tuple(extents),
        open_symbols=open_symbols,
        last_turn=fresh.bit_count() > table.black,
    )


def _promise_after(judge: Judge, after: PositionFeatures, fresh: int, gains: dict[int, float]) -> float:
    beside = judge.grid.beside(fresh)
    now = {
        part: conquest_gain(judge, after, part) if part & beside else gains.get(part, 0.0)
        for part in after.extents
    }
    kept = {part: gain for part, gain in now.items() if gain > 0}
    return _promise(judge, after, kept) - judge.weights.wall * fresh.bit_count()


def _split_incomes(
    judge: Judge, features: PositionFeatures, incomes: list[int], extent: int, parts: tuple[int, ...]
) -> None:
    for seat, guards in enumerate(features.standing):
        if inside := guards & extent:
            if inside.bit_count() == 1:
                incomes[seat] -= (extent & judge.open).bit_count()
            for part in parts:
                if (guards & part).bit_count() == 1:
                    incomes[seat] += (part & judge.open).bit_count()
            return


def _promise(judge: Judge, features: PositionFeatures, gains: dict[int, float]) -> float:
    best = sorted(gains.values(), reverse=True)[:2]
    can_levy = not features.levied and bool(gains or judge.levy_symbols(features))
    more = max([(extent & judge.open).bit_count() for extent in gains], default=0)
    if features.last_turn:
        ended = judge.end(features.scores)
        return (max(ended, _end_by_levy(judge, features, more)) if can_levy else ended) + 0.1 * sum(best)
    if can_levy:
        best.append(judge.lead(features.incomes) + more - judge.weights.card)
    best += [judge.weights.card, judge.weights.card]
    promise = judge.worth(features) + sum(sorted(best, reverse=True)[:2])
    if (
        can_levy
        and max(map(add, features.scores, features.incomes)) + more >= judge.table.edition.winning_score
    ):
        return max(promise, _end_by_levy(judge, features, more))
    return promise


def _end_by_levy(judge: Judge, features: PositionFeatures, more: int) -> float:
    totals = list(map(add, features.scores, features.incomes))
    totals[judge.me] += more
    return judge.end(tuple(totals))


def _stay(known: View, judge: Judge, features: PositionFeatures) -> Iterator[Turn]:
    """Yield the turns without a march, which end the game (4.9)."""
    table = known.table
    for stay in rules.card_choices(known):
        assert isinstance(stay, Stay)
        taken = EMPTY if stay.card is None else ONE[stay.card]
        after, display = features.but(hand=(known.hand + taken).counts, last_turn=True), table.display - taken
        for turn in _finish(judge, after, table.edition.actions_per_turn, list(display), known.supply_size):
            yield Turn(turn.worth, (stay, *turn.actions), turn.after)


def _plan_way(known: View, judge: Judge, way: CandidateMarch) -> Iterator[Turn]:
    table, display, supply = known.table, list(known.table.display), known.supply_size
    if isinstance(way.begun[0], Choose):
        display.remove(way.begun[0].card)  # the replacement is unknown
        supply = supply - 1 if supply > 1 else len(table.discard)
    march = way.begun[-1]
    assert isinstance(march, March)
    walls = judge.weights.wall * len(march_rules.new_walls(table, march.path))
    for turn in _finish(judge, way.features, table.edition.actions_per_turn, display, supply):
        worth = turn.worth - walls
        if not (turn.after.over or turn.after.last_turn):
            worth += judge.exposure(turn.after, way.alexander)
        yield Turn(worth, (*way.begun, *turn.actions), turn.after)


def _finish(
    judge: Judge, features: PositionFeatures, left: int, display: list[Symbol], supply: int
) -> Iterator[Turn]:
    for worth, actions, after in plan_actions(judge, features, left, display, supply):
        ended = after.over or len(actions) == left
        yield Turn(worth, actions if ended else (*actions, End()), after)
