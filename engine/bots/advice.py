"""Suggested turns: a few good turns of different kinds, each with factual reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, partial
from math import comb

from engine.actions import Action, Choose, Draw, Levy, March, Occupy, Recall, Take, TakeOver
from engine.board import Point, Space
from engine.bots.judge import Judge, PositionFeatures, chance_to_pay
from engine.bots.strengths import (
    Dice,
    choose_candidates,
    draw_in_order,
    sample_position,
    seed_dice,
    try_turns,
)
from engine.bots.turns import Turn, best_turns, march_in
from engine.cards import DECK, EMPTY, ONE, Bag, Symbol
from engine.events import Event, ProvinceOccupied, ProvinceTakenOver, TaxesLevied
from engine.position import Position, Table, View
from engine.provinces import levy_gains, province_at, provinces
from engine.rules import play_out

PRICE = 2  # cards of the symbol below a guard that remove it (5.9)


def takeover_chance(
    known: View, actions: Sequence[Action], after: Position, given: Sequence[Bag], symbol: Symbol
) -> float | None:
    """Return the probability that a rival gets the cards to remove a new guard on a space with `symbol`.

    `actions` are the player's turn, `after` is the position at its end, and `given` are the cards that
    takeovers gave to each seat. Returns None if the game ends before, or if the supply may run out.
    """
    table, sizes = after.table, [len(hand) for hand in after.hands]
    seats, most = len(sizes), table.edition.actions_per_turn
    if table.over or table.last_turn or known.supply_size <= seats * (most + 1):
        return None
    shown = known.table.display
    for action in actions:
        if isinstance(action, Choose | Take):
            shown -= ONE[action.card]
    seen = known.hand + known.table.display + known.table.discard
    copies, unseen = DECK[symbol] - seen[symbol], len(DECK) - len(seen)
    lying, turned = shown[symbol], len(table.display) - len(shown)
    none_can = 1.0
    for step in range(1, seats):
        rival = (known.my_seat + step) % seats
        held = given[rival]
        picks = most - 1
        if seats == 2 and not table.guards_in_supply(rival):
            picks -= 1  # a guard must be recalled first
        lack = PRICE - held[symbol]
        none_can *= 1 - _chance_at_turn(lack, lying, turned, copies, unseen, sizes[rival] - len(held), picks)
        # The next rival may get these display cards and the cards handed over.
        copies, unseen = copies + lying + held[symbol], unseen + len(shown) + len(held)
        shown, lying, turned = EMPTY, 0, len(table.display)
    return 1 - none_can


@cache
def _chance_at_turn(
    lack: int, lying: int, turned: int, copies: int, unseen: int, cards: int, picks: int
) -> float:
    found = sum(
        chance
        * more
        * _chance_to_pick(
            lack - held, lying + open_, copies - open_ - held, unseen - turned - cards, picks, True
        )
        for open_, chance in _copy_chances(turned, copies, unseen)
        for held, more in _copy_chances(cards, copies - open_, unseen - turned)
    )
    return min(1.0, found)  # floating-point sums may slightly exceed 1


def _copy_chances(drawn: int, copies: int, unseen: int) -> Iterator[tuple[int, float]]:
    """Yield each possible number of the wanted `copies` among `drawn` unseen cards, with its probability."""
    for number in range(min(drawn, copies) + 1):
        ways = comb(copies, number) * comb(unseen - copies, drawn - number)
        if ways:
            yield number, ways / comb(unseen, drawn)


@cache
def _chance_to_pick(lack: int, lying: int, copies: int, unseen: int, picks: int, marches: bool) -> float:
    if lack <= 0:
        return 1.0
    if not marches and not picks:
        return 0.0
    taken = min(lying, 1)
    chance = 0.0
    for turned, likely in _copy_chances(1, copies, unseen) if unseen else [(0, 1.0)]:
        drawn = turned if not (marches or taken) else 0  # without such a card on the display, a card is drawn
        chance += likely * _chance_to_pick(
            lack - taken - drawn,
            lying - taken + turned - drawn,
            copies - turned,
            max(0, unseen - 1),
            picks - (not marches),
            False,
        )
    return chance


LEVIES = 2  # levies for which the weight of a reason counts a change of income
CARD = 0.1  # weight of a card in a reason; low, so that reasons about points come first


@dataclass(frozen=True, slots=True)
class GameWin:
    """The turn ends the game and the player wins, alone or with others."""

    score: int


@dataclass(frozen=True, slots=True)
class LevyGain:
    """A levy: the player's gain, and the largest gain of a rival."""

    gain: int
    rival: int


@dataclass(frozen=True, slots=True)
class LevyChange:
    """The change that the whole turn makes to the points of each seat in a later levy."""

    mine: int
    rivals: tuple[tuple[int, int], ...]
    """Each rival whose points change, with the change."""

    @property
    def most_hurt(self) -> int | None:
        """The rival who loses most; None if no rival loses points."""
        seat, change = min(self.rivals, key=lambda one: one[1], default=(None, 0))
        return seat if change < 0 else None


@dataclass(frozen=True, slots=True)
class TakeoverCost:
    """The price at which a rival can take over the new conquest `place` before the player's next turn."""

    place: Space
    card: Symbol
    """The symbol of the `PRICE` cards that remove the guard."""
    chance: float
    """The probability that a rival gets the cards in time; 0 if no rival can."""


@dataclass(frozen=True, slots=True)
class HandSizeChange:
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class LossRisk:
    """The risk of losing a scoring province before the player's next turn."""

    chance: float
    """An upper bound of the probability for the most endangered province; 0 if no rival can take over any."""


Reason = GameWin | LevyGain | LevyChange | TakeoverCost | HandSizeChange | LossRisk


def explain(known: View, actions: Sequence[Action]) -> tuple[Reason, ...]:
    """Return the reasons for a turn, the most important first; they concern the turn as a whole."""
    me = known.my_seat
    events, after = simulate_turn(known, actions)
    table, found, given = after.table, list[Reason](), [EMPTY] * len(after.hands)
    if table.winners is not None and me in table.winners:
        found.append(GameWin(table.scores[me]))
    for event in events:
        if isinstance(event, TaxesLevied):
            rival = max(gain for seat, gain in enumerate(event.gains) if seat != me)
            found.append(LevyGain(event.gains[me], rival))
        elif isinstance(event, ProvinceTakenOver):
            given[event.loser] += event.given
    pairs = zip(levy_gains(known.table), levy_gains(table), strict=True)
    changes = [later - earlier for earlier, later in pairs]
    rivals = tuple((seat, change) for seat, change in enumerate(changes) if change and seat != me)
    if not table.over and any(changes):
        found.append(LevyChange(changes[me], rivals))
    chance_of = partial(takeover_chance, known, actions, after, given)
    found += _takeable(table, events, chance_of)
    found.append(HandSizeChange(len(known.hand), len(after.hands[me])))
    found += _risk(table, me, chance_of)
    return tuple(sorted(found, key=lambda reason: -_weight(reason)))


def _weight(reason: Reason) -> float:
    match reason:
        case GameWin(score):
            return LEVIES * (score + 1)
        case LevyGain(gain):
            return gain
        case LevyChange(mine, rivals):
            return LEVIES * (mine - sum(change for _, change in rivals))
        case HandSizeChange(before, after):
            return CARD * (after - before)
        case TakeoverCost() | LossRisk():
            return 0.0


def _takeable(
    after: Table, events: list[Event], chance_of: Callable[[Symbol], float | None]
) -> Iterator[TakeoverCost]:
    """Yield the takeover cost of each conquered province that has a value and one guard."""
    for event in events:
        if not isinstance(event, ProvinceOccupied | ProvinceTakenOver) or len(event.guards) > 1:
            continue
        (place,) = event.guards
        card, province = after.board.symbol_at(place), province_at(after, place)
        if province.guards == (place,) and province.value:
            chance = chance_of(card)
            if chance is not None:
                yield TakeoverCost(place, card, chance)


def _risk(after: Table, me: int, chance_of: Callable[[Symbol], float | None]) -> Iterator[LossRisk]:
    """Yield the risk for the player's most endangered scoring province; nothing if any risk is unknown."""
    risks = list[float]()
    for province in provinces(after):
        if province.holder != me or not province.scores:
            continue
        chances = [chance_of(card) for card in after.board.symbols_within(province.guarded).kinds()]
        if None in chances:
            return
        risks.append(min(chance for chance in chances if chance is not None))
    if risks:
        yield LossRisk(max(risks))


def simulate_turn(known: View, actions: Sequence[Action]) -> tuple[list[Event], Position]:
    """Play a turn in one sample of the hidden cards; return an event for each action, and the final position.

    The sample determines only the cards drawn.
    """
    dice = seed_dice(known)
    now, order = sample_position(known, dice)
    chance = draw_in_order(order, Dice(dice.throw(1 << 60)))
    seat, happened = now.table.seat, list[Event]()
    for action in actions:
        (event, *_), now = play_out(now, seat, action, chance)
        happened.append(event)
        if now.table.over:
            break
    return happened, now


# Few turns in each sample, because letters must be ready soon.
ADVICE_BREADTHS = {2: (5, 3), 3: (4,), 4: (3,)}
PLANNED = 2
SORTING_ACTIONS = (Levy, Occupy, TakeOver, Recall)
"""Action types that distinguish one sort of turn from another."""
MOST_DEFICIT = 8.0
"""Turns worse than the best turn by this number of points or more are not suggested."""
ENOUGH = 3
MORE_MERIT = 1.0  # the least lead, in a quality, of a suggested turn over the strongest turn
MOST_RISK = 0.5
"""Highest loss risk of a turn that is suggested as the safest."""


class TurnKind(StrEnum):
    """The quality in which a suggested turn is best."""

    WINS = "wins"
    STRONGEST = "strongest"
    SCORES_NOW = "scores now"
    SAFEST = "safest"
    """The turn keeps the most income safe from takeovers."""
    HURTS_RIVAL = "hurts rival"
    """The turn leaves the leading rival the lowest income."""
    SAVES_CARDS = "saves cards"
    NEXT_BEST = "next best"


@dataclass(frozen=True, slots=True)
class Suggestion:
    actions: tuple[Action, ...]
    gain: float
    """Expected worth of the turn, in points above the present position."""
    reasons: tuple[Reason, ...]
    """The reason that fits `kind` first, then the others by importance."""
    kind: TurnKind = TurnKind.STRONGEST

    @property
    def march(self) -> March | None:
        return march_in(self.actions)

    @property
    def corner(self) -> Point | None:
        return None if self.march is None else self.march.path[-1]

    @property
    def gist(self) -> tuple[object, ...]:
        """The features in which any two suggestions must differ."""
        if self.kind is TurnKind.WINS:
            return (GameWin,)
        sorting = [action for action in self.actions if isinstance(action, SORTING_ACTIONS)]
        goals = () if sorting or self.march is None else (self.march.target,)
        return (self.reasons[0], frozenset(sorting), *goals)


def suggest_turns(known: View, number: int) -> tuple[Suggestion, ...]:
    """Return at most `number` good turns for the seat to move, best first, with different gists."""
    return _select(known, _estimate(known), number) if known.my_turn else ()


def suggest_turns_at_sight(known: View, number: int) -> tuple[Suggestion, ...]:
    """Return turns like `suggest_turns`, but rated without playing samples: faster and less accurate."""
    return _select(known, best_turns(known), number) if known.my_turn else ()


def _select(known: View, ranked: list[Turn], number: int) -> tuple[Suggestion, ...]:
    judge = Judge(known)
    now = judge.features_now(known)
    best_of_march: dict[object, Turn] = {}
    for turn in ranked:
        best_of_march.setdefault(turn.march or turn.actions, turn)
    turns = list(best_of_march.values())
    rival = leading_rival(known.table.scores, now.incomes, judge.me)
    found = SuggestionPool(known, turns, judge.worth(now), rival)
    found.take(turns[0], TurnKind.STRONGEST)
    for kind, merit in _merits(judge, now, rival).items():
        if len(found.chosen) < number:
            found.take_best_of(kind, merit)
    found.take_next_best(number)
    return tuple(sorted(found.chosen, key=lambda one: -one.gain))


# --- what turns are worth -------------------------------------------------------------------------------


def _estimate(known: View) -> list[Turn]:
    turns, breadths = best_turns(known), ADVICE_BREADTHS[len(known.hand_sizes)]
    judged = {turn.actions: turn.worth for turn in turns}
    tried = try_turns(known, _candidates(turns, breadths[0]), breadths, planned=PLANNED)
    mixed = [replace(turn, worth=(turn.worth + judged[turn.actions]) / 2) for turn in tried]
    change = sum(turn.worth - judged[turn.actions] for turn in mixed) / len(mixed)
    most, done = max(turn.worth for turn in mixed), {turn.actions for turn in mixed}
    others = [
        replace(turn, worth=min(turn.worth + change, most)) for turn in turns if turn.actions not in done
    ]
    return sorted([*mixed, *others], key=lambda turn: -turn.worth)


def _candidates(turns: list[Turn], most: int) -> list[Turn]:
    best_ones = choose_candidates(turns, most)
    found = best_ones[: most - 1]
    sorts = {_sort_of(turn) for turn in found}
    for turn in turns:
        if turn.worth > turns[0].worth - MOST_DEFICIT and _sort_of(turn) not in sorts:
            found.append(turn)
            sorts.add(_sort_of(turn))
    return [*found, *(turn for turn in best_ones if turn not in found)][:most]


def _sort_of(turn: Turn) -> frozenset[type[Action]]:
    return frozenset(type(action) for action in turn.actions if isinstance(action, SORTING_ACTIONS))


def _path_of(turn: Turn | Suggestion) -> tuple[object, ...]:
    """Return the path of the march; without a march, the actions."""
    return turn.actions if turn.march is None else turn.march.path


# --- their merits ---------------------------------------------------------------------------------------

Merit = Callable[[Turn], float]


def _merits(judge: Judge, now: PositionFeatures, rival: int) -> dict[TurnKind, Merit]:
    return {
        TurnKind.SCORES_NOW: lambda turn: turn.after.scores[judge.me] - now.scores[judge.me],
        TurnKind.SAFEST: lambda turn: _safe_income(judge, turn.after),
        TurnKind.HURTS_RIVAL: lambda turn: now.incomes[rival] - turn.after.incomes[rival],
        TurnKind.SAVES_CARDS: lambda turn: (
            sum(turn.after.hand) + sum(isinstance(one, Draw) for one in turn.actions) - sum(now.hand)
        ),
    }


LEAST_MERIT = {
    TurnKind.SCORES_NOW: 1.0,
    TurnKind.SAFEST: 1.0,
    TurnKind.HURTS_RIVAL: 1.0,
    TurnKind.SAVES_CARDS: 0.0,
}


def leading_rival(scores: Sequence[int], incomes: Sequence[int], me: int) -> int:
    """Return the rival with the highest score; ties go to the higher income."""
    rivals = (seat for seat in range(len(scores)) if seat != me)
    return max(rivals, key=lambda seat: (scores[seat], incomes[seat], -seat))


def _safe_income(judge: Judge, after: PositionFeatures) -> float:
    own, safe = after.standing[judge.me], 0.0
    most = max(size for seat, size in enumerate(after.sizes) if seat != judge.me)
    for extent in after.extents:
        if (own & extent).bit_count() == 1:
            price = PRICE + (extent & judge.board.symbol_mask).bit_count() - 1
            safe += (extent & judge.open).bit_count() * (1 - chance_to_pay(most + 1, price))
    return safe


@dataclass(frozen=True, slots=True)
class SuggestionPool:
    """Collects suggestions from `turns`; the turns are sorted by worth, the best first."""

    known: View
    turns: Sequence[Turn]
    worth: float
    rival: int
    chosen: list[Suggestion] = field(default_factory=list)

    def take(self, turn: Turn, kind: TurnKind) -> None:
        """Suggest a turn if one of its reasons fits the kind, and no earlier suggestion has an equal gist."""
        reasons = explain(self.known, turn.actions)
        if any(isinstance(reason, GameWin) for reason in reasons):
            kind = TurnKind.WINS
        fitting = [reason for reason in reasons if self._fits(kind, reason)]
        if not fitting:
            return
        ordered = (fitting[0], *(reason for reason in reasons if reason is not fitting[0]))
        made = Suggestion(turn.actions, turn.worth - self.worth, ordered, kind)
        if made.gist not in {one.gist for one in self.chosen}:
            self.chosen.append(made)

    def _fits(self, kind: TurnKind, reason: Reason) -> bool:
        match reason:
            case LossRisk(chance):
                found = [one for turn in self.chosen for one in turn.reasons if isinstance(one, LossRisk)]
                return kind is TurnKind.SAFEST and chance <= min([MOST_RISK, *(one.chance for one in found)])
            case LevyChange() if kind is TurnKind.HURTS_RIVAL:
                return reason.most_hurt == self.rival
            case LevyGain(gain) if kind is TurnKind.SCORES_NOW:
                return gain > 0
            case HandSizeChange(before, after) if kind is TurnKind.SAVES_CARDS:
                return after >= before
            case GameWin():
                return kind is TurnKind.WINS
            case TakeoverCost():
                return False
            case _:
                return kind in (TurnKind.STRONGEST, TurnKind.NEXT_BEST)

    def left(self) -> list[Turn]:
        """Return the nearly best turns, without turns whose path is already suggested."""
        marches = set(map(_path_of, self.chosen))
        near = (turn for turn in self.turns if turn.worth > self.turns[0].worth - MOST_DEFICIT)
        return [turn for turn in near if _path_of(turn) not in marches]

    def take_best_of(self, kind: TurnKind, merit: Merit) -> None:
        """Suggest the turn with the highest merit, if at least 1 above the merit of the strongest turn."""
        least = max(LEAST_MERIT[kind], merit(self.turns[0]) + MORE_MERIT)
        able = [turn for turn in self.left() if merit(turn) >= least]
        if able:
            self.take(max(able, key=lambda turn: (round(merit(turn)), turn.worth)), kind)

    def take_next_best(self, number: int) -> None:
        left = self.left()
        corners = {one.corner for one in self.chosen}
        for turn in sorted(left, key=lambda turn: (turn.march.path[-1] if turn.march else None) in corners):
            if len(self.chosen) < min(number, ENOUGH):
                self.take(turn, TurnKind.NEXT_BEST)
