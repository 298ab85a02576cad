"""Reasons: what certainly comes of a turn, whatever cards are drawn, or how likely it is.

Each is a fact with its numbers; letters and pages find the words for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.bots.takeovers import PRICE, takeover_chance
from engine.bots.turns import Turn
from engine.bots.worlds import Dice, deal_world, dice_of, fall_in
from engine.cards import EMPTY, Symbol
from engine.events import AlexanderMarched, Event, ProvinceOccupied, ProvinceTakenOver, TaxesLevied
from engine.lattice import Space
from engine.position import Position, Table, View
from engine.provinces import levy_gains, province_at, provinces
from engine.rules import play_out

LEVIES = 2
"""By so much what comes of each levy weighs more than what comes once."""
CARD = 0.1
"""By so much a card more or less weighs: as a reason it comes behind all that scores."""


@dataclass(frozen=True, slots=True)
class GameWin:
    """The game ends with this turn, and its player has won it alone or with others."""

    score: int


@dataclass(frozen=True, slots=True)
class LevyGain:
    """Taxes are levied: what the player gains, and the most that anybody else does."""

    gain: int
    rival: int


@dataclass(frozen=True, slots=True)
class TakeoverGain:
    """A province is taken over; each levy loses its former holder `lost` and gains the player `value`."""

    seat: int
    place: Space
    value: int
    lost: int


@dataclass(frozen=True, slots=True)
class OccupationGain:
    """A province is occupied that each levy gains the player so much for."""

    place: Space
    value: int


@dataclass(frozen=True, slots=True)
class TakeoverCost:
    """The least that it costs a rival to take a conquered province before the player's next turn."""

    place: Space
    """Where its guard stands."""
    card: Symbol
    cards: int
    """So many of these cards remove the guard."""
    chance: float
    """How likely a rival comes to hold them in time; 0: nobody can."""


@dataclass(frozen=True, slots=True)
class RivalIncomeCut:
    """A rival gains less in each levy than before this march."""

    seat: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class IncomeChange:
    """What each levy gains the player, before this turn and after it."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class HandSizeChange:
    """How many cards the player holds once the turn is done."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class LossRisk:
    """How likely at most any one of the player's provinces that score is taken before their next turn."""

    chance: float
    """0: nobody can take any."""


Reason = (
    GameWin
    | LevyGain
    | TakeoverGain
    | OccupationGain
    | TakeoverCost
    | RivalIncomeCut
    | IncomeChange
    | HandSizeChange
    | LossRisk
)


def explain(known: View, turn: Turn) -> tuple[Reason, ...]:
    """What comes of a turn."""
    me, before = known.my_seat, known.table
    events, after = follow(known, turn)
    table, found = after.table, list[Reason]()
    if table.winners is not None and me in table.winners:
        found.append(GameWin(table.scores[me]))
    for now, event in events:
        found += _reasons_of(event, now.table, me)
        if isinstance(event, AlexanderMarched):
            walled = now.table.walled | table.board.grid.mask_sides(event.walls)
            was, cut = levy_gains(before), levy_gains(now.table.but(walled=walled))
            found += [
                RivalIncomeCut(seat, was[seat], less)
                for seat, less in enumerate(cut)
                if seat != me and less < was[seat]
            ]
    found += _takeable(known, turn, after, [event for _, event in events])
    earlier, later = levy_gains(before)[me], levy_gains(table)[me]
    if later != earlier:
        found.append(IncomeChange(earlier, later))
    found.append(HandSizeChange(len(known.hand), len(after.hands[me])))
    found += _risk(known, turn, after, [event for _, event in events])
    return _weightiest_first(found)


def _weightiest_first(found: list[Reason]) -> tuple[Reason, ...]:
    """Reasons by the points that they are about worth; of an income what the conquests do not bring."""
    conquests = [reason for reason in found if isinstance(reason, OccupationGain | TakeoverGain)]
    conquered = sum(reason.value for reason in conquests)
    values = {reason.place: _weight(reason, conquered) for reason in conquests}

    def weight(reason: Reason) -> float:
        if isinstance(reason, TakeoverCost):
            return values[reason.place]  # beside its conquest, which was found before it
        return _weight(reason, conquered)

    return tuple(sorted(found, key=lambda reason: -weight(reason)))


def _weight(reason: Reason, conquered: int) -> float:
    match reason:
        case GameWin(score):
            return LEVIES * (score + 1)
        case LevyGain(gain):
            return gain
        case TakeoverGain(_, _, value, lost):
            return LEVIES * (value + lost)
        case OccupationGain(_, value):
            return LEVIES * value
        case RivalIncomeCut(_, before, after):
            return LEVIES * (before - after)
        case IncomeChange(before, after):
            return LEVIES * (after - before - conquered)
        case HandSizeChange(before, after):
            return CARD * (after - before)
        case TakeoverCost() | LossRisk():
            return 0.0


def _reasons_of(event: Event, table: Table, me: int) -> list[Reason]:
    match event:
        case TaxesLevied():
            rival = max(gain for seat, gain in enumerate(event.gains) if seat != me)
            return [LevyGain(event.gains[me], rival)]
        case ProvinceTakenOver():
            province = province_at(table, event.guards[0])
            value = province.value if len(event.guards) == 1 else 0
            return [TakeoverGain(event.loser, event.guards[0], value, province.scores)]
        case ProvinceOccupied() if len(event.guards) == 1:
            return [OccupationGain(event.guards[0], province_at(table, event.guards[0]).value)]
        case _:
            return []


def _takeable(known: View, turn: Turn, after: Position, events: list[Event]) -> Iterator[TakeoverCost]:
    """What it takes to take each province that was conquered with one guard and is worth something."""
    chance_of = _takeover_chances(known, turn, after, events)
    for event in events:
        if not isinstance(event, ProvinceOccupied | ProvinceTakenOver) or len(event.guards) > 1:
            continue
        (place,) = event.guards
        card, province = after.table.board.symbols[place], province_at(after.table, place)
        if card is None or province.guards != (place,) or not province.value:
            continue
        chance = chance_of(card)
        if chance is not None:
            yield TakeoverCost(place, card, PRICE, chance)


def _risk(known: View, turn: Turn, after: Position, events: list[Event]) -> Iterator[LossRisk]:
    """How likely at most any one of the seat's provinces is taken; of several guards each must be removed."""
    table, chance_of = after.table, _takeover_chances(known, turn, after, events)
    risks = list[float]()
    for province in provinces(table):
        if province.holder != known.my_seat or not province.scores:
            continue
        chances = [chance_of(card) for card in table.board.symbols_within(province.guarded).kinds()]
        if None in chances:
            return
        risks.append(min(chance for chance in chances if chance is not None))
    if risks:
        yield LossRisk(max(risks))


def _takeover_chances(
    known: View, turn: Turn, after: Position, events: list[Event]
) -> Callable[[Symbol], float | None]:
    """How likely a rival comes to hold, before the seat's next turn, what removes a guard on each symbol.

    None where nobody has another turn, or it cannot be told.
    """
    table, sizes = after.table, [len(hand) for hand in after.hands]
    given = [EMPTY] * len(sizes)
    for event in events:
        if isinstance(event, ProvinceTakenOver):
            given[event.loser] += event.given

    def chance_of(card: Symbol) -> float | None:
        if table.over or table.last_turn:
            return None
        return takeover_chance(known, turn.actions, table, sizes, given, card)

    return chance_of


def follow(known: View, turn: Turn) -> tuple[list[tuple[Position, Event]], Position]:
    """What happens in a turn, each fact with the position before it, and the position at its end.

    The cards drawn are those of one world; nothing else depends on them.
    """
    dice = dice_of(known)
    now, order = deal_world(known, dice)
    chance = fall_in(order, Dice(dice.throw(1 << 60)))
    seat, happened = now.table.seat, list[tuple[Position, Event]]()
    for action in turn.actions:
        (event, *_), then = play_out(now, seat, action, chance)
        happened.append((now, event))
        now = then
        if now.table.over:
            break
    return happened, now
