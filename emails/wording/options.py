"""What a reader can do now, the best first: the same for the buttons of a letter and those of a page.

Nothing is built that nobody reads: the paths to a corner are counted before they are listed, and of the ways
to get a province only the first few are made. Where there are more, a choice leads on to the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import assert_never

from emails.i18n import gettext
from emails.wording import option_text
from engine import action_rules, march_rules, rules
from engine.actions import (
    Action,
    Choose,
    Draw,
    End,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
    TakeOver,
)
from engine.board import Point, Space
from engine.cards import EMPTY, ONE, Bag
from engine.notation.grammar import list_goal_corners
from engine.notation.orders import write
from engine.position import Phase, Table, View
from engine.provinces import Province

MOST_MARCHES = 24
"""Marches shown path by path for one card; where there are more, each corner is one choice."""
MOST_WAYS = 6
"""Ways shown to get one province."""
MOST_WITH_MORE = 2
"""Of these with more guards than are needed: such a province scores nothing, but costs fewer cards."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing to do; `title` and `detail` are plain words for the reader."""

    words: str
    """Its actions as engine.notation writes them, parted by "; "; empty where only the page can tell."""
    title: str
    detail: str = ""
    further: bool = False
    """Whether the words mean several actions, so that the page asks which."""
    outcome: march_rules.MarchOutcome | None = field(default=None, compare=False)
    """What its march would do, where it is one march, for a page that shows it on the board."""


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Choices that belong together under one heading."""

    heading: str
    choices: tuple[Option, ...]
    card: str = ""
    """The words of the card that they all begin with."""
    targets: tuple[Space, ...] = ()
    """The spaces to which they march."""


@dataclass(frozen=True, slots=True)
class GoalCorner:
    """One of the corners to which a march may go."""

    corner: Point
    spaces: tuple[Space, ...]
    """The targets of which it is a corner, in reading order; which of them is named changes nothing."""


def list_options(view: View, *, labelled: bool = True, most: int = MOST_MARCHES) -> tuple[OptionGroup, ...]:
    """What the reader can do now, the best first; nothing where the game does not wait for them.

    `labelled`: whether corners are called by their numbers too, and not by their points alone.
    `most`: how many marches of one card stand path by path; of more, each corner is one choice.
    """
    if not view.my_turn:
        return ()
    match view.table.phase:
        case Phase.CARD:
            return tuple(_card_groups(view, _MarchOptions(view, labelled, most)))
        case Phase.MARCH:
            return tuple(_target_groups(view, _MarchOptions(view, labelled, most)))
        case Phase.ACTIONS:
            return tuple(_action_groups(view))
        case Phase.OVER:
            return ()
        case _:
            assert_never(view.table.phase)


# --- the march ------------------------------------------------------------------------------------------


def reachable_targets(view: View) -> tuple[Space, ...]:
    """Every space to which Alexander can be sent in this decision of the reader, in reading order."""
    if not view.my_turn:
        return ()
    table = view.table
    if table.phase is Phase.MARCH:
        return _filter_reachable(table, march_rules.targets_of_chosen(table))
    if table.phase is not Phase.CARD:
        return ()
    found = (space for card in rules.card_choices(view) for space in _targets_of(table, card))
    return _filter_reachable(table, tuple(sorted(set(found))))


def number_corners(view: View, card: Choose | Play | None) -> dict[Point, str]:
    """The corners to which a card leads, numbered in reading order; None: the one that is chosen, if any."""
    table = view.table
    if not view.my_turn or (card is None and table.phase is Phase.CARD):
        return {}
    spaces = reachable_targets(view) if card is None else _targets_of(table, card)
    return {corner: str(number) for number, corner in enumerate(list_goal_corners(table, spaces), 1)}


def heading_for_card(table: Table, card: Choose | Play) -> str:
    """What a card does, in words."""
    joker = isinstance(card, Choose) and march_rules.is_joker(table, card.card)
    return option_text.card_heading(
        table, card, _filter_reachable(table, _targets_of(table, card)), joker=joker
    )


def _targets_of(table: Table, card: Choose | Play | Stay) -> tuple[Space, ...]:
    if isinstance(card, Stay):
        return ()
    return march_rules.targets(table, card.card, from_display=isinstance(card, Choose))


def _filter_reachable(table: Table, spaces: tuple[Space, ...]) -> tuple[Space, ...]:
    return tuple(space for space in spaces if march_rules.reachable_corners(table, space))


def _goal_corners(table: Table, spaces: tuple[Space, ...]) -> list[GoalCorner]:
    found: dict[Point, list[Space]] = {}
    for space in spaces:
        for corner in march_rules.reachable_corners(table, space):
            found.setdefault(corner, []).append(space)
    return [GoalCorner(corner, tuple(found[corner])) for corner in sorted(found)]


def _card_groups(view: View, marches: _MarchOptions) -> Iterator[OptionGroup]:
    """One group a card, display cards first; in a group card and march are one choice (4.11)."""
    table = view.table
    stays: list[Option] = []
    found: list[tuple[int, float, OptionGroup]] = []
    for card in rules.card_choices(view):
        if isinstance(card, Stay):
            stays.append(Option(write(card, table.board), option_text.stay_title(card.card)))
            continue
        taken = isinstance(card, Choose)
        spaces = _filter_reachable(table, _targets_of(table, card))
        hand = view.hand + ONE[card.card] if taken else view.hand - ONE[card.card]
        words = write(card, table.board)
        ranked = marches.rank_options(_goal_corners(table, spaces), hand, card)
        group = OptionGroup(
            heading_for_card(table, card), tuple(choice for _, _, choice in ranked), words, spaces
        )
        rank = 0 if taken else 1 if card.card not in table.display else 2  # why give up what lies there too?
        found.append((rank, -max(merit for merit, _, _ in ranked), group))
    if stays:
        yield OptionGroup(gettext(option_text.STAY_HEADING), tuple(stays))
    yield from (group for _, _, group in sorted(found, key=lambda one: one[:2]))


def _target_groups(view: View, marches: _MarchOptions) -> Iterator[OptionGroup]:
    """One group a target; a corner of several stands with the first."""
    table = view.table
    goals = _goal_corners(table, march_rules.targets_of_chosen(table))
    by_target: dict[Space, list[Option]] = {}
    for _, goal, choice in marches.rank_options(goals, view.hand, None):
        by_target.setdefault(goal.spaces[0], []).append(choice)
    for target, found in by_target.items():
        yield OptionGroup(option_text.target_heading(table, target), tuple(found), targets=(target,))


class _MarchOptions:
    """The marches of one decision. What a path would do is worked out once, whichever card leads to it."""

    def __init__(self, view: View, labelled: bool, most: int) -> None:
        self.view, self.most, self.labelled = view, most, labelled
        self.outcomes: dict[march_rules.Path, march_rules.MarchOutcome] = {}

    def rank_options(
        self, goals: list[GoalCorner], hand: Bag, card: Choose | Play | None
    ) -> list[tuple[float, GoalCorner, Option]]:
        """The marches to these corners with their merits, the best first, else in the order of the corners.

        `hand` is what the reader would then hold, `card` with which they march, unless it has been chosen.
        """
        labels = number_corners(self.view, card) if self.labelled else {}
        before = "" if card is None else write(card, self.view.table.board) + "; "
        counts = [march_rules.ShortestPaths(self.view.table, goal.corner).count() for goal in goals]
        made = self._path_options if sum(counts) <= self.most else self._corner_options
        found: list[tuple[float, GoalCorner, Option]] = []
        for goal, count in zip(goals, counts, strict=True):
            title = option_text.corner_title(
                self.view.table, goal.spaces, goal.corner, labels.get(goal.corner, "")
            )
            found += made(goal, title, count, hand, before)
        return sorted(found, key=lambda one: -one[0])

    def _path_options(
        self, goal: GoalCorner, title: str, count: int, hand: Bag, before: str
    ) -> Iterator[tuple[float, GoalCorner, Option]]:
        table = self.view.table
        for path in march_rules.ShortestPaths(table, goal.corner):
            known = self.outcomes.get(path)
            if known is None:
                known = self.outcomes[path] = march_rules.outcome_of(table, path)
            words = before + write(March(goal.spaces[0], path), table.board)
            detail = option_text.march_detail(self.view, known, hand)
            named = option_text.add_waypoints(title, path[1:-1]) if count > 1 else title
            yield rate_march(table, known, hand), goal, Option(words, named, detail, outcome=known)

    def _corner_options(
        self, goal: GoalCorner, title: str, count: int, hand: Bag, before: str
    ) -> Iterator[tuple[float, GoalCorner, Option]]:
        if count == 1:
            yield from self._path_options(goal, title, count, hand, before)
            return
        table = self.view.table
        words = f"{before}march {table.board.names[goal.spaces[0]]} {goal.corner}"
        detail = option_text.path_count_detail(
            count, march_rules.ShortestPaths(table, goal.corner).fewest_walls()
        )
        yield 0, goal, Option(words, title, detail, further=True)


def rate_march(table: Table, outcome: march_rules.MarchOutcome, hand: Bag) -> float:
    """A rough measure of what a march does for the mover, in points of the next levies."""
    merit = -5.0 if outcome.red else 0.0
    for split in outcome.splits:
        was = split.before
        change = sum(part.scores for part in split.parts if part.holder is not None) - was.scores
        if was.holder is not None:
            merit += change if was.holder == table.seat else -change / 2
        best = max(_gain_of_siege(table, hand, part) for part in split.parts)
        merit += best - _gain_of_siege(table, hand, was) if best else 0
    return merit


def _gain_of_siege(table: Table, hand: Bag, part: Province) -> int:
    """What each levy would bring the mover, with these cards, for a free province that they could get."""
    siege = None if part.holder is not None else action_rules.find_siege(table, table.seat, hand, part)
    return part.value if siege is not None and siege.can_score else 0


# --- the actions ----------------------------------------------------------------------------------------


def _action_groups(view: View) -> Iterator[OptionGroup]:
    """Provinces, the most valuable first; taxes, cards, guards to take back; what scores nothing; the end."""
    table = view.table
    headings: dict[type[Action], str] = {
        Levy: option_text.LEVY_HEADING,
        Draw: option_text.CARDS_HEADING,
        Take: option_text.CARDS_HEADING,
        Recall: option_text.RECALL_HEADING,
        Occupy: option_text.SCORELESS_HEADING,
        End: option_text.END_HEADING,
    }
    found: dict[str, list[Option]] = {heading: [] for heading in headings.values()}
    for siege in sorted(
        action_rules.find_sieges(table, table.seat, view.hand), key=lambda one: -one.province.value
    ):
        ways = _conquest_options(view, siege)
        if siege.province.value and siege.can_score:
            yield OptionGroup(option_text.siege_heading(table, siege), tuple(ways))
        else:
            found[option_text.SCORELESS_HEADING] += ways
    for action in rules.simple_actions(view):
        words = write(action, table.board)
        choice = Option(
            words, option_text.action_title(table, action), option_text.action_detail(view, action)
        )
        found[headings[type(action)]].append(choice)
    yield from (OptionGroup(gettext(heading), tuple(made)) for heading, made in found.items() if made)


def _conquest_options(view: View, siege: action_rules.Siege) -> Iterator[Option]:
    """The first ways to get a province, the fewest guards first; then one choice that leads to the rest."""
    table = view.table
    with_more = 0
    for shown, action in enumerate(_conquest_actions(view, siege)):
        with_more += len(action.guards) > siege.fewest_guards
        if shown == MOST_WAYS or with_more > MOST_WITH_MORE:
            yield Option("", gettext(option_text.MORE_WAYS_TITLE), further=True)
            return
        paid = siege.price(table, action.guards)
        given = action.given if isinstance(action, TakeOver) else EMPTY
        detail = option_text.conquest_detail(view, siege, action.guards, paid, given)
        yield Option(write(action, table.board), option_text.placement_title(table, action.guards), detail)


def _conquest_actions(view: View, siege: action_rules.Siege) -> Iterator[Occupy | TakeOver]:
    """The ways to get a province, lazily, as `guard_placements` has them."""
    for guards in guard_placements(view, siege):
        if siege.province.holder is None:
            yield Occupy(guards)
            continue
        paid = siege.price(view.table, guards)
        share = action_rules.loser_share(view.table, paid)
        yield from (TakeOver(guards, given) for given in paid.handfuls(share))


def guard_placements(view: View, siege: action_rules.Siege) -> Iterator[tuple[Space, ...]]:
    """Where guards can be put, lazily: the fewest guards first, then those that leave a levy possible."""
    for many in range(siege.fewest_guards, siege.most + 1):
        up_to = replace(siege, most=many)
        exactly = (guards for guards in up_to.guard_places(view.table) if len(guards) == many)
        first = sorted(islice(exactly, 2 * MOST_WAYS), key=lambda guards: not _can_levy(view, siege, guards))
        yield from chain(first, exactly)


def _can_levy(view: View, siege: action_rules.Siege, guards: tuple[Space, ...]) -> bool:
    """Whether a card for one of these guards would be left in the hand (5.11)."""
    left = view.hand - siege.price(view.table, guards)
    return any(card in left for card in action_rules.symbols_on(view.table, guards))
