"""What was left out of an order and can be one thing only; where it can be several, some of them.

Marches are looked for by corners, and on the way to each the path with the fewest new walls first, so that a
far corner with millions of paths takes no longer than a near one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import islice, pairwise

from engine import action_rules, march_rules
from engine.actions import Action, Choose, Levy, March, Play, Recall, Take, TakeOver
from engine.cards import Symbol
from engine.lattice import Point, Space, corners, side
from engine.march_rules import Path
from engine.notation.orders import Order
from engine.position import Phase, Table, View
from engine.rules import card_choices

MOST_CANDIDATES = 6


def find_marches(table: Table, spaces: Iterable[Space], said: Order) -> list[March]:
    """Some marches to these spaces that end and pass as it is said.

    Enough to know whether there are more than `MOST_CANDIDATES`. Those to different corners come before
    several to one corner, and then those with the fewest new walls.
    """
    ways: dict[Point, list[tuple[int, Space, Path]]] = {}
    for space in spaces:
        for corner in corners(space):
            if said.can_end_on(corner):
                few = islice(cheapest_paths(table, corner, said.points_towards(corner)), MOST_CANDIDATES + 1)
                ways.setdefault(corner, []).extend((walls, space, path) for walls, path in few)
    ranked = [
        (rank, *way)
        for found in ways.values()
        for rank, way in enumerate(sorted(found, key=lambda one: one[0]))
    ]
    ranked.sort(key=lambda one: one[:2])
    return [March(space, path) for _, _, space, path in ranked]


def cheapest_paths(table: Table, corner: Point, points: Path) -> Iterator[tuple[int, Path]]:
    """The shortest paths to a corner that pass these points in order: those with few new walls first.

    Of equal ones the first is by its points in reading order. Lazily, and only those for which the walls left
    suffice (4.9).
    """
    far = table.board.distances_from(corner)
    here = table.alexander
    wanted = {far[point]: point for point in points}
    passed = [far[point] for point in points]
    if any(one <= other for one, other in pairwise(passed)):
        return
    steps = _steps(table, corner, wanted)
    if wanted.get(far[here], here) != here or max(passed, default=0) > far[here]:
        return
    left = _walls_ahead(table, corner, steps)
    if here not in left:
        return
    begun: list[tuple[int, Path, int]] = [(left[here], (here,), 0)]
    while begun and begun[0][0] <= table.walls_left:
        total, path, laid = heappop(begun)
        if path[-1] == corner:
            yield total, path
            continue
        for step in steps[path[-1]]:
            if step in left:
                spent = laid + march_rules.wall_cost(table, side(path[-1], step))
                heappush(begun, (spent + left[step], (*path, step), spent))


def _steps(table: Table, corner: Point, wanted: dict[int, Point]) -> dict[Point, tuple[Point, ...]]:
    """For each point on a shortest path the next ones; where one must be passed that is as near, it alone."""
    ways = march_rules.ShortestPaths(table, corner)
    far = table.board.distances_from(corner)
    found: dict[Point, tuple[Point, ...]] = {}
    ahead = [table.alexander]
    while ahead:
        point = ahead.pop()
        if point not in found and point != corner:
            found[point] = tuple(
                step for step in ways.next_points(point) if wanted.get(far[step], step) == step
            )
            ahead += found[point]
    return found


def _walls_ahead(table: Table, corner: Point, steps: dict[Point, tuple[Point, ...]]) -> dict[Point, int]:
    """The fewest walls that are laid from each point on; points from which nothing leads on are left out."""
    left = {corner: 0}
    far = table.board.distances_from(corner)
    for point in sorted(steps, key=lambda one: far[one]):
        costs = [
            march_rules.wall_cost(table, side(point, step)) + left[step]
            for step in steps[point]
            if step in left
        ]
        if costs:
            left[point] = min(costs)
    return left


def cards_for_march(known: View, said: Order) -> list[Action]:
    """The cards that can be chosen or played for a march as it is said (4.1)."""
    table = known.table
    found: list[Action] = []
    for action in card_choices(known):
        if isinstance(action, Choose | Play):
            spaces = march_rules.targets(table, action.card, from_display=isinstance(action, Choose))
            if any(
                _leads_somewhere(table, space, said)
                for space in spaces
                if not said.places or space in said.places
            ):
                found.append(action)
    return found


def _leads_somewhere(table: Table, space: Space, said: Order) -> bool:
    ends = filter(said.can_end_on, corners(space))
    return any(next(cheapest_paths(table, corner, said.points_towards(corner)), None) for corner in ends)


def actions_with_symbol(known: View, card: Symbol) -> list[Action]:
    """What a symbol alone can mean that can be done: a choice of a card, or an action with one."""
    table = known.table
    if table.phase is Phase.CARD:
        return [action for action in card_choices(known) if action.card is card]
    if table.phase is not Phase.ACTIONS:
        return []
    taken: list[Action] = [Take(card)] if card in table.display else []
    return [*taken, *(levy for levy in possible_levies(known) if levy == Levy(card))]


def possible_levies(known: View) -> list[Action]:
    """Every levy that can be done (5.11)."""
    return [Levy(card) for card in action_rules.levy_cards(known.table, known.table.seat, known.hand)]


def possible_recalls(known: View) -> list[Action]:
    """Every guard that can be taken back (5.13)."""
    return [Recall(place) for place in known.table.guards[known.table.seat]]


def possible_takeovers(known: View, guards: tuple[Space, ...]) -> Iterator[Action]:
    """Every way to take over a province with these guards that differ in the cards for the loser (5.10).

    Raises `Illegal` where it cannot be paid.
    """
    table = known.table
    province = action_rules.province_to_conquer(table, table.seat, guards)
    paid = action_rules.removal_cost(table, province) + action_rules.symbols_on(table, province.places)
    paid -= action_rules.symbols_on(table, guards)
    action_rules.check_payment(known.hand, paid, "5.9")
    choices = paid.handfuls(action_rules.loser_share(table, paid))
    return (TakeOver(guards, given) for given in choices)
