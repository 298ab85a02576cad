"""The orders that a player can give, with prices and gains in words, for letters, pages, API and answers.

Each option is made by `describe` or by functions here that complete it, so it reads the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain, islice
from typing import assert_never

from emails.i18n import gettext, gettext_noop, ngettext
from emails.wording import phrases
from engine import march_rules, rules
from engine.actions import Action, Choose, Draw, End, Levy, March, Occupy, Play, Recall, Stay, Take, TakeOver
from engine.board import Point, Space, corners
from engine.cards import EMPTY, ONE, Bag
from engine.march_rules import MarchOutcome, Path, ShortestPaths
from engine.notation import grammar
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
    province_to_conquer,
    removal_cost,
    symbols_on,
)

STAY_HEADING = gettext_noop("No march is possible: stay, and the game ends after this turn")


def heading_for_card(table: Table, card: Choose | Play) -> str:
    targets = [space for space in _targets_of(table, card) if march_rules.reachable_corners(table, space)]
    is_held, where = isinstance(card, Play), phrases.summarize_places(table, targets, "or")
    named = phrases.a_card(card.card) if is_held else phrases.the_card(card.card)
    if is_held:
        words = gettext_noop("Discard %(card)s from your hand and march to %(targets)s")
    elif march_rules.is_joker(table, card.card):
        words = gettext_noop("Take %(card)s as a joker and march to %(targets)s")
    else:
        words = gettext_noop("Take %(card)s and march with it to %(targets)s")
    return phrases.capitalize_first(gettext(words, card=named, targets=where))


def corner_title(
    table: Table, targets: Sequence[Space], corner: Point, label: str, via: Sequence[Point] = ()
) -> str:
    named = phrases.summarize_places(table, targets, "or")
    goal = gettext("%(targets)s, corner %(corner)s", targets=named, corner=corner)
    if label:
        words = gettext_noop("%(targets)s, corner %(label)s (%(corner)s)")
        goal = gettext(words, targets=named, corner=corner, label=label)
    return gettext("%(goal)s, via %(points)s", goal=goal, points="-".join(map(str, via))) if via else goal


def path_count_detail(count: int, least: int) -> str:
    return ngettext(
        "%(count)s ways there, with %(number)s new wall or more: you are asked which",
        "%(count)s ways there, with %(number)s new walls or more: you are asked which",
        least,
        count=count,
    )


def _split_phrase(view: View, split: march_rules.ProvinceSplit, hand: Bag) -> str:
    table, was = view.table, split.before
    free = [part for part in split.cut_off if part.holder is None]
    if was.holder is None:
        phrase = gettext("closes off %(parts)s", parts=_parts_phrase(table, free))
    else:
        kept = phrases.format_list(
            str(part.value)
            if len(part.guards) == 1
            else gettext("%(value)s with %(number)s guards", value=part.value, number=len(part.guards))
            for part in split.parts
            if part.holder is not None
        )
        phrase = phrases.gettext_for_seat(
            view,
            was.holder,
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
    found = []
    for part in parts:
        size = len(part.spaces)
        if not part.places:
            words = ngettext(
                "%(number)s space that nobody can occupy", "%(number)s spaces that nobody can occupy", size
            )
        else:
            words = ngettext(
                "%(number)s space worth %(value)s (%(places)s)",
                "%(number)s spaces worth %(value)s (%(places)s)",
                size,
                value=part.value,
                places=phrases.summarize_places(table, part.places),
            )
        found.append(words)
    return phrases.format_list(found)


SCORELESS_HEADING = gettext_noop("Put guards where they score nothing")
CARDS_HEADING = gettext_noop("Get a card")
LEVY_HEADING = gettext_noop("Levy taxes: each province with exactly one guard scores")
RECALL_HEADING = gettext_noop("Take a guard back into your supply")
RECALL_GAIN = gettext_noop("+1 guard")
END_HEADING = gettext_noop("Or stop here")
MORE_WAYS_TITLE = gettext_noop("More ways: name the places for the guards yourself")


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


# --- options --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Option:
    words: str
    """Orders in canonical English, separated by "; "; empty if the reader chooses further on the web page."""
    title: str
    detail: str = ""
    further: bool = False
    """True if the words leave several actions open, among which the reader chooses on the page."""
    price: str = ""
    gain: str = ""
    """The gain in two or three words; for a march, what the reader can make of it at once."""
    gift: str = ""
    """The cards that the former holder of a province gets."""
    others: tuple[Option, ...] = ()
    """Variants of a takeover: other cards go to the former holder."""
    path: Path = ()
    merit: float = field(default=0.0, compare=False)
    """The estimated worth of a march in points, by which marches are sorted."""

    @property
    def points(self) -> str:
        return "-".join(map(str, self.path))


@dataclass(frozen=True, slots=True)
class OptionGroup:
    heading: str
    choices: tuple[Option, ...]


def format_levy_changes(table: Table, mine: int, rivals: Iterable[tuple[int, int]] = ()) -> str:
    """Format changes of the points in each later levy, such as "+5, Ben -2 a levy"."""
    told = [f"{phrases.safe_name(table.names[seat])} {change:+}" for seat, change in rivals if change]
    if mine or not told:
        told.insert(0, f"{mine:+}")
    return gettext("%(changes)s a levy", changes=", ".join(told))


def describe(view: View, action: Action) -> Option:
    """Return an action of the reader, whose turn it is, as an option."""
    table = view.table
    made = Option(write(action, table.board), "")
    match action:
        case March():
            return describe_march(view, action, view.hand)
        case Occupy() | TakeOver():
            return _describe_conquest(view, action)
        case Choose() | Play():
            return replace(made, title=heading_for_card(table, action))
        case Stay(stayed):
            title = gettext("Stay where he is")
            if stayed is not None:
                title = gettext("Stay where he is and take %(card)s", card=phrases.the_card(stayed))
            return replace(made, title=title)
        case Draw():
            title = gettext("Draw from the supply")
            detail = gettext("an unknown card, one of %(number)s", number=view.supply_size)
            return replace(made, title=title, detail=detail, gain=gettext("+1 card"))
        case Take(card):
            named = gettext("Take %(card)s from the display", card=phrases.the_card(card))
            held = phrases.format_symbol_count(card, view.hand[card] + 1)
            detail = gettext("you would hold %(cards)s", cards=held)
            return replace(made, title=phrases.capitalize_first(named), detail=detail)
        case Levy(card):
            price, gains = phrases.a_card(card), levy_gains(table)
            each = (f"{phrases.name_or_you(view, seat)} +{one}" for seat, one in enumerate(gains))
            title = phrases.capitalize_first(gettext("%(card)s for a levy", card=price))
            gain = gettext("you +%(value)s", value=gains[table.seat])
            return replace(made, title=title, detail=", ".join(each), price=price, gain=gain)
        case Recall(place):
            return _describe_recall(table, made, place)
        case End():
            left = table.actions_left
            detail = ngettext("%(number)s action is left unused", "%(number)s actions are left unused", left)
            return replace(made, title=gettext("End your turn"), detail=detail)
        case _:
            assert_never(action)


def _describe_recall(table: Table, made: Option, place: Space) -> Option:
    province = province_at(table, place)
    value, left = province.value, len(province.guards) - 1
    price, gain = "", gettext(RECALL_GAIN)
    if not left:
        detail = gettext("its province, worth %(value)s, is then free", value=value)
        price = format_levy_changes(table, -value) if value else ""
    elif left == 1:
        detail = gettext("its province then scores %(value)s whenever taxes are levied", value=value)
        gain += f", {format_levy_changes(table, value)}" if value else ""
    else:
        detail = gettext("%(number)s guards stay in its province", number=left)
    title = gettext("The guard on %(place)s comes back", place=phrases.name_place(table, place))
    return replace(made, title=title, detail=detail, price=price, gain=gain)


def _describe_conquest(view: View, action: Occupy | TakeOver) -> Option:
    table, guards = view.table, action.guards
    given = action.given if isinstance(action, TakeOver) else EMPTY
    where = phrases.format_places(table, guards)
    title = ngettext("Guard on %(places)s", "Guards on %(places)s", len(guards), places=where)
    province = province_to_conquer(table, table.seat, guards)
    siege = find_siege(table, table.seat, view.hand, province)
    if siege is None:
        return Option(write(action, table.board), title)
    paid, holder = siege.price(table, guards), province.holder
    value = province.value if len(guards) == 1 else 0
    lost = () if holder is None or not province.scores else ((holder, -province.scores),)
    return Option(
        write(action, table.board),
        title,
        conquest_detail(view, siege, guards, paid, given),
        price=phrases.format_card_count(len(paid)) if len(paid) else gettext("no card"),
        gain=format_levy_changes(table, value, lost) if value or lost else gettext("scores 0"),
        gift=phrases.format_cards(given),
    )


def describe_gift(view: View, action: TakeOver) -> Option:
    """Return a takeover as one of several that differ only in what the former holder gets."""
    table = view.table
    loser = province_to_conquer(table, table.seat, action.guards).holder
    assert loser is not None
    return Option(write(action, table.board), gift_detail(table, loser, action.given))


def describe_march(view: View, march: March, hand: Bag, label: str = "") -> Option:
    """Return a march as an option; `hand`: after the card is played, `label`: the number of its corner."""
    table, path = view.table, march.path
    told = march_rules.outcome_of(table, path)
    walls = phrases.format_walls(len(told.laid)) if told.laid else gettext("no new wall")
    if told.red and told.red == len(told.laid):
        walls = ngettext(
            "%(number)s red wall: this is then the last turn",
            "%(number)s red walls: this is then the last turn",
            told.red,
        )
    elif told.red:
        words = gettext_noop("%(walls)s, %(red)s of them red: this is then the last turn")
        walls = gettext(words, walls=walls, red=told.red)
    return Option(
        write(march, table.board),
        corner_title(table, (march.target,), path[-1], label, path[1:-1]),
        "; ".join((walls, *(_split_phrase(view, split, hand) for split in told.splits))),
        gain=_march_gain(view, told, hand),
        path=path,
        merit=_rate_march(table, told, hand),
    )


def _march_gain(view: View, told: MarchOutcome, hand: Bag) -> str:
    """Say what a march changes in levies if the best new province is occupied at once, or what this needs."""
    if told.red:
        return gettext("last turn")
    table, changes = view.table, [0] * len(view.table.names)
    for split in told.splits:
        if split.before.holder is not None:
            kept = sum(part.scores for part in split.parts if part.holder is not None)
            changes[split.before.holder] += kept - split.before.scores
    free = [part for split in told.splits for part in split.cut_off if part.holder is None]
    best = max((_gain_of_siege(table, hand, part) for part in free), default=0)
    changes[table.seat] += best
    if best or any(changes):
        rivals = ((seat, change) for seat, change in enumerate(changes) if seat != table.seat)
        return format_levy_changes(table, changes[table.seat], rivals)
    wanted = [symbols_on(table, part.places) for part in free if part.value and part.places]
    if wanted:
        fewest = min(max(1, len(missing_cards(symbols, hand))) for symbols in wanted)
        return gettext("needs %(guards)s", guards=phrases.format_guards(fewest))
    if free:
        return gettext("scores 0")
    return phrases.format_walls(len(told.laid)) if told.laid else gettext("no wall")


def missing_cards(wanted: Bag, held: Bag) -> Bag:
    return Bag.of(card for card in wanted.kinds() for _ in range(wanted[card] - held[card]))


def _rate_march(table: Table, outcome: MarchOutcome, hand: Bag) -> float:
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


MOST_MARCHES = 24
"""Highest number of marches listed path by path for one card; with more, each corner is one choice."""
MOST_WAYS = 6
MOST_GIFTS = 8


def list_options(view: View, *, labelled: bool = True) -> tuple[OptionGroup, ...]:
    """List the options, the best first; `labelled`: number the corners."""
    if not view.my_turn:
        return ()
    match view.table.phase:
        case Phase.CARD:
            return tuple(_card_groups(view, labelled))
        case Phase.MARCH:
            return tuple(_target_groups(view, labelled))
        case _:
            return tuple(_action_groups(view))


def _targets_of(table: Table, card: Choose | Play | None) -> tuple[Space, ...]:
    """Return the targets of a card; None: of the chosen card."""
    if card is None:
        return march_rules.targets_of_chosen(table)
    return march_rules.targets(table, card.card, from_display=isinstance(card, Choose))


def reachable_targets(view: View) -> tuple[Space, ...]:
    """Return the target spaces that Alexander can march to now, in reading order."""
    table = view.table
    if not view.my_turn or table.phase is Phase.ACTIONS:
        return ()
    cards = [None] if table.phase is Phase.MARCH else rules.card_choices(view)
    found = {space for card in cards if not isinstance(card, Stay) for space in _targets_of(table, card)}
    return tuple(space for space in sorted(found) if march_rules.reachable_corners(table, space))


def number_corners(view: View, card: Choose | Play | None) -> dict[Point, str]:
    """Number the reachable corners of a card's targets, in reading order; None: the chosen card."""
    table = view.table
    if not view.my_turn or (card is None and table.phase is not Phase.MARCH):
        return {}
    numbers = grammar.number_corners(table, _targets_of(table, card))
    return {corner: str(number) for corner, number in numbers.items()}


def _card_groups(view: View, labelled: bool) -> Iterator[OptionGroup]:
    """Yield a group for each card, the display first; each choice is a card with a march (4.11)."""
    table = view.table
    found: list[tuple[int, float, OptionGroup]] = []
    for card in rules.card_choices(view):
        if isinstance(card, Stay):
            yield OptionGroup(gettext(STAY_HEADING), (describe(view, card),))
            continue
        ranked = MarchOptions(view, card).list_options(labelled)
        # keep the card if the display has one too
        rank = 0 if isinstance(card, Choose) else 1 if card.card not in table.display else 2
        group = OptionGroup(heading_for_card(table, card), tuple(ranked))
        found.append((rank, -ranked[0].merit, group))
    yield from (group for _, _, group in sorted(found, key=lambda one: one[:2]))


def _target_groups(view: View, labelled: bool) -> Iterator[OptionGroup]:
    table, marches = view.table, MarchOptions(view, None)
    by_target: dict[Space, list[Option]] = {}
    for choice in marches.list_options(labelled):
        by_target.setdefault(marches.goals[choice.path[-1]][0], []).append(choice)
    for target, found in by_target.items():
        symbol = phrases.symbol_name(table.board.symbol_at(target))
        place = phrases.name_place(table, target)
        heading = gettext("To %(place)s (%(symbol)s)", place=place, symbol=symbol)
        yield OptionGroup(heading, tuple(found))


MOST_SHOWN = 24
"""Highest number of ways to a corner among which a page lets the reader choose at once."""
MOST_RATED = 48
MOST_ONWARD = 3


@dataclass(frozen=True, slots=True)
class CornerPick:
    """A corner that the card reaches, with the way that is drafted if the corner is chosen."""

    label: str
    """Number among the corners of the card."""
    corner: Point
    way: Option


class MarchOptions:
    """The marches of one card, with the player's knowledge before the march.

    `card`: the card to choose before the march; None if a card is chosen already.
    """

    def __init__(self, known: View, card: Choose | Play | None) -> None:
        table, hand, prefix = known.table, known.hand, ""
        if card is not None:
            hand = hand + ONE[card.card] if isinstance(card, Choose) else hand - ONE[card.card]
            prefix = f"{write(card, table.board)}; "
        self.known, self.card, self.hand, self.prefix = known, card, hand, prefix
        aims = _targets_of(table, card)
        self.numbers = grammar.number_corners(table, aims)
        self.goals = {
            corner: tuple(space for space in aims if corner in corners(space)) for corner in self.numbers
        }
        """The reachable corners in reading order, each with the targets that it belongs to."""
        self.targets = frozenset(space for spaces in self.goals.values() for space in spaces)
        self.paths = {corner: ShortestPaths(table, corner) for corner in self.goals}
        self._rate = cache(lambda path: _rate_march(table, march_rules.outcome_of(table, path), hand))

    @cached_property
    def corners(self) -> tuple[CornerPick, ...]:
        ways = {corner: self.make_way(path) for corner, path in self._best.items()}
        return tuple(CornerPick(str(number), corner, ways[corner]) for corner, number in self.numbers.items())

    @property
    def merit(self) -> float:
        return max(map(self._rate, self._best.values()))

    @cached_property
    def _best(self) -> dict[Point, Path]:
        """The best of the first ways to each corner."""
        most = max(4, MOST_RATED // max(1, len(self.goals)))
        return {corner: max(islice(ways, most), key=self._rate) for corner, ways in self.paths.items()}

    def list_options(self, labelled: bool) -> list[Option]:
        """Return all marches, best first; if these are many, one option for each corner with several ways."""
        table, counts = self.known.table, {corner: ways.count() for corner, ways in self.paths.items()}
        every, found = sum(counts.values()) <= MOST_MARCHES, list[Option]()
        for corner, spaces in self.goals.items():
            label = str(self.numbers[corner]) if labelled else ""
            if every or counts[corner] == 1:
                for path in self.paths[corner]:
                    via = path[1:-1] if counts[corner] > 1 else ()
                    title = corner_title(table, spaces, corner, label, via)
                    found.append(replace(self.make_way(path), title=title))
                continue
            words = f"{self.prefix}march {table.board.names[spaces[0]]} {corner}"
            title = corner_title(table, spaces, corner, label)
            detail = path_count_detail(counts[corner], self.paths[corner].fewest_walls())
            found.append(Option(words, title, detail, further=True, path=(corner,)))
        return sorted(found, key=lambda one: -one.merit)

    def list_ways(self, now: Path) -> tuple[Option, ...]:
        """Return the ways to the end of path `now`, best first; of many, only `now` and its `_detours`."""
        ways = self.paths[now[-1]]
        found = map(self.make_way, ways if ways.count() <= MOST_SHOWN else self._detours(now))
        return tuple(sorted(found, key=lambda one: -one.merit))

    def find_ways(self, corner: Point) -> tuple[Option, ...]:
        return self.list_ways(self._find_best(islice(self.paths[corner], MOST_SHOWN)).path)

    def make_way(self, path: Path) -> Option:
        made = describe_march(self.known, March(self.goals[path[-1]][0], path), self.hand)
        return replace(made, words=self.prefix + made.words)

    def _find_best(self, paths: Iterable[Path]) -> Option:
        return self.make_way(max(paths, key=self._rate))

    def _detours(self, now: Path) -> Iterator[Path]:
        """Return a path and its detours: at each point the best of a few ways that leave the path there."""
        yield now
        ways = self.paths[now[-1]]
        for at, point in enumerate(now[:-1], 1):
            for step in ways.next_points(point):
                onward = tuple(islice(ways.paths_through((*now[:at], step)), MOST_ONWARD))
                if step != now[at] and onward:
                    yield self._find_best(onward).path


# --- actions --------------------------------------------------------------------------------------------


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
        placed = conquest_options(view, siege)
        ways = [*placed, *(other for one in placed for other in one.others)]
        if len(ways) > MOST_WAYS:
            ways = [*ways[:MOST_WAYS], Option("", gettext(MORE_WAYS_TITLE), further=True)]
        if siege.province.value and siege.can_score:
            yield OptionGroup(siege_heading(table, siege), tuple(ways))
        else:
            found[SCORELESS_HEADING] += ways
    for action in rules.simple_actions(view):
        found[headings[type(action)]].append(describe(view, action))
    yield from (OptionGroup(gettext(heading), tuple(made)) for heading, made in found.items() if made)


def conquest_options(view: View, siege: Siege, *, settles_gift: bool = True) -> list[Option]:
    """Return placements of guards, best first."""
    placed = rank_placements(view, siege)
    return [describe_placement(view, siege, guards, settles_gift=settles_gift) for guards in placed]


def rank_placements(view: View, siege: Siege) -> list[tuple[Space, ...]]:
    """Return the best placements of guards, best first, one more than a list shows."""
    found = islice(guard_placements(view, siege), MOST_WAYS + 1)
    return sorted(found, key=lambda guards: -rate_placement(view, siege, guards))


def describe_placement(
    view: View, siege: Siege, guards: tuple[Space, ...], *, settles_gift: bool = True
) -> Option:
    """Return a conquest with these guards and the gift that helps the former holder least.

    `settles_gift`: False leaves the gift open if there is a choice.
    """
    if siege.province.holder is None:
        return describe(view, Occupy(guards))
    found = list_takeovers(view.table, guards)[:MOST_GIFTS]
    if len(found) > 1 and not settles_gift:
        return describe(view, TakeOver(guards, EMPTY))
    first, *others = (describe(view, one) for one in found)
    return replace(first, others=tuple(others))


def rate_placement(view: View, siege: Siege, guards: tuple[Space, ...]) -> float:
    price = siege.price(view.table, guards)
    kinds = len((view.hand - price).kinds())
    value = siege.province.value if len(guards) == 1 else 0
    gained = value + 2 * (siege.province.holder is not None)
    return gained - len(price) + 0.3 * kinds - 3 * (len(guards) - 1)


def list_takeovers(table: Table, guards: tuple[Space, ...]) -> list[TakeOver]:
    """Return a takeover for each gift to the former holder, first what can pay for the fewest levies."""
    province = province_to_conquer(table, table.seat, guards)
    assert province.holder is not None
    paid = removal_cost(table, province) + symbols_on(table, province.places) - symbols_on(table, guards)
    standing = symbols_on(table, table.guards[province.holder])

    def rate(given: Bag) -> tuple[int, int]:
        return sum(given[card] for card in standing.kinds()), len(given.kinds())

    return [TakeOver(guards, given) for given in sorted(paid.handfuls(loser_share(table, paid)), key=rate)]


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
