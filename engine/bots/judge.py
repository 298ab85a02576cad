"""The judge: estimates, in points, the worth of a position to a seat."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from operator import add, mul

from engine.actions import Action
from engine.board import Point
from engine.cards import COPIES
from engine.march_rules import closest_of_all
from engine.position import GUARDS_PER_SEAT, View
from engine.provinces import levy_gain, partition_board


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the judge; each is an amount in points unless its docstring says otherwise."""

    hold: float = 0.9
    """Worth per open space of a scoring province, for each levy still expected."""
    surplus: float = 0.35
    """Fraction of the worth that remains if a province has several guards and so scores nothing (5.12)."""
    open_symbol: float = 0.12
    """Deduction per open space of a province, times its symbol spaces without guard or wall (at most 3)."""
    siege: float = 0.5
    """Deduction per open space of any seat's province, multiplied by the probability of a takeover."""
    gift: float = 0.75
    """Deduction per open space of a free province, multiplied by the probability of a rival's occupation."""
    prospect: float = 0.37
    """Worth per open space of a free province, multiplied by this seat's probability of an occupation."""
    card: float = 2.0
    fading: float = 0.82
    """Worth of each further card of a symbol as a fraction of the previous card's worth."""
    rival_card: float = 0.6
    ready: float = 0.35
    """Worth per point that a levy gives this seat above the rivals' weighted mean, if this seat can levy."""
    guard: float = 4.0
    """Worth of the first guard in supply; each further guard is worth a third of the previous one."""
    wall: float = 0.15
    """Price of a wall built by the march."""
    exposed: float = 0.15
    """Deduction per open space of this seat's province, times the next march's targets in the province."""
    levies: float = 2.1
    """Highest number of levies expected in the rest of a game."""
    lost_levy: float = 9.0
    """Number of new walls that shorten the rest of the game by one levy."""
    game: float = 60.0
    """Worth of winning the game; losing costs as much."""
    threat: float = 20.0
    """Worth of the chance to win by a levy in the next turn; a rival's chance costs as much."""
    leader: float = 0.7
    """Fraction of the rivals' total weight given to the leading rival; the other rivals share the rest."""


WEIGHTS = Weights()


Counts = tuple[int, int, int, int, int]
CHANCE_LACKING = 0.76  # chance that an unknown card lacks a given symbol; 0.8 if players took random cards


@cache
def chance_to_pay(cards: int, price: int) -> float:
    """Estimate the probability that `cards` unknown cards can pay `price` cards of fixed symbols."""
    if price <= 0:
        return 1.0
    if cards < price:
        return 0.0
    return float((1 - CHANCE_LACKING ** (cards - (price - 1) / 2)) ** price)


@dataclass(frozen=True)  # without slots: `but` copies `__dict__`
class PositionFeatures:
    hand: Counts
    standing: tuple[int, ...]
    incomes: tuple[int, ...]
    """Points of each seat in a levy now."""
    scores: tuple[int, ...]
    sizes: tuple[int, ...]  # by seat; the entry of the judge's own seat is not updated
    lands: float
    """Total worth of all provinces to the judge's seat."""
    extents: tuple[int, ...]
    open_symbols: int
    """The mask of symbol spaces without a wall on any side."""
    levied: bool
    last_turn: bool
    over: bool = False

    def but(self, **changes: object) -> PositionFeatures:
        made = object.__new__(PositionFeatures)
        object.__setattr__(made, "__dict__", self.__dict__ | changes)
        return made


class Judge:
    """Rates positions that can follow from a view, for the seat whose view it is; caches the results."""

    def __init__(self, known: View, weights: Weights = WEIGHTS) -> None:
        table = known.table
        self.table, self.weights, self.me = table, weights, known.my_seat
        self.board, self.grid = table.board, table.board.grid
        self.open = self.grid.whole & ~self.board.symbol_mask
        self.masks = self.board.symbol_masks
        self.sizes = known.hand_sizes
        self.incomes = tuple(levy_gain(self.board, table.walled, one) for one in table.standing)
        self.shares = self._share_rivals()
        self.horizon = self._expect_levies()
        self._lands: dict[tuple[int, int, int, int | None], float] = {}
        self._hands: dict[Counts, float] = {}
        self._leads: dict[tuple[int, ...], float] = {}
        self._levies: dict[tuple[Counts, int], tuple[int, ...]] = {}
        self._guards = [weights.guard * 1.5 * (1 - (1 / 3) ** left) for left in range(GUARDS_PER_SEAT + 1)]
        self.conquests: dict[tuple[object, ...], tuple[int, Counts] | None] = {}  # None: impossible
        self.conquest_gains: dict[tuple[object, ...], float] = {}
        self.takings: dict[tuple[object, ...], tuple[float, tuple[Action, ...], Counts]] = {}
        self.unseen = self._expect_cards(known)

    def _share_rivals(self) -> tuple[float, ...]:
        """Return the weight of each seat's points: 1 for this seat; its rivals' weights sum up to -1."""
        rivals = [seat for seat in range(len(self.sizes)) if seat != self.me]
        shares = [1.0] * len(self.sizes)
        ahead = max(rivals, key=lambda seat: self.table.scores[seat] + 2 * self.incomes[seat])
        for seat in rivals:
            others = max(1, len(rivals) - 1)
            lead = 1.0 if len(rivals) == 1 else self.weights.leader
            shares[seat] = -lead if seat == ahead else -(1 - self.weights.leader) / others
        return tuple(shares)

    def _expect_levies(self) -> float:
        """Return the number of levies still expected; less when the game is near its end."""
        table, weights = self.table, self.weights
        best = max(table.scores)
        by_points = max(1.0, (table.edition.winning_score - best) / max(7, *self.incomes))
        by_walls = 0.3 + table.walls_left / weights.lost_levy
        return min(weights.levies, by_points, by_walls)

    def _expect_cards(self, known: View) -> tuple[float, ...]:
        """Return the probability of each symbol for the next drawn card."""
        table = known.table
        left = [
            COPIES - mine - shown - gone
            for mine, shown, gone in zip(
                known.hand.counts, table.display.counts, table.discard.counts, strict=True
            )
        ]
        total = sum(left) or 1
        return tuple(one / total for one in left)

    # --- terms ---

    def land(self, extent: int, open_symbols: int, inside: int, seat: int | None) -> float:
        """Return a province's worth to the judge. `seat` is the holder (None: free), the rest are masks."""
        key = (extent, open_symbols & extent, inside, seat)
        known = self._lands.get(key)
        if known is None:
            value = (extent & self.open).bit_count()
            known = 0.0
            if value:
                places = (extent & self.board.symbol_mask).bit_count()
                each = (
                    self._worth_when_free(places)
                    if seat is None
                    else self._worth_when_held(
                        places, inside.bit_count(), (open_symbols & extent & ~inside).bit_count(), seat
                    )
                )
                known = value * self.horizon * each
            self._lands[key] = known
        return known

    def _worth_when_free(self, places: int) -> float:
        """Return the worth per open space of a free province with `places` symbol spaces."""
        if not places:
            return 0.0
        safe, worth = 1.0, 0.0
        for turn in range(1, len(self.sizes)):
            seat = (self.me + turn) % len(self.sizes)
            if self.table.guards_in_supply(seat):
                taken = safe * chance_to_pay(self.sizes[seat] + 1, places - 1)
                worth += self.shares[seat] * self.weights.gift * taken
                safe -= taken
        return worth + safe * self.weights.prospect * chance_to_pay(self.sizes[self.me], places - 1)

    def _worth_when_held(self, places: int, guards: int, open_symbols: int, seat: int) -> float:
        # per open space of the province; `open_symbols` counts its symbol spaces without guard and wall
        weights, price = self.weights, places - 1 + 2 * guards
        most = max(size for other, size in enumerate(self.sizes) if other != seat)
        kept = weights.hold if guards == 1 else weights.hold * weights.surplus
        kept -= weights.open_symbol * min(open_symbols, 3) + weights.siege * chance_to_pay(most + 1, price)
        return self.shares[seat] * kept

    def hand(self, counts: Counts) -> float:
        """Return the worth of a hand; each further card of a symbol is worth less."""
        known = self._hands.get(counts)
        if known is None:
            fading = self.weights.fading
            known = sum((1 - fading**count) / (1 - fading) for count in counts) * self.weights.card
            self._hands[counts] = known
        return known

    def guards(self, standing: int) -> float:
        """Return the worth of the guards not on the board; `standing` is the mask of those on the board."""
        return self._guards[GUARDS_PER_SEAT - standing.bit_count()]

    def lead(self, points: tuple[int, ...]) -> float:
        """Return the weighted sum of the points of all seats; the points of rivals count negatively."""
        known = self._leads.get(points)
        if known is None:
            known = self._leads[points] = sum(map(mul, self.shares, points))
        return known

    def levy_symbols(self, features: PositionFeatures) -> tuple[int, ...]:
        """Return the indexes of the symbols with which this seat can levy."""
        key = features.hand, features.standing[self.me]
        known = self._levies.get(key)
        if known is None:
            hand, own = key
            known = tuple([n for n, mask in enumerate(self.masks) if hand[n] and own & mask])
            self._levies[key] = known
        return known

    def next_levy(self, features: PositionFeatures) -> float:
        """Return the worth of the levies that are possible in the next turns of all seats."""
        weights, winning = self.weights, self.table.edition.winning_score
        ready = bool(self.levy_symbols(features))
        worth = weights.ready * self.lead(features.incomes) if ready else 0.0
        totals = list(map(add, features.scores, features.incomes))
        best = max(totals)
        if best < winning:
            return worth
        for seat, total in enumerate(totals):
            if total == best and (ready if seat == self.me else features.sizes[seat]):
                worth += weights.threat if seat == self.me else -weights.threat
        return worth

    def end(self, scores: tuple[int, ...]) -> float:
        """Return the worth of a game that ends with these scores (7.3)."""
        mine = scores[self.me]
        best = max(score for seat, score in enumerate(scores) if seat != self.me)
        return self.weights.game * ((mine > best) - (mine < best)) + self.lead(scores)

    def worth(self, features: PositionFeatures) -> float:
        if features.over or features.last_turn or self.table.over:
            return self.end(features.scores)
        return (
            self.lead(features.scores)
            + features.lands
            + self.hand(features.hand)
            + self.guards(features.standing[self.me])
            + self.next_levy(features)
            + self.weights.rival_card * (self.lead(features.sizes) - features.sizes[self.me])
        )

    # --- features ---

    def features_now(self, known: View) -> PositionFeatures:
        table = known.table
        open_symbols = self.board.symbol_mask & ~self.grid.beside(table.walled)
        extents = partition_board(self.board, table.walled)
        lands = sum(self.land_as_held(extent, open_symbols, table.standing) for extent in extents)
        return PositionFeatures(
            hand=known.hand.counts,
            standing=table.standing,
            incomes=self.incomes,
            scores=table.scores,
            sizes=known.hand_sizes,
            lands=lands,
            extents=extents,
            open_symbols=open_symbols,
            levied=table.levied,
            last_turn=table.last_turn,
        )

    def land_as_held(self, extent: int, open_symbols: int, standing: tuple[int, ...]) -> float:
        """Return the worth of a province with the guards in `standing`, which has a mask for each seat."""
        for seat, guards in enumerate(standing):
            if inside := guards & extent:
                return self.land(extent, open_symbols, inside, seat)
        return self.land(extent, open_symbols, 0, None)

    def exposure(self, features: PositionFeatures, alexander: Point) -> float:
        """Return the deduction for this seat's provinces that contain targets of the next march."""
        taken = self.board.around[alexander]
        for guards in features.standing:
            taken |= guards
        empty = features.open_symbols & ~taken
        targets = closest_of_all(self.board, alexander, empty)
        own, lost = features.standing[self.me], 0
        for extent in features.extents:
            if extent & own and (aimed := extent & targets):
                lost += (extent & self.open).bit_count() * aimed.bit_count()
        return -self.weights.exposed * self.horizon * lost
