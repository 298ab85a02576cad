"""The preview of orders: their outcome, or a question if they are ambiguous.

"march Larissa D4" is ambiguous if three paths lead there. If there are too many paths to list, the question
lists groups of paths instead: one group for each next point after the point at which the paths first divide.
The next question is about the paths of the chosen group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from emails.i18n import ngettext
from emails.picture import palette
from emails.wording import costs, options, phrases
from emails.wording.costs import ConquestVerb
from emails.wording.options import Option, number_corners
from engine import march_rules
from engine.actions import Action, ActionRefused, Ambiguous, Draw, Illegal, March
from engine.board import Point, Space
from engine.cards import SYMBOL_INDEX, Symbol
from engine.event_log import ACTIONS, action_of
from engine.events import AlexanderMarched
from engine.evolve import evolve
from engine.march_rules import Path, ShortestPaths
from engine.notation import grammar
from engine.notation.orders import Order, Verb, write
from engine.notation.parser import NO_CHOICES, parse
from engine.position import Phase, Position, View, view
from engine.provinces import Siege, symbols_on
from server.turns.dry_run import MOST_ACTIONS, LinesRefused, Preview, ResumePoint, preview
from server.web.kit.visitors import page_vocabulary


@dataclass(frozen=True, slots=True)
class GuardSite:
    name: str
    symbol: Symbol
    space: str
    """Rows and column, such as "AB3", by which a script makes the site clickable on the board."""
    ticked: bool


@dataclass(frozen=True, slots=True)
class Conquest:
    name: str
    heading: str
    verb: ConquestVerb
    sites: tuple[GuardSite, ...]
    most: int
    removal: str
    loser: str
    gifts: tuple[tuple[int, Symbol, int, int], ...]
    """Cards that the former holder may get: index and name of a symbol, maximum and proposed number."""


def build_conquest(view: View, siege: Siege) -> Conquest:
    table, province = view.table, siege.province
    first = options.rank_placements(view, siege)[0]
    verb: ConquestVerb = Verb.OCCUPY if province.holder is None else Verb.TAKEOVER
    most = siege.removal + symbols_on(table, province.places)
    given = costs.check_placement(view, verb, first, None).given
    loses = province.holder is not None and len(table.names) > 2
    sites = []
    for place in province.places:
        symbol = table.board.symbol_at(place)
        sites.append(GuardSite(table.board.names[place], symbol, str(place), place in first))
    return Conquest(
        name=str(province.first),
        heading=options.siege_heading(table, siege),
        verb=verb,
        sites=tuple(sites),
        most=siege.most,
        removal=phrases.format_cards(siege.removal) if len(siege.removal) else "",
        loser=phrases.safe_name(table.names[province.holder])
        if loses and province.holder is not None
        else "",
        gifts=tuple((SYMBOL_INDEX[card], card, most[card], given[card]) for card in most.kinds())
        if loses
        else (),
    )


def seat_mark(seat: int, name: str) -> dict[str, str]:
    return {"words": phrases.seat_look(seat), "initial": palette.initial_of(name, seat)}


MOST_ACTIONS_SHOWN = 24
MOST_MARCHES_SHOWN = 150
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class PreviewOutcome:
    preview: Preview
    details: tuple[str, ...]
    path: Path
    later: tuple[str, ...]

    @property
    def stops_at_draw(self) -> bool:
        return self.preview.done[-1:] == (write(Draw(), self.preview.position.table.board),)


@dataclass(frozen=True, slots=True)
class Disambiguation:
    line: str
    known: View
    """The player's knowledge when the line is read."""
    choices: tuple[Option, ...]
    paths: tuple[tuple[Point, ...], ...]
    labels: dict[Point, str]
    numbers: Mapping[Point, str]
    more: bool
    trails: tuple[Path, ...] = ()


def preview_lines(position: Position, seat: int, lines: Sequence[str]) -> PreviewOutcome | Disambiguation:
    """Preview lines of `seat`, the player to move. Raises `LinesRefused`."""
    if len(lines) > MOST_ACTIONS:
        raise LinesRefused(lines[MOST_ACTIONS], Illegal("3.1", "a turn has not so many actions"))
    try:
        seen = preview(position, seat, lines, page_vocabulary())
    except LinesRefused as refused:
        if not isinstance(refused.refusal, Ambiguous) or refused.resume_point is None:
            raise
        return _ask_which(refused.line, refused.resume_point, refused.refusal)
    left = seen.left
    if left and seen.position.table.phase is Phase.MARCH:  # an unknown card changes no target (4.11)
        known = view(seen.position, seat)
        try:
            grammar.read(left[0], known, page_vocabulary())
        except Ambiguous as ambiguous:
            resume_point = ResumePoint(known, seen.done, left[1:])
            return _ask_which(left[0], resume_point, ambiguous)
        except ActionRefused as refusal:
            raise LinesRefused(left[0], refusal) from None
    details, path = [], Path()
    for event in seen.events:
        if type(event) in ACTIONS:
            details.append(options.describe(view(position, seat), action_of(event)).detail)
        if isinstance(event, AlexanderMarched):
            path = event.path
        position = evolve(position, event)
    return PreviewOutcome(seen, tuple(filter(None, details)), path, left)


# --- questions ------------------------------------------------------------------------------------------


def _ask_which(line: str, resume_point: ResumePoint, refusal: Ambiguous) -> Disambiguation:
    known = resume_point.known
    numbers = number_corners(known, None)
    order, *_ = parse(line, known.table.board, NO_CHOICES, page_vocabulary())
    if isinstance(refusal.candidates[0], March):
        found, paths, marked, trails = _march_choices(known, order, numbers)
        within = tuple(_embed_choice(resume_point, one) for one in found)
        return Disambiguation(line, known, within, paths, marked, numbers, more=False, trails=trails)
    actions: list[Action] = list(refusal.candidates)
    if order.verb == Verb.TAKEOVER:
        actions = [*options.list_takeovers(known.table, tuple(sorted(order.places)))]
    offered = (
        _embed_choice(resume_point, options.describe(known, action))
        for action in actions[:MOST_ACTIONS_SHOWN]
    )
    return Disambiguation(line, known, tuple(offered), (), {}, {}, more=len(actions) > MOST_ACTIONS_SHOWN)


def _embed_choice(resume_point: ResumePoint, choice: Option) -> Option:
    return replace(choice, words="; ".join((*resume_point.before, choice.words, *resume_point.rest)))


@dataclass(frozen=True)
class _Goal:
    """A corner that an order may mean, and the points that the order names."""

    target: Space
    ways: ShortestPaths
    passed: Path

    @cached_property
    def counts(self) -> Counter[int]:
        """The number of paths, by the number of new walls."""
        return self.ways.count_by_walls(self.passed)

    def marches(self) -> list[March]:
        return [March(self.target, path) for path in self.ways.paths_through(self.passed)]

    def first_fork(self) -> tuple[Path, dict[Point, _Goal]]:
        """Return the path to the first fork, and for each next point the goal narrowed to this point."""
        trail: Path = (self.ways.table.alexander,)
        far = self.ways.table.board.distances_from(self.ways.corner)
        while True:
            found: dict[Point, _Goal] = {}
            for step in sorted(self.ways.next_points(trail[-1])):
                passed = sorted({*self.passed, step, self.ways.corner}, key=lambda one: -far[one])
                narrowed = replace(self, passed=tuple(passed))
                if narrowed.counts:
                    found[step] = narrowed
            if len(found) != 1:
                return trail, found
            trail += (*found,)


def _matching_goals(known: View, order: Order) -> list[_Goal]:
    found: dict[Point, _Goal] = {}
    for space in march_rules.targets_of_chosen(known.table):
        if order.places and space not in order.places:
            continue
        for corner in march_rules.reachable_corners(known.table, space):
            if corner not in found and order.can_end_on(corner):
                ways = ShortestPaths(known.table, corner)
                found[corner] = _Goal(space, ways, order.points)
    return [goal for goal in found.values() if goal.counts]


MarchChoices = tuple[list[Option], tuple[Path, ...], dict[Point, str], tuple[Path, ...]]


def _march_choices(known: View, order: Order, numbers: Mapping[Point, str]) -> MarchChoices:
    goals = _matching_goals(known, order)
    if sum(goal.counts.total() for goal in goals) <= MOST_MARCHES_SHOWN:
        return _list_marches(known, [march for goal in goals for march in goal.marches()], numbers)
    if len(goals) > 1:
        return [_summarize_ways(known, goal, numbers) for goal in goals], (), {}, ()
    trail, parts = goals[0].first_fork()
    marked = dict(zip(parts, LETTERS, strict=False))
    found = [
        _summarize_ways(known, goal, numbers, (point,), f"{marked[point]}: ") for point, goal in parts.items()
    ]
    return found, (), marked, tuple((*trail, point) for point in parts)


def _summarize_ways(
    known: View, goal: _Goal, numbers: Mapping[Point, str], by: Path = (), letter: str = ""
) -> Option:
    table, corner = known.table, goal.ways.corner
    if goal.counts.total() == 1:
        alone = options.describe_march(known, goal.marches()[0], known.hand, numbers[corner])
        return replace(alone, title=letter + alone.title)
    title = letter + options.corner_title(table, (goal.target,), corner, numbers[corner], by)
    points = "-".join(map(str, goal.passed or (corner,)))
    words = f"march {table.board.names[goal.target]} {points}"
    detail = ngettext(
        "%(count)s ways, with %(number)s new wall or more",
        "%(count)s ways, with %(number)s new walls or more",
        min(goal.counts),
        count=goal.counts.total(),
    )
    return Option(words, title, detail, True)


def _list_marches(known: View, marches: Iterable[March], numbers: Mapping[Point, str]) -> MarchChoices:
    """Return the marches, best first; a title begins with a label ("a") if a point is on no other path."""
    found = [options.describe_march(known, one, known.hand, numbers[one.path[-1]]) for one in marches]
    found.sort(key=lambda one: -one.merit)
    passing = Counter(point for one in found for point in one.path)
    marked: dict[Point, str] = {}
    named = []
    for choice in found:
        own = [point for point in choice.path if passing[point] == 1]
        if own and passing[choice.path[-1]] > 1 and len(marked) < len(LETTERS):
            letter = marked[own[len(own) // 2]] = LETTERS[len(marked)]
            choice = replace(choice, title=f"{letter}: {choice.title}")
        named.append(choice)
    return named, tuple(one.path for one in named), marked, ()
