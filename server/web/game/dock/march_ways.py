"""The ways of a march as the page offers them: the corners of one card, and the ways to one corner.

Where many ways lead to a corner, those are offered that leave the way of now somewhere, each going on as well
as it can; from one to the next every way is reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from emails.i18n import gettext
from emails.wording import option_text, phrases
from emails.wording.options import rate_march
from engine import march_rules
from engine.actions import Action, Choose, March, Play
from engine.cards import ONE, Bag
from engine.lattice import Point, Space
from engine.march_rules import MarchOutcome, Path, ShortestPaths
from engine.notation.canonical_text import write
from engine.position import View

MOST_WAYS = 24
"""Ways to one corner that are offered at once."""
MOST_RATED = 48
"""Ways that are compared to find the first ones of all corners of a card."""
MOST_ONWARD = 3
"""Ways that are compared where one leaves the way of now."""


@dataclass(frozen=True, slots=True)
class MarchWay:
    """One march to a corner."""

    path: Path
    words: str
    """As orders: the march, with its card where that is still to be chosen."""
    merit: float
    detail: str
    gist: str
    """The same in two words."""

    @property
    def points(self) -> str:
        """The path in one word."""
        return "-".join(map(str, self.path))


@dataclass(frozen=True, slots=True)
class _RatedPath:
    """A path with what it would do, and what that is worth."""

    path: Path
    outcome: MarchOutcome
    merit: float


@dataclass(frozen=True, slots=True)
class CornerPick:
    """A corner to which the card leads, with the way that is drafted where it is chosen."""

    label: str
    """Its number among the corners of the card, from "1" in reading order."""
    corner: Point
    target: Space
    way: MarchWay
    ways: int
    """How many ways there are."""


@dataclass(frozen=True)
class MarchDecision:
    """A march that is to be decided: with which card, from what its player knows before it."""

    known: View
    card: Choose | Play | None
    """None where the card has been chosen already."""

    @cached_property
    def targets(self) -> tuple[Space, ...]:
        """The spaces to which Alexander can be sent."""
        table = self.known.table
        found = (
            march_rules.targets_of_chosen(table)
            if self.card is None
            else march_rules.targets(table, self.card.card, from_display=isinstance(self.card, Choose))
        )
        return tuple(space for space in found if march_rules.reachable_corners(table, space))

    @cached_property
    def hand(self) -> Bag:
        """The cards that the player holds once the card is chosen."""
        if self.card is None:
            return self.known.hand
        held = ONE[self.card.card]
        return self.known.hand + held if isinstance(self.card, Choose) else self.known.hand - held

    @cached_property
    def goals(self) -> dict[Point, Space]:
        """Each corner in reading order, with the first target of which it is one."""
        table, found = self.known.table, dict[Point, Space]()
        for space in self.targets:
            for corner in march_rules.reachable_corners(table, space):
                found.setdefault(corner, space)
        return dict(sorted(found.items()))

    @cached_property
    def corners(self) -> tuple[CornerPick, ...]:
        """Every corner with its number and the best of its first ways."""
        most = max(4, MOST_RATED // max(1, len(self.goals)))
        return tuple(
            CornerPick(
                str(number),
                corner,
                target,
                self._make_way(self._find_best(islice(self._paths(corner), most)), target),
                self._paths(corner).count(),
            )
            for number, (corner, target) in enumerate(self.goals.items(), 1)
        )

    @property
    def merit(self) -> float:
        """What the best of its first ways is worth."""
        return max(pick.way.merit for pick in self.corners)

    def list_ways(self, now: Path) -> tuple[MarchWay, ...]:
        """The ways to the corner of a path, the best first: all, or those that leave it somewhere, and it."""
        corner = now[-1]
        target = self.goals[corner]
        few = self._paths(corner).count() <= MOST_WAYS
        rated = map(self._rate, self._paths(corner) if few else self._detours(now))
        return tuple(self._make_way(one, target) for one in sorted(rated, key=lambda one: -one.merit))

    def find_ways(self, corner: Point) -> tuple[MarchWay, ...]:
        """The ways to a corner, none of which is chosen yet."""
        return self.list_ways(self._find_best(islice(self._paths(corner), MOST_WAYS)).path)

    def _paths(self, corner: Point) -> ShortestPaths:
        return ShortestPaths(self.known.table, corner)

    def _rate(self, path: Path) -> _RatedPath:
        outcome = march_rules.outcome_of(self.known.table, path)
        return _RatedPath(path, outcome, rate_march(self.known.table, outcome, self.hand) - len(path) / 100)

    def _find_best(self, paths: Iterable[Path]) -> _RatedPath:
        return max(map(self._rate, paths), key=lambda one: one.merit)

    def _make_way(self, one: _RatedPath, target: Space) -> MarchWay:
        actions: list[Action] = [] if self.card is None else [self.card]
        board = self.known.table.board
        words = "; ".join(write(action, board) for action in [*actions, March(target, one.path)])
        detail = option_text.march_detail(self.known, one.outcome, self.hand)
        return MarchWay(one.path, words, one.merit, detail, sum_up(one.outcome))

    def _detours(self, now: Path) -> Iterator[Path]:
        """A path, and those that leave it at one of its points, the best of a few onward."""
        yield now
        ways = self._paths(now[-1])
        for at, point in enumerate(now[:-1], 1):
            for step in ways.next_points(point):
                onward = tuple(islice(ways.paths_through((*now[:at], step)), MOST_ONWARD))
                if step != now[at] and onward:
                    yield self._find_best(onward).path


def sum_up(told: MarchOutcome) -> str:
    """What a march would do, in two words: the best land that comes free, else the walls."""
    if told.red:
        return gettext("last turn")
    free = (part.value for split in told.splits for part in split.cut_off if part.holder is None)
    if worth := max(free, default=0):
        return gettext("worth %(value)s", value=worth)
    return phrases.format_walls(len(told.laid)) if told.laid else gettext("no wall")
