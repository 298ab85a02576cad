"""Whole turns: card, march and both actions together, each judged by what stands when all is done.

What is cut: of many shortest paths to one corner only so many are walked, only the marches that promise most
have their actions worked out, and of conquests only those with the fewest guards are thought of.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from operator import add

from engine import march_rules, rules
from engine.actions import Action, Choose, Draw, End, March, Stay
from engine.bots.action_plans import plan_actions
from engine.bots.cheapest_conquests import conquest_gain
from engine.bots.judge import Counts, Judge, PositionFeatures
from engine.bots.weights import Weights
from engine.cards import EMPTY, ONE, Symbol
from engine.lattice import Point, Space, corners
from engine.position import Phase, Table, View
from engine.provinces import split_extent

MOST_PATHS = 48
"""Paths to one corner that are looked at."""
MOST_PLANNED = 24
"""Marches of which the actions are worked out."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What is left of a turn, to be done in this order, and what it is worth."""

    worth: float
    actions: tuple[Action, ...]
    after: PositionFeatures


@dataclass(frozen=True, slots=True)
class CandidateMarch:
    """A march with one card, and what stands after it."""

    begun: tuple[Action, ...]
    alexander: Point
    """Where he stands then."""
    features: PositionFeatures
    promise: float
    """About what the best turn with it is worth."""


def best_turns(known: View, weights: Weights, planned: int = MOST_PLANNED) -> list[Turn]:
    """The turns worth most that the seat to move can do from here, the best first."""
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
    """What of a turn is done before a card is revealed (8.3): beyond that it may be thought over."""
    for number, action in enumerate(turn.actions, start=1):
        if isinstance(action, Draw) or (isinstance(action, Choose) and known.supply_size):
            return turn.actions[:number]
    return turn.actions


def _choose_ways(judge: Judge, ways: Iterable[CandidateMarch], planned: int) -> list[CandidateMarch]:
    """The ways that promise most.

    What the next march may do to them only takes from a promise, so it is asked only where it may matter.
    """
    chosen: list[CandidateMarch] = []
    for way in sorted(ways, key=lambda way: -way.promise):
        if len(chosen) == planned and way.promise <= chosen[-1].promise:
            break
        exposed = way.promise + judge.exposure(way.features, way.alexander)
        insort(chosen, replace(way, promise=exposed), key=lambda way: -way.promise)
        del chosen[planned:]
    return chosen


def _list_marches(known: View, judge: Judge, features: PositionFeatures) -> Iterator[CandidateMarch]:
    """Every march with every card, as far as it is looked at."""
    table = known.table
    ground = MarchInputs(
        judge, features, cache(partial(routes, table)), cache(partial(_lay_walls, judge, features, table))
    )
    if table.phase is Phase.MARCH:
        yield from _marches(ground, features.hand, (), march_rules.targets_of_chosen(table))
        return
    for choice in rules.card_choices(known):
        if isinstance(choice, Stay):
            return
        shown = isinstance(choice, Choose)
        hand = known.hand + ONE[choice.card] if shown else known.hand - ONE[choice.card]
        aims = march_rules.targets(table, choice.card, from_display=shown)
        yield from _marches(ground, hand.counts, (choice,), aims)


@dataclass(frozen=True, slots=True)
class MarchInputs:
    """What a search for marches needs, the same for every card; each route and set of walls is met once."""

    judge: Judge
    features: PositionFeatures
    routes: Callable[[Point], dict[int, march_rules.Path]]
    lay: Callable[[int], PositionFeatures]


def _marches(
    ground: MarchInputs, hand: Counts, begun: tuple[Action, ...], aims: tuple[Space, ...]
) -> Iterator[CandidateMarch]:
    """Every march to these spaces, with the hand that its card leaves."""
    judge, features = ground.judge, ground.features.but(hand=hand)
    goals: dict[Point, Space] = {}
    for space in aims:
        for corner in corners(space):
            goals.setdefault(corner, space)
    gains = {
        extent: gain for extent in features.extents if (gain := conquest_gain(judge, features, extent)) > 0
    }
    seen: dict[int, tuple[PositionFeatures, float]] = {}
    for corner, space in goals.items():
        for fresh, path in ground.routes(corner).items():
            if fresh not in seen:
                after = ground.lay(fresh).but(hand=hand)
                seen[fresh] = after, _promise_after(judge, after, fresh, gains)
            yield CandidateMarch((*begun, March(space, path)), corner, *seen[fresh])


def routes(table: Table, corner: Point) -> dict[int, march_rules.Path]:
    """For each set of new walls with which the corner can be reached one shortest path that lays it."""
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
    """What stands once these walls are laid."""
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
    """About what the best turn is worth once these walls are laid (`gains`: of conquests before)."""
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
    """About what the best turn from here is worth: the two best actions, without asking if both can be."""
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
    """What it is worth that the game ends with a levy, in which the seat scores so many points more."""
    totals = list(map(add, features.scores, features.incomes))
    totals[judge.me] += more
    return judge.end(tuple(totals))


def _stay(known: View, judge: Judge, features: PositionFeatures) -> Iterator[Turn]:
    """Turns in which Alexander cannot march: the game ends with them (4.9)."""
    table = known.table
    for stay in rules.card_choices(known):
        assert isinstance(stay, Stay)
        taken = EMPTY if stay.card is None else ONE[stay.card]
        after, display = features.but(hand=(known.hand + taken).counts, last_turn=True), table.display - taken
        for turn in _finish(judge, after, table.edition.actions_per_turn, list(display), known.supply_size):
            yield Turn(turn.worth, (stay, *turn.actions), turn.after)


def _plan_way(known: View, judge: Judge, way: CandidateMarch) -> Iterator[Turn]:
    """The turns with that march."""
    table, display, supply = known.table, list(known.table.display), known.supply_size
    if isinstance(way.begun[0], Choose):
        display.remove(way.begun[0].card)  # what is turned up instead is not known
        supply = supply - 1 if supply > 1 else len(table.discard)
    walls = judge.weights.wall * _count_new_walls(table, way)
    for turn in _finish(judge, way.features, table.edition.actions_per_turn, display, supply):
        worth = turn.worth - walls
        if not (turn.after.over or turn.after.last_turn):
            worth += judge.exposure(turn.after, way.alexander)
        yield Turn(worth, (*way.begun, *turn.actions), turn.after)


def _count_new_walls(table: Table, way: CandidateMarch) -> int:
    march = way.begun[-1]
    assert isinstance(march, March)
    return len(march_rules.new_walls(table, march.path))


def _finish(
    judge: Judge, features: PositionFeatures, left: int, display: list[Symbol], supply: int
) -> Iterator[Turn]:
    """The best actions from here to the end of the turn, for each thing with which they can begin."""
    for worth, actions, after in plan_actions(judge, features, left, display, supply):
        ended = after.over or len(actions) == left
        yield Turn(worth, actions if ended else (*actions, End()), after)
