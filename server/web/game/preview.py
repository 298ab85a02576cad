"""The preview of orders: their outcome, or a question if they are ambiguous.

"march Larissa D4" is ambiguous if three paths lead there. If there are too many paths to list, the question
lists groups of paths instead: one group for each next point after the point at which the paths first divide.
The next question is about the paths of the chosen group.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from emails.i18n import ngettext
from emails.picture import palette
from emails.wording import costs, options, phrases
from emails.wording.costs import ConquestVerb
from emails.wording.options import Option, number_corners
from engine import march_rules
from engine.actions import Action, ActionRefused, Ambiguous, Draw, Illegal, March
from engine.board import Point, Space, side
from engine.cards import SYMBOL_INDEX, Symbol
from engine.event_log import ACTIONS, action_of
from engine.events import AlexanderMarched
from engine.evolve import evolve
from engine.march_rules import Path
from engine.notation import grammar
from engine.notation.orders import Order, Verb, write
from engine.notation.parser import NO_CHOICES, parse
from engine.position import Phase, Position, Table, View, view
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


def lines_of(words: str) -> list[str]:
    return [line for part in re.split(r"[;\r\n]", words) if (line := " ".join(part.split()))]


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
            grammar.read(left[0], known, NO_CHOICES, page_vocabulary())
        except Ambiguous as ambiguous:
            resume_point = ResumePoint(known, seen.done, left[1:])
            return _ask_which(left[0], resume_point, ambiguous)
        except ActionRefused as refusal:
            raise LinesRefused(left[0], refusal) from None
    return PreviewOutcome(
        seen, tuple(filter(None, _action_details(position, seat, seen))), _march_path(seen), left
    )


def _march_path(seen: Preview) -> Path:
    return next((event.path for event in seen.events if isinstance(event, AlexanderMarched)), ())


def _action_details(position: Position, seat: int, seen: Preview) -> Iterator[str]:
    for event in seen.events:
        if type(event) in ACTIONS:
            yield options.describe(view(position, seat), action_of(event)).detail
        position = evolve(position, event)


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


class _CornerPaths:
    def __init__(self, table: Table, target: Space, corner: Point, passed: Path) -> None:
        self.table, self.target, self.corner, self.passed = table, target, corner, passed
        self.ways = march_rules.ShortestPaths(table, corner)
        self.far = table.board.distances_from(corner)
        self._wanted = {self.far[point]: point for point in passed}
        self._onward: dict[Point, Counter[int]] = {corner: Counter({0: 1})}

    def _count_onward(self, point: Point) -> Counter[int]:
        if point not in self._onward:
            found: Counter[int] = Counter()
            for step in self._next_points(point):
                price = march_rules.wall_cost(self.table, side(point, step))
                for laid, many in self._count_onward(step).items():
                    found[price + laid] += many
            self._onward[point] = found
        return self._onward[point]

    def _next_points(self, point: Point) -> Iterator[Point]:
        """Return the next points of a march; only the required point if the order names one for this step."""
        return (
            step for step in self.ways.next_points(point) if self._wanted.get(self.far[step], step) == step
        )

    def _count_affordable(self, point: Point, laid: int) -> Counter[int]:
        left = self.table.walls_left - laid
        return Counter(
            {laid + more: many for more, many in self._count_onward(point).items() if more <= left}
        )

    def count_by_walls(self) -> Counter[int]:
        return self._count_affordable(self.table.alexander, 0)

    def marches(self) -> Iterator[March]:
        return (March(self.target, path) for path in self.ways.paths_through(self.passed))

    def first_fork(self) -> tuple[Path, dict[Point, Counter[int]]]:
        """Return the path to the first fork, and for each next point the number of paths by wall cost."""
        point, laid = self.table.alexander, 0
        trail = [point]
        while True:
            prices = {
                step: laid + march_rules.wall_cost(self.table, side(point, step))
                for step in self._next_points(point)
            }
            found = {step: those for step in prices if (those := self._count_affordable(step, prices[step]))}
            if len(found) != 1:
                return tuple(trail), found
            (point,) = found
            trail.append(point)
            laid = prices[point]

    def narrow_to(self, point: Point) -> _CornerPaths:
        passed = sorted({*self.passed, point, self.corner}, key=lambda one: -self.far[one])
        return _CornerPaths(self.table, self.target, self.corner, tuple(passed))


def _matching_corners(known: View, order: Order) -> list[_CornerPaths]:
    found: dict[Point, _CornerPaths] = {}
    for space in march_rules.targets_of_chosen(known.table):
        if order.places and space not in order.places:
            continue
        for corner in march_rules.reachable_corners(known.table, space):
            if corner not in found and order.can_end_on(corner):
                found[corner] = _CornerPaths(known.table, space, corner, order.points_towards(corner))
    return [goal for goal in found.values() if goal.count_by_walls()]


MarchChoices = tuple[list[Option], tuple[Path, ...], dict[Point, str], tuple[Path, ...]]


def _march_choices(known: View, order: Order, numbers: Mapping[Point, str]) -> MarchChoices:
    goals = _matching_corners(known, order)
    if sum(goal.count_by_walls().total() for goal in goals) <= MOST_MARCHES_SHOWN:
        return _list_marches(known, [march for goal in goals for march in goal.marches()], numbers)
    if len(goals) > 1:
        return [_summarize_ways(known, goal, numbers) for goal in goals], (), {}, ()
    trail, those = goals[0].first_fork()
    parts = sorted(those)
    marked = dict(zip(parts, LETTERS, strict=False))
    found = [
        _summarize_ways(known, goals[0].narrow_to(point), numbers, (point,), f"{marked[point]}: ")
        for point in parts
    ]
    return found, (), marked, tuple((*trail, point) for point in parts)


def _summarize_ways(
    known: View, goal: _CornerPaths, numbers: Mapping[Point, str], by: Path = (), letter: str = ""
) -> Option:
    table, those = known.table, goal.count_by_walls()
    if those.total() == 1:
        alone = _list_marches(known, list(goal.marches()), numbers)[0][0]
        return replace(alone, title=letter + alone.title)
    title = letter + options.corner_title(table, (goal.target,), goal.corner, numbers[goal.corner], by)
    points = "-".join(str(point) for point in goal.passed or (goal.corner,))
    words = f"march {table.board.names[goal.target]} {points}"
    detail = ngettext(
        "%(count)s ways, with %(number)s new wall or more",
        "%(count)s ways, with %(number)s new walls or more",
        min(those),
        count=those.total(),
    )
    return Option(words, title, detail, True)


def _list_marches(known: View, marches: Iterable[March], numbers: Mapping[Point, str]) -> MarchChoices:
    found = [options.describe_march(known, one, known.hand, numbers[one.path[-1]]) for one in marches]
    found.sort(key=lambda one: -one.merit)
    paths = tuple(one.path for one in found)
    marked, found = letter_ways(found, paths)
    return found, paths, marked, ()


def letter_ways(found: Sequence[Option], paths: Sequence[Path]) -> tuple[dict[Point, str], list[Option]]:
    """Put a label ("a", "b") before the title of each choice whose path has a point on no other path.

    Returns the labels by the points at which they are drawn, and all choices.
    """
    marked: dict[Point, str] = {}
    named = []
    passing = Counter(point for path in paths for point in path)
    for choice, path in zip(found, paths, strict=True):
        own = [point for point in path if passing[point] == 1]
        if own and passing[path[-1]] > 1 and len(marked) < len(LETTERS):
            letter = marked[own[len(own) // 2]] = LETTERS[len(marked)]
            choice = replace(choice, title=f"{letter}: {choice.title}")
        named.append(choice)
    return marked, named
