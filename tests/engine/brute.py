"""The rules once more, as plainly as they can be written and in another way: what the engine is held against.

Everything is tried and judged by itself, so it is fit for tiny boards only. Nothing of the engine is used
but the names of points and spaces, the corners of a space, and the plain facts of a position.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product

from engine.board import Board, Point, Space, corners
from engine.position import Position

ORDER = ["temple", "amphora", "horse", "lyre", "soldier"]


@cache
def neighbours(board: Board) -> dict[Point, set[Point]]:
    found: dict[Point, set[Point]] = {}
    for space in board.symbols:
        for point in corners(space):
            found.setdefault(point, set()).update(set(corners(space)) - {point})
    return found


@cache
def lengths(board: Board) -> dict[tuple[Point, Point], float]:
    """The distance between any two points, by Floyd and Warshall."""
    near = neighbours(board)
    far = {(a, b): 0 if a == b else 1 if b in near[a] else float("inf") for a in near for b in near}
    for middle, a, b in product(near, near, near):
        far[a, b] = min(far[a, b], far[a, middle] + far[middle, b])
    return far


@cache
def walks(board: Board, start: Point, steps: int) -> list[tuple[Point, ...]]:
    if not steps:
        return [(start,)]
    near = neighbours(board)
    return [(*walk, point) for walk in walks(board, start, steps - 1) for point in sorted(near[walk[-1]])]


class Judge:
    """What may be done in one position."""

    def __init__(self, now: Position) -> None:
        self.now, self.table, self.board = now, now.table, now.table.board
        self.me = self.table.seat
        self.hand = Counter(str(card) for card in now.hands[self.me])
        self.display = Counter(str(card) for card in self.table.display)
        self.walls = {frozenset(wall) for wall in self.table.walls}
        self.owner = {space: seat for seat, placed in enumerate(self.table.guards) for space in placed}
        self.symbol = {space: str(symbol) for space, symbol in self.board.symbols.items() if symbol}
        self.left = self.table.black + self.table.red

    def legal(self) -> set[str]:
        phase = str(self.table.phase)
        if phase == "card":
            return set(self._cards())
        if phase == "march":
            chosen = str(self.table.chosen)
            joker = not any(self._empty(space) for space, symbol in self.symbol.items() if symbol == chosen)
            return set(self._marches(self._targets(chosen, joker=joker)))
        return {*self._simple(), *self._conquests()} if phase == "actions" else set()

    # --- cards and marches ---

    def _cards(self) -> Iterator[str]:
        choices = []
        for card in self.display:
            wanting = [card] if self.table.edition.joker_alone else list(self.display)
            joker = not any(self._empty(space) for space, symbol in self.symbol.items() if symbol in wanting)
            if any(self._marches(self._targets(card, joker=joker))):
                choices.append(f"choose {card}")
        choices += [f"play {c}" for c in self.hand if any(self._marches(self._targets(c, joker=False)))]
        if choices:
            yield from choices
        elif self.display:
            yield from (f"stay {card}" for card in self.display)
        else:
            yield "stay"

    def _empty(self, space: Space) -> bool:
        points = corners(space)
        walled = any(frozenset(pair) in self.walls for pair in combinations(points, 2))
        return not walled and space not in self.owner and self.table.alexander not in points

    def _targets(self, card: str, *, joker: bool) -> list[Space]:
        far = lengths(self.board)
        found = []
        for symbol in ORDER if joker else [card]:
            empty = [space for space, borne in self.symbol.items() if borne == symbol and self._empty(space)]
            away = {space: min(far[self.table.alexander, p] for p in corners(space)) for space in empty}
            found += [space for space in empty if away[space] == min(away.values())]
        return found

    def _marches(self, targets: list[Space]) -> Iterator[str]:
        for space in targets:
            for corner in corners(space):
                steps = int(lengths(self.board)[self.table.alexander, corner])
                for walk in walks(self.board, self.table.alexander, steps):
                    if walk[-1] == corner and self._price(walk) <= self.left:
                        yield f"march {self.board.names[space]} {'-'.join(map(str, walk))}"

    def _price(self, walk: tuple[Point, ...]) -> int:
        walked = {frozenset(pair) for pair in pairwise(walk)} - self.walls
        if self.table.edition.rim_walls:
            return len(walked)
        return sum(sum(pair <= set(corners(space)) for space in self.board.symbols) == 2 for pair in walked)

    # --- actions ---

    def _simple(self) -> Iterator[str]:
        yield "end"
        if len(self.now.supply):
            yield "draw"
        yield from (f"take {card}" for card in self.display)
        standing = [space for space, seat in self.owner.items() if seat == self.me]
        yield from (f"recall {self.board.names[space]}" for space in standing)
        if not self.table.levied:
            yield from (f"levy {card}" for card in self.hand if card in {self.symbol[s] for s in standing})

    def province(self, space: Space) -> set[Space]:
        found = {space}
        while True:
            more = {
                other
                for other in self.board.symbols
                for inside in found
                if len(shared := set(corners(other)) & set(corners(inside))) == 2
                and frozenset(shared) not in self.walls
            }
            if more <= found:
                return found
            found |= more

    def _conquests(self) -> Iterator[str]:
        supply = 4 - sum(seat == self.me for seat in self.owner.values())
        seen: set[Space] = set()
        for first in self.symbol:
            if first in seen:
                continue
            province = self.province(first)
            seen |= province
            places = sorted(space for space in province if space in self.symbol)
            for many in range(1, supply + 1):
                for guards in combinations(places, many):
                    yield from self._conquest(places, guards)

    def _conquest(self, places: list[Space], guards: tuple[Space, ...]) -> Iterator[str]:
        holders = {self.owner[space] for space in places if space in self.owner}
        if self.me in holders:
            return
        paid = Counter(self.symbol[space] for space in places if space not in guards)
        for space in places:
            if space in self.owner:
                paid[self.symbol[space]] += 2
        if paid - self.hand:
            return
        named = "+".join(self.board.names[space] for space in guards)
        if not holders:
            yield f"occupy {named}"
        elif len(self.table.names) == 2:
            yield f"takeover {named}"
        else:
            half = -(-sum(paid.values()) // 2)
            for given in combinations_with_replacement(ORDER, half):
                if not Counter(given) - paid:
                    yield f"takeover {named} give {'+'.join(given)}"


def universe(now: Position) -> Iterator[str]:
    """Every action anybody could think of on a tiny board, legal or not, as canonical text."""
    board = now.table.board
    yield from ("draw", "end", "stay")
    for verb, card in product(("choose", "play", "stay", "take", "levy"), ORDER):
        yield f"{verb} {card}"
    names = list(board.names.values())
    yield from (f"recall {name}" for name in names)
    for many in range(1, 5):
        for guards in combinations(names, many):
            yield f"occupy {'+'.join(guards)}"
            yield f"takeover {'+'.join(guards)}"
            for given in combinations_with_replacement(ORDER, many):
                yield f"takeover {'+'.join(guards)} give {'+'.join(given)}"
    for steps in range(4):
        for walk in walks(board, now.table.alexander, steps):
            yield from (f"march {name} {'-'.join(map(str, walk))}" for name in names)
