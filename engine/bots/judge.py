"""The judge: what a position is worth to a seat, in points it expects; its weights and tempers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
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
    """The judge's weights: one for each term of a position's worth."""

    hold: float = 0.9
    """An open space of a province that scores, for each levy still expected."""
    surplus: float = 0.35
    """Of that, what is left while a province has a guard too many."""
    open_symbol: float = 0.12
    """What each empty symbol space within takes from it: Alexander may be sent there."""
    siege: float = 0.5
    """What is taken from it if a rival is sure to have the cards for taking it over."""
    gift: float = 0.75
    """An open space of a free province that a rival is sure to be able to occupy."""
    prospect: float = 0.37
    """An open space of a free province that the seat itself is sure to be able to occupy."""
    card: float = 2.0
    """The first card of a symbol."""
    fading: float = 0.82
    """What each further card of a symbol is worth, against the one before."""
    rival_card: float = 0.6
    """A card in a rival's hand."""
    ready: float = 0.35
    """A point of lead in the next levy, for who has a card to levy with."""
    guard: float = 4.0
    """The first guard in supply; each further one is worth a third of the one before."""
    wall: float = 0.15
    """A wall laid."""
    exposed: float = 0.15
    """An open space of an own province to which a symbol sends Alexander next."""
    levies: float = 2.1
    """Levies expected of a long game."""
    lost_levy: float = 9.0
    """Walls for each levy: how many may be left when the walls run out."""
    game: float = 60.0
    """The game, won or lost for good."""
    threat: float = 20.0
    """A levy with which somebody wins at their next turn."""
    leader: float = 0.7
    """Of what rivals have, the share that counts for the one who is ahead; the others share the rest."""


STEADY = Weights()
"""How Steady judges."""


class Temper(StrEnum):
    """What somebody of the house likes best."""

    BUILDER = "builder"
    RAIDER = "raider"
    HOARDER = "hoarder"


def tempered(weights: Weights, temper: Temper) -> Weights:
    """The weights of one who likes something a little too much."""
    match temper:
        case Temper.BUILDER:  # large provinces, well closed; leaves others alone
            return replace(
                weights, hold=weights.hold * 1.1, open_symbol=weights.open_symbol * 1.3, leader=0.5
            )
        case Temper.RAIDER:  # what others have is there to be taken
            return replace(weights, rival_card=weights.rival_card * 0.7, surplus=weights.surplus * 1.3)
        case Temper.HOARDER:  # one can never have too many cards
            return replace(weights, card=weights.card * 1.2, fading=min(0.95, weights.fading * 1.08))


Counts = tuple[int, int, int, int, int]
CHANCE_LACKING = 0.76
"""How likely a card does not bear a symbol looked for; below four in five, as there is some choice."""


@cache
def chance_to_pay(cards: int, price: int) -> float:
    """How likely somebody with so many unknown cards can pay a price of so many certain ones."""
    if price <= 0:
        return 1.0
    if cards < price:
        return 0.0
    return float((1 - CHANCE_LACKING ** (cards - (price - 1) / 2)) ** price)


@dataclass(frozen=True)
class PositionFeatures:
    """What the judge needs to know of a position to tell its worth. Without slots, so that `but` is quick."""

    hand: Counts
    standing: tuple[int, ...]
    """For each seat where its guards stand, as bits of the grid."""
    incomes: tuple[int, ...]
    """What each seat would score in a levy."""
    scores: tuple[int, ...]
    sizes: tuple[int, ...]
    """How many cards each rival holds; the seat's own hand is in `hand`."""
    lands: float
    """The worth of all provinces together."""
    extents: tuple[int, ...]
    """The provinces."""
    open_symbols: int
    """The symbol spaces that no wall touches."""
    levied: bool
    last_turn: bool
    over: bool = False

    def but(self, **changes: object) -> PositionFeatures:
        """The same with other values here."""
        made = object.__new__(PositionFeatures)
        object.__setattr__(made, "__dict__", self.__dict__ | changes)
        return made


class Judge:
    """What things are worth to the reader of one view; keeps what it has worked out."""

    def __init__(self, known: View, weights: Weights) -> None:
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
        self.conquests: dict[tuple[object, ...], tuple[int, Counts] | None] = {}
        """What was worked out of conquests: where guards go, and the hand that is left."""
        self.conquest_gains: dict[tuple[object, ...], float] = {}
        self.takings: dict[tuple[object, ...], tuple[float, tuple[Action, ...], Counts]] = {}
        """What was worked out of cards to take: what draws are worth, what is done, and the hand then."""
        self.unseen = self._expect_cards(known)

    def _share_rivals(self) -> tuple[float, ...]:
        """How much a point of each seat counts: 1 for the own, together -1 for the rivals."""
        rivals = [seat for seat in range(len(self.sizes)) if seat != self.me]
        shares = [1.0] * len(self.sizes)
        ahead = max(rivals, key=lambda seat: self.table.scores[seat] + 2 * self.incomes[seat])
        for seat in rivals:
            others = max(1, len(rivals) - 1)
            lead = 1.0 if len(rivals) == 1 else self.weights.leader
            shares[seat] = -lead if seat == ahead else -(1 - self.weights.leader) / others
        return tuple(shares)

    def _expect_levies(self) -> float:
        """The levies that a province may live to see: fewer when points or walls run out."""
        table, weights = self.table, self.weights
        best = max(table.scores)
        by_points = max(1.0, (table.edition.winning_score - best) / max(7, *self.incomes))
        by_walls = 0.3 + table.walls_left / weights.lost_levy
        return min(weights.levies, by_points, by_walls)

    def _expect_cards(self, known: View) -> tuple[float, ...]:
        """How likely the next card drawn bears each symbol, by what is not in sight."""
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
        """What a province is worth, held by `seat` with the guards `inside` or by nobody."""
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
        """What each open space of a free province is worth: a gift to rivals, a prospect for the seat."""
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
        """What each open space of a held province is worth."""
        weights, price = self.weights, places - 1 + 2 * guards
        most = max(size for other, size in enumerate(self.sizes) if other != seat)
        kept = weights.hold if guards == 1 else weights.hold * weights.surplus
        kept -= weights.open_symbol * min(open_symbols, 3) + weights.siege * chance_to_pay(most + 1, price)
        return self.shares[seat] * kept

    def hand(self, counts: Counts) -> float:
        """What cards are worth: each further one of a symbol less."""
        known = self._hands.get(counts)
        if known is None:
            fading = self.weights.fading
            known = sum((1 - fading**count) / (1 - fading) for count in counts) * self.weights.card
            self._hands[counts] = known
        return known

    def guards(self, standing: int) -> float:
        """What the guards in supply are worth."""
        return self._guards[GUARDS_PER_SEAT - standing.bit_count()]

    def lead(self, points: tuple[int, ...]) -> float:
        """What it is worth that each seat has so many points."""
        known = self._leads.get(points)
        if known is None:
            known = self._leads[points] = sum(map(mul, self.shares, points))
        return known

    def levy_symbols(self, features: PositionFeatures) -> tuple[int, ...]:
        """The symbols, by their number, with a card of which the seat could levy."""
        key = features.hand, features.standing[self.me]
        known = self._levies.get(key)
        if known is None:
            hand, own = key
            known = tuple([n for n, mask in enumerate(self.masks) if hand[n] and own & mask])
            self._levies[key] = known
        return known

    def next_levy(self, features: PositionFeatures) -> float:
        """What it is worth that somebody may levy at their next turn."""
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
        """What it is worth if the game ends with these scores (7.3)."""
        mine = scores[self.me]
        best = max(score for seat, score in enumerate(scores) if seat != self.me)
        return self.weights.game * ((mine > best) - (mine < best)) + self.lead(scores)

    def worth(self, features: PositionFeatures) -> float:
        """The worth of all terms together."""
        if features.over or features.last_turn or self.table.over:
            return self.end(features.scores)
        return (
            self.lead(features.scores)
            + features.lands
            + self.hand(features.hand)
            + self.guards(features.standing[self.me])
            + self.next_levy(features)
            + self.rival_hands(features)
        )

    def rival_hands(self, features: PositionFeatures) -> float:
        """What the cards of the rivals are worth."""
        return self.weights.rival_card * (self.lead(features.sizes) - features.sizes[self.me])

    def terms(self, features: PositionFeatures) -> dict[str, float]:
        """The worth term by term, for who wants to know why."""
        if features.over or features.last_turn or self.table.over:
            return {"end": self.end(features.scores)}
        return {
            "points": self.lead(features.scores),
            "lands": features.lands,
            "hand": self.hand(features.hand),
            "guards": self.guards(features.standing[self.me]),
            "next levy": self.next_levy(features),
            "rival hands": self.rival_hands(features),
        }

    # --- stands ---

    def features_now(self, known: View) -> PositionFeatures:
        """What stands before anything is done."""
        table = known.table
        open_symbols = self.grid.unwalled(table.walled) & self.board.symbol_mask
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
        """What a province is worth as it is held."""
        for seat, guards in enumerate(standing):
            if inside := guards & extent:
                return self.land(extent, open_symbols, inside, seat)
        return self.land(extent, open_symbols, 0, None)

    def exposure(self, features: PositionFeatures, alexander: Point) -> float:
        """What it costs that symbols send Alexander into an own province next, from where he stands then."""
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
