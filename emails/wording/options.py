"""The reader's options, the best first, for the buttons of letters and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import assert_never

from emails.i18n import gettext, gettext_noop, ngettext
from emails.wording import phrases
from engine import march_rules, rules
from engine.actions import Action, Choose, Draw, End, Levy, March, Occupy, Play, Recall, Stay, Take, TakeOver
from engine.board import Point, Space
from engine.cards import EMPTY, ONE, Bag, Symbol
from engine.notation.grammar import list_goal_corners
from engine.notation.orders import write
from engine.position import Phase, Table, View
from engine.provinces import (
    Province,
    Siege,
    find_siege,
    find_sieges,
    levy_gains,
    loser_share,
    province_at,
    symbols_on,
)

STAY_HEADING = gettext_noop("No march is possible: stay, and the game ends after this turn")


def stay_title(card: Symbol | None) -> str:
    if card is None:
        return gettext("Stay where he is")
    return gettext("Stay where he is and take %(card)s", card=phrases.the_card(card))


def card_heading(table: Table, card: Choose | Play, targets: Sequence[Space], *, joker: bool) -> str:
    where = _targets_phrase(table, targets)
    if isinstance(card, Play):
        held = phrases.a_card(card.card)
        return phrases.capitalize_first(
            gettext("Discard %(card)s from your hand and march to %(targets)s", card=held, targets=where)
        )
    lying = phrases.the_card(card.card)
    if joker:
        return phrases.capitalize_first(
            gettext("Take %(card)s as a joker and march to %(targets)s", card=lying, targets=where)
        )
    return phrases.capitalize_first(
        gettext("Take %(card)s and march with it to %(targets)s", card=lying, targets=where)
    )


def _targets_phrase(table: Table, targets: Sequence[Space]) -> str:
    if len(targets) <= 3:
        return phrases.format_places(table, targets, "or")
    return gettext("one of %(number)s symbols", number=len(targets))


def target_heading(table: Table, target: Space) -> str:
    borne = table.board.symbols[target]
    assert borne
    return gettext(
        "To %(place)s (%(symbol)s)",
        place=phrases.name_place(table, target),
        symbol=phrases.symbol_name(borne),
    )


def corner_title(table: Table, targets: Sequence[Space], corner: Point, label: str) -> str:
    named = _targets_phrase(table, targets)
    if not label:
        return gettext("%(targets)s, corner %(corner)s", targets=named, corner=corner)
    return gettext("%(targets)s, corner %(label)s (%(corner)s)", targets=named, corner=corner, label=label)


def add_waypoints(goal: str, points: Sequence[Point]) -> str:
    passed = "-".join(str(point) for point in points)
    return gettext("%(goal)s, via %(points)s", goal=goal, points=passed) if passed else goal


def path_count_detail(count: int, least: int) -> str:
    return ngettext(
        "%(count)s ways there, with %(number)s new wall or more: you are asked which",
        "%(count)s ways there, with %(number)s new walls or more: you are asked which",
        least,
        count=count,
    )


def march_detail(view: View, told: march_rules.MarchOutcome, hand: Bag) -> str:
    """Describe the effects of a march; `hand` is the hand after the card is played."""
    return "; ".join(
        [
            _laid_walls_phrase(len(told.laid), told.red),
            *(_split_phrase(view, split, hand) for split in told.splits),
        ]
    )


def _laid_walls_phrase(laid: int, red: int) -> str:
    if not red:
        return phrases.format_walls(laid) if laid else gettext("no new wall")
    if red == laid:
        return ngettext(
            "%(number)s red wall: this is then the last turn",
            "%(number)s red walls: this is then the last turn",
            red,
        )
    walls = phrases.format_walls(laid)
    return gettext("%(walls)s, %(red)s of them red: this is then the last turn", walls=walls, red=red)


def _split_phrase(view: View, split: march_rules.ProvinceSplit, hand: Bag) -> str:
    table, was = view.table, split.before
    free = [part for part in split.cut_off if part.holder is None]
    if was.holder is None:
        phrase = gettext("closes off %(parts)s", parts=_parts_phrase(table, free))
    else:
        kept = phrases.format_list(_kept_phrase(part) for part in split.parts if part.holder is not None)
        phrase = phrases.gettext_for_seat(
            table,
            was.holder,
            view.me,
            gettext_noop("splits your province worth %(value)s: you keep %(kept)s"),
            gettext_noop("splits %(name)s's province worth %(value)s: %(name)s keeps %(kept)s"),
            value=was.value,
            kept=kept,
        )
        if free:
            phrase = gettext(
                "%(split)s, free are then %(parts)s", split=phrase, parts=_parts_phrase(table, free)
            )
    return _add_prospect(view, phrase, free, hand)


def _add_prospect(view: View, phrase: str, free: Sequence[Province], hand: Bag) -> str:
    sieges = [
        siege
        for part in free
        if part.value and (siege := find_siege(view.table, view.table.seat, hand, part))
    ]
    if not sieges:
        return phrase
    best = next((siege for siege in sieges if siege.can_score), sieges[0])
    where = phrases.format_places(view.table, best.province.places)
    if best.can_score:
        if len(free) == 1:
            return gettext("%(split)s: it can be occupied at once", split=phrase)
        return gettext("%(split)s: %(places)s can be occupied at once", split=phrase, places=where)
    guards = phrases.format_guards(best.fewest_guards)
    if len(free) == 1:
        return ngettext(
            "%(split)s: it takes %(guards)s, and scores nothing until one is taken back",
            "%(split)s: it takes %(guards)s, and scores nothing until %(number)s are taken back",
            best.fewest_guards - 1,
            split=phrase,
            guards=guards,
        )
    return ngettext(
        "%(split)s: %(places)s takes %(guards)s, and scores nothing until one is taken back",
        "%(split)s: %(places)s takes %(guards)s, and scores nothing until %(number)s are taken back",
        best.fewest_guards - 1,
        split=phrase,
        places=where,
        guards=guards,
    )


def _parts_phrase(table: Table, parts: Sequence[Province]) -> str:
    return phrases.format_list(_part_phrase(table, part) for part in parts)


def _part_phrase(table: Table, part: Province) -> str:
    size = len(part.spaces)
    if not part.places:
        return ngettext(
            "%(number)s space that nobody can occupy", "%(number)s spaces that nobody can occupy", size
        )
    return ngettext(
        "%(number)s space worth %(value)s (%(places)s)",
        "%(number)s spaces worth %(value)s (%(places)s)",
        size,
        value=part.value,
        places=phrases.summarize_places(table, part.places),
    )


def _kept_phrase(part: Province) -> str:
    if len(part.guards) == 1:
        return str(part.value)
    return gettext("%(value)s with %(number)s guards", value=part.value, number=len(part.guards))


SCORELESS_HEADING = gettext_noop("Put guards where they score nothing")
CARDS_HEADING = gettext_noop("Get a card")
LEVY_HEADING = gettext_noop("Levy taxes: each province with exactly one guard scores")
RECALL_HEADING = gettext_noop("Take a guard back into your supply")
END_HEADING = gettext_noop("Or stop here")
MORE_WAYS_TITLE = gettext_noop("More ways: name the places for the guards yourself")


def levy_title(card: Symbol) -> str:
    return phrases.capitalize_first(gettext("%(card)s for a levy", card=phrases.a_card(card)))


def recall_title(table: Table, place: Space) -> str:
    return gettext("The guard on %(place)s comes back", place=phrases.name_place(table, place))


def siege_heading(table: Table, siege: Siege) -> str:
    province = siege.province
    where = phrases.summarize_places(table, province.places)
    if province.holder is None:
        return gettext(
            "Occupy a free province worth %(value)s (%(places)s)", value=province.value, places=where
        )
    return gettext(
        "Take over %(name)s's province worth %(value)s (%(places)s)",
        name=phrases.safe_name(table.names[province.holder]),
        value=province.value,
        places=where,
    )


def placement_title(table: Table, guards: Sequence[Space]) -> str:
    return ngettext(
        "Guard on %(places)s",
        "Guards on %(places)s",
        len(guards),
        places=phrases.format_places(table, guards),
    )


def conquest_detail(view: View, siege: Siege, guards: Sequence[Space], paid: Bag, given: Bag) -> str:
    table, value = view.table, siege.province.value
    costs = gettext("costs %(cards)s", cards=phrases.format_cards(paid))
    details = [costs if len(paid) else gettext("costs no card")]
    if siege.province.holder is not None and len(given):
        details.append(gift_detail(table, siege.province.holder, given))
    if len(guards) > 1:
        details.append(gettext("%(number)s guards in it: scores nothing", number=len(guards)))
    else:
        details.append(
            gettext("scores %(value)s whenever taxes are levied", value=value)
            if value
            else gettext("worth nothing")
        )
        standing = symbols_on(table, table.guards[table.seat] + tuple(guards))
        if not table.levied and table.actions_left > 1 and value:
            left = view.hand - paid
            able = [card for card in left.kinds() if card in standing]
            details.append(
                gettext("then %(card)s could levy taxes", card=phrases.a_card(able[0]))
                if able
                else gettext("then no card of yours could levy taxes")
            )
    return "; ".join(details)


def gift_detail(table: Table, loser: int, given: Bag) -> str:
    return gettext(
        "%(name)s gets %(cards)s",
        name=phrases.safe_name(table.names[loser]),
        cards=phrases.format_cards(given),
    )


def action_title(table: Table, action: Draw | Take | Levy | Recall | End) -> str:
    match action:
        case Draw():
            return gettext("Draw from the supply")
        case Take(card):
            return phrases.capitalize_first(
                gettext("Take %(card)s from the display", card=phrases.the_card(card))
            )
        case Levy(card):
            return gettext("With %(card)s", card=phrases.a_card(card))
        case Recall(place):
            return gettext("From %(place)s", place=phrases.name_place(table, place))
        case End():
            return gettext("End your turn")


def action_detail(view: View, action: Draw | Take | Levy | Recall | End) -> str:
    table = view.table
    match action:
        case Draw():
            return gettext("an unknown card, one of %(number)s", number=view.supply_size)
        case Take(card):
            return gettext(
                "you would hold %(cards)s", cards=phrases.format_symbol_count(card, view.hand[card] + 1)
            )
        case Levy():
            gained = enumerate(levy_gains(table))
            return ", ".join(f"{phrases.name_or_you(table, seat, view.me)} +{gain}" for seat, gain in gained)
        case Recall(place):
            return _recall_detail(province_at(table, place))
        case End():
            return ngettext(
                "%(number)s action is left unused", "%(number)s actions are left unused", table.actions_left
            )


def _recall_detail(province: Province) -> str:
    left = len(province.guards) - 1
    if not left:
        return gettext("its province, worth %(value)s, is then free", value=province.value)
    if left == 1:
        return gettext("its province then scores %(value)s whenever taxes are levied", value=province.value)
    return gettext("%(number)s guards stay in its province", number=left)


MOST_MARCHES = 24
"""Highest number of marches listed path by path for one card; with more, each corner is one choice."""
MOST_WAYS = 6
MOST_WITH_MORE = 2  # ways with more guards than needed, which cost fewer cards but score nothing


@dataclass(frozen=True, slots=True)
class Option:
    words: str
    """Orders in canonical English, separated by "; "; empty if the reader chooses further on the web page."""
    title: str
    detail: str = ""
    further: bool = False
    """True if the words leave several actions open, among which the reader chooses on the page."""
    outcome: march_rules.MarchOutcome | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class OptionGroup:
    heading: str
    choices: tuple[Option, ...]
    card: str = ""
    targets: tuple[Space, ...] = ()


@dataclass(frozen=True, slots=True)
class GoalCorner:
    corner: Point
    spaces: tuple[Space, ...]


def list_options(view: View, *, labelled: bool = True) -> tuple[OptionGroup, ...]:
    """List the options, the best first; `labelled`: number the corners."""
    if not view.my_turn:
        return ()
    match view.table.phase:
        case Phase.CARD:
            return tuple(_card_groups(view, _MarchOptions(view, labelled)))
        case Phase.MARCH:
            return tuple(_target_groups(view, _MarchOptions(view, labelled)))
        case Phase.ACTIONS:
            return tuple(_action_groups(view))
        case Phase.OVER:
            return ()
        case _:
            assert_never(view.table.phase)


def reachable_targets(view: View) -> tuple[Space, ...]:
    """Return the target spaces that Alexander can march to now, in reading order."""
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
    """Number the reachable corners of a card's targets, in reading order; None: the chosen card."""
    table = view.table
    if not view.my_turn or (card is None and table.phase is Phase.CARD):
        return {}
    spaces = reachable_targets(view) if card is None else _targets_of(table, card)
    return {corner: str(number) for number, corner in enumerate(list_goal_corners(table, spaces), 1)}


def heading_for_card(table: Table, card: Choose | Play) -> str:
    joker = isinstance(card, Choose) and march_rules.is_joker(table, card.card)
    return card_heading(table, card, _filter_reachable(table, _targets_of(table, card)), joker=joker)


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
    """Yield a group for each card, the display first; each choice is a card with a march (4.11)."""
    table = view.table
    stays: list[Option] = []
    found: list[tuple[int, float, OptionGroup]] = []
    for card in rules.card_choices(view):
        if isinstance(card, Stay):
            stays.append(Option(write(card, table.board), stay_title(card.card)))
            continue
        taken = isinstance(card, Choose)
        spaces = _filter_reachable(table, _targets_of(table, card))
        hand = view.hand + ONE[card.card] if taken else view.hand - ONE[card.card]
        words = write(card, table.board)
        ranked = marches.rank_options(_goal_corners(table, spaces), hand, card)
        group = OptionGroup(
            heading_for_card(table, card), tuple(choice for _, _, choice in ranked), words, spaces
        )
        rank = (
            0 if taken else 1 if card.card not in table.display else 2
        )  # keep the card if the display has one too
        found.append((rank, -max(merit for merit, _, _ in ranked), group))
    if stays:
        yield OptionGroup(gettext(STAY_HEADING), tuple(stays))
    yield from (group for _, _, group in sorted(found, key=lambda one: one[:2]))


def _target_groups(view: View, marches: _MarchOptions) -> Iterator[OptionGroup]:
    table = view.table
    goals = _goal_corners(table, march_rules.targets_of_chosen(table))
    by_target: dict[Space, list[Option]] = {}
    for _, goal, choice in marches.rank_options(goals, view.hand, None):
        by_target.setdefault(goal.spaces[0], []).append(choice)
    for target, found in by_target.items():
        yield OptionGroup(target_heading(table, target), tuple(found), targets=(target,))


class _MarchOptions:
    def __init__(self, view: View, labelled: bool) -> None:
        self.view, self.labelled = view, labelled
        self.outcomes: dict[march_rules.Path, march_rules.MarchOutcome] = {}

    def rank_options(
        self, goals: list[GoalCorner], hand: Bag, card: Choose | Play | None
    ) -> list[tuple[float, GoalCorner, Option]]:
        """Return the marches to corners with ratings, the best first; `hand`: the hand after the march."""
        labels = number_corners(self.view, card) if self.labelled else {}
        before = "" if card is None else write(card, self.view.table.board) + "; "
        counts = [march_rules.ShortestPaths(self.view.table, goal.corner).count() for goal in goals]
        made = self._path_options if sum(counts) <= MOST_MARCHES else self._corner_options
        found: list[tuple[float, GoalCorner, Option]] = []
        for goal, count in zip(goals, counts, strict=True):
            title = corner_title(self.view.table, goal.spaces, goal.corner, labels.get(goal.corner, ""))
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
            detail = march_detail(self.view, known, hand)
            named = add_waypoints(title, path[1:-1]) if count > 1 else title
            yield rate_march(table, known, hand), goal, Option(words, named, detail, outcome=known)

    def _corner_options(
        self, goal: GoalCorner, title: str, count: int, hand: Bag, before: str
    ) -> Iterator[tuple[float, GoalCorner, Option]]:
        if count == 1:
            yield from self._path_options(goal, title, count, hand, before)
            return
        table = self.view.table
        words = f"{before}march {table.board.names[goal.spaces[0]]} {goal.corner}"
        detail = path_count_detail(count, march_rules.ShortestPaths(table, goal.corner).fewest_walls())
        yield 0, goal, Option(words, title, detail, further=True)


def rate_march(table: Table, outcome: march_rules.MarchOutcome, hand: Bag) -> float:
    """Estimate how many points a march brings the mover in later levies."""
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
    siege = None if part.holder is not None else find_siege(table, table.seat, hand, part)
    return part.value if siege is not None and siege.can_score else 0


def _action_groups(view: View) -> Iterator[OptionGroup]:
    table = view.table
    headings: dict[type[Action], str] = {
        Levy: LEVY_HEADING,
        Draw: CARDS_HEADING,
        Take: CARDS_HEADING,
        Recall: RECALL_HEADING,
        Occupy: SCORELESS_HEADING,
        End: END_HEADING,
    }
    found: dict[str, list[Option]] = {heading: [] for heading in headings.values()}
    for siege in sorted(find_sieges(table, table.seat, view.hand), key=lambda one: -one.province.value):
        ways = _conquest_options(view, siege)
        if siege.province.value and siege.can_score:
            yield OptionGroup(siege_heading(table, siege), tuple(ways))
        else:
            found[SCORELESS_HEADING] += ways
    for action in rules.simple_actions(view):
        words = write(action, table.board)
        choice = Option(words, action_title(table, action), action_detail(view, action))
        found[headings[type(action)]].append(choice)
    yield from (OptionGroup(gettext(heading), tuple(made)) for heading, made in found.items() if made)


def _conquest_options(view: View, siege: Siege) -> Iterator[Option]:
    table = view.table
    with_more = 0
    for shown, action in enumerate(_conquest_actions(view, siege)):
        with_more += len(action.guards) > siege.fewest_guards
        if shown == MOST_WAYS or with_more > MOST_WITH_MORE:
            yield Option("", gettext(MORE_WAYS_TITLE), further=True)
            return
        paid = siege.price(table, action.guards)
        given = action.given if isinstance(action, TakeOver) else EMPTY
        detail = conquest_detail(view, siege, action.guards, paid, given)
        yield Option(write(action, table.board), placement_title(table, action.guards), detail)


def _conquest_actions(view: View, siege: Siege) -> Iterator[Occupy | TakeOver]:
    for guards in guard_placements(view, siege):
        if siege.province.holder is None:
            yield Occupy(guards)
            continue
        paid = siege.price(view.table, guards)
        share = loser_share(view.table, paid)
        yield from (TakeOver(guards, given) for given in paid.handfuls(share))


def guard_placements(view: View, siege: Siege) -> Iterator[tuple[Space, ...]]:
    """Yield placements lazily, the fewest guards first; of equal number, first those that allow a levy."""
    for many in range(siege.fewest_guards, siege.most + 1):
        up_to = replace(siege, most=many)
        exactly = (guards for guards in up_to.guard_places(view.table) if len(guards) == many)
        first = sorted(islice(exactly, 2 * MOST_WAYS), key=lambda guards: not _can_levy(view, siege, guards))
        yield from chain(first, exactly)


def _can_levy(view: View, siege: Siege, guards: tuple[Space, ...]) -> bool:
    left = view.hand - siege.price(view.table, guards)
    return any(card in left for card in symbols_on(view.table, guards))
