"""Advice: a few good turns that differ in kind, each with reasons that are facts.

A turn is suggested whole. Nothing in it rests on a card that nobody has seen: cards that it draws come last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from engine.actions import Action, Draw, Levy, March, Occupy, Recall, TakeOver
from engine.bots.judge import Judge, PositionFeatures, chance_to_pay
from engine.bots.reasons import (
    GameWin,
    HandSizeChange,
    LevyGain,
    LossRisk,
    Reason,
    RivalIncomeCut,
    TakeoverGain,
    explain,
)
from engine.bots.strong import choose_candidates, try_turns
from engine.bots.takeovers import PRICE
from engine.bots.turns import Turn, best_turns
from engine.bots.weights import STEADY
from engine.lattice import Point
from engine.position import View

ADVICE_BREADTHS = {2: (5, 3), 3: (4,), 4: (3,)}
"""How many turns are tried in each world, by the number of seats: a letter has no time for more."""
PLANNED = 2
"""Marches of which the actions are worked out in the turns that are played on."""
SORTING_ACTIONS = (Levy, Occupy, TakeOver, Recall)
"""What parts turns into sorts."""
REACH = 16.0
"""Points that a turn may be behind the best, to be suggested at all."""
KIN = 8.0
"""Points that a turn of another kind or corner may be behind, to be named before one of the same."""
ENOUGH = 3
"""Turns that are suggested even if they differ in nothing but their march."""
MORE_MERIT = 1.0
"""By so much a turn must be better at something than the best turn is."""
MOST_RISK = 0.5
"""How likely at most a province of the safest turn is taken."""


class TurnKind(StrEnum):
    """What a suggested turn is best at."""

    WINS = "wins"
    STRONGEST = "strongest"
    """It is expected to be worth more than the others."""
    SCORES_NOW = "scores now"
    """It levies taxes, and gains more by it than the others."""
    SAFEST = "safest"
    """Rivals can take less of what it holds."""
    HURTS_RIVAL = "hurts rival"
    """The rival who is ahead scores less in each levy."""
    SAVES_CARDS = "saves cards"
    NEXT_BEST = "next best"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A turn worth doing."""

    actions: tuple[Action, ...]
    gain: float
    """The points it is expected to be worth, against the position as it is."""
    reasons: tuple[Reason, ...]
    """What its kind rests on, and then the weightiest first."""
    kind: TurnKind = TurnKind.STRONGEST

    @property
    def march(self) -> March | None:
        """Its march, if Alexander has still to march."""
        return next((action for action in self.actions if isinstance(action, March)), None)

    @property
    def corner(self) -> Point | None:
        """Where its march ends, if it has one."""
        return None if self.march is None else self.march.path[-1]

    @property
    def gist(self) -> tuple[object, ...]:
        """What tells it from others: actions and reason, and the march's target where it does no more."""
        if self.kind is TurnKind.WINS:
            return (GameWin,)
        sorting = [action for action in self.actions if isinstance(action, SORTING_ACTIONS)]
        goals = () if sorting or self.march is None else (self.march.target,)
        return (self.reasons[0], frozenset(sorting), *goals)


def best(known: View, number: int) -> tuple[Suggestion, ...]:
    """So many good turns for the seat to move, the best first; fewer where others would read the same."""
    return _select(known, _estimate(known), number) if known.my_turn else ()


def best_at_sight(known: View, number: int) -> tuple[Suggestion, ...]:
    """The same as the judge alone sees them, with nothing played on: less good, and found sooner."""
    return _select(known, best_turns(known, STEADY), number) if known.my_turn else ()


def _select(known: View, ranked: list[Turn], number: int) -> tuple[Suggestion, ...]:
    """So many of these turns, the best first, no two of which read the same."""
    judge = Judge(known, STEADY)
    now = judge.features_now(known)
    turns = _differing(ranked)
    turns = [turn for turn in turns if turn.worth > turns[0].worth - REACH]
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
    """The turns with what they are worth, the best first: half by the judge, half by trial.

    By trial alone the best would be told too good: it is the one that had luck in its world. A turn that was
    not tried is taken to do in trials what those did on the average that were, and is never the best.
    """
    turns, breadths = best_turns(known, STEADY), ADVICE_BREADTHS[len(known.hand_sizes)]
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
    """Turns worth trying: the best by the judge, and before the last of them the best of other sorts."""
    best_ones = choose_candidates(turns, most)
    found = best_ones[: most - 1]
    sorts = {_sort_of(turn) for turn in found}
    for turn in turns:
        if turn.worth > turns[0].worth - KIN and _sort_of(turn) not in sorts:
            found.append(turn)
            sorts.add(_sort_of(turn))
    return [*found, *(turn for turn in best_ones if turn not in found)][:most]


def _sort_of(turn: Turn) -> frozenset[type[Action]]:
    """What a turn is about besides its march; cards are got by the way."""
    return frozenset(type(action) for action in turn.actions if isinstance(action, SORTING_ACTIONS))


def _differing(turns: list[Turn]) -> list[Turn]:
    """The best turn with each march; after the march each turn."""
    found: dict[object, Turn] = {}
    for turn in turns:
        found.setdefault(_march_of(turn) or turn.actions, turn)
    return list(found.values())


def _march_of(turn: Turn) -> March | None:
    return next((action for action in turn.actions if isinstance(action, March)), None)


def _path_of(turn: Turn) -> tuple[object, ...]:
    """Which way Alexander goes; after the march what is done."""
    march = _march_of(turn)
    return turn.actions if march is None else march.path


def _corner_of(turn: Turn) -> Point | None:
    march = _march_of(turn)
    return None if march is None else march.path[-1]


# --- what they are best at ------------------------------------------------------------------------------

Merit = Callable[[Turn], float]
"""How much of what makes a kind there is in a turn."""


def _merits(judge: Judge, now: PositionFeatures, rival: int) -> dict[TurnKind, Merit]:
    """What makes each kind, in the order in which they are looked for."""
    return {
        TurnKind.SCORES_NOW: lambda turn: turn.after.scores[judge.me] - now.scores[judge.me],
        TurnKind.SAFEST: lambda turn: _safe_income(judge, turn.after),
        TurnKind.HURTS_RIVAL: lambda turn: now.incomes[rival] - turn.after.incomes[rival],
        TurnKind.SAVES_CARDS: lambda turn: _cards_held(turn) - sum(now.hand),
    }


LEAST_MERIT = {
    TurnKind.SCORES_NOW: 1.0,
    TurnKind.SAFEST: 1.0,
    TurnKind.HURTS_RIVAL: 1.0,
    TurnKind.SAVES_CARDS: 0.0,
}
"""What a turn must have at least of what makes its kind."""


def leading_rival(scores: Sequence[int], incomes: Sequence[int], me: int) -> int:
    """The rival who is ahead of the others."""
    rivals = (seat for seat in range(len(scores)) if seat != me)
    return max(rivals, key=lambda seat: (scores[seat], incomes[seat], -seat))


def _safe_income(judge: Judge, after: PositionFeatures) -> float:
    """What a levy is expected to bring once every rival has tried to take what they can pay for."""
    own, safe = after.standing[judge.me], 0.0
    most = max(size for seat, size in enumerate(after.sizes) if seat != judge.me)
    for extent in after.extents:
        if (own & extent).bit_count() == 1:
            price = PRICE + (extent & judge.board.symbol_mask).bit_count() - 1
            safe += (extent & judge.open).bit_count() * (1 - chance_to_pay(most + 1, price))
    return safe


def _cards_held(turn: Turn) -> int:
    """How many cards are in the hand after a turn."""
    return sum(turn.after.hand) + sum(isinstance(action, Draw) for action in turn.actions)


@dataclass(frozen=True, slots=True)
class SuggestionPool:
    """Turns of which some are to be suggested, the best first."""

    known: View
    turns: Sequence[Turn]
    worth: float
    """Of the position as it is."""
    rival: int
    chosen: list[Suggestion] = field(default_factory=list)

    def take(self, turn: Turn, kind: TurnKind) -> None:
        """Choose a turn if it has a reason that fits its kind, and reads like none that was chosen."""
        reasons = explain(self.known, turn)
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
                return kind is TurnKind.SAFEST and chance <= min((MOST_RISK, *self._risks()))
            case RivalIncomeCut(seat) | TakeoverGain(seat) if kind is TurnKind.HURTS_RIVAL:
                return seat == self.rival and (isinstance(reason, RivalIncomeCut) or reason.lost > 0)
            case LevyGain(gain) if kind is TurnKind.SCORES_NOW:
                return gain > 0
            case HandSizeChange(before, after) if kind is TurnKind.SAVES_CARDS:
                return after >= before
            case GameWin():
                return kind is TurnKind.WINS
            case _:
                return kind in (TurnKind.STRONGEST, TurnKind.NEXT_BEST)

    def _risks(self) -> Iterator[float]:
        yield from (
            reason.chance for one in self.chosen for reason in one.reasons if isinstance(reason, LossRisk)
        )

    def left(self) -> list[Turn]:
        """The turns near the best that march otherwise than those that were chosen."""
        marches = {one.actions if one.march is None else one.march.path for one in self.chosen}
        near = (turn for turn in self.turns if turn.worth > self.turns[0].worth - KIN)
        return [turn for turn in near if _path_of(turn) not in marches]

    def take_best_of(self, kind: TurnKind, merit: Merit) -> None:
        """Choose the turn that has most of what makes a kind, if it has more of it than the best turn has."""
        least = max(LEAST_MERIT[kind], merit(self.turns[0]) + MORE_MERIT)
        able = [turn for turn in self.left() if merit(turn) >= least]
        if able:
            self.take(max(able, key=lambda turn: (round(merit(turn)), turn.worth)), kind)

    def take_next_best(self, number: int) -> None:
        """Choose further turns until there are so many, first those that end elsewhere."""
        left = self.left()
        corners = {one.corner for one in self.chosen}
        for turn in sorted(left, key=lambda turn: _corner_of(turn) in corners):
            if len(self.chosen) < min(number, ENOUGH):
                self.take(turn, TurnKind.NEXT_BEST)
