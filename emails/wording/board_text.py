"""The visible position in words and as an ASCII map, and the reader's hand."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from emails.i18n import gettext, gettext_noop, ngettext
from emails.names import isolate
from emails.picture.basemap import join_sides
from emails.picture.palette import clean_name
from emails.wording import phrases
from engine import march_rules, rules
from engine.actions import Play
from engine.board import ROW_LETTERS, Board, Point, Space
from engine.cards import SYMBOLS, Bag, Symbol
from engine.events import EndReason
from engine.position import Phase, Table, View
from engine.provinces import Province, Siege, find_sieges, levy_gains, province_at, provinces, symbols_on

MOST_FREE = 3
MOST_PLACES = 5  # symbols of a listed free province; nobody has the cards for more
ROWS, COLUMNS = 6, 16
TWO_TENS = (9, 19)
"""Indexes of the columns with the numbers 10 and 20."""
AREA_MARGIN = 2
MAX_WIDTH = 78
MARGIN = 3


@dataclass(frozen=True, slots=True)
class MapArea:
    """A part of the board between two rows and two columns of points, both included."""

    north: int
    south: int
    west: int
    east: int

    def holds(self, row: int, col: int) -> bool:
        return self.north <= row <= self.south and self.west <= col <= self.east


def draw_ascii_map(view: View, area: MapArea | None = None) -> str:
    """Draw the board or an `area` in ASCII, two characters for each column; empty if it is too wide.

    Points are `.`, Alexander is `@`. Guards are seat numbers and hide the first letter of the symbol.
    """
    table = view.table
    if area is None:
        area = whole_board(table.board)
    points = [point for point in table.board.steps if area.holds(*point)]
    north, south, west, east = area.north, area.south, area.west, area.east
    width = 2 * (east - west) + 1 + 2 * MARGIN
    if width > MAX_WIDTH:
        return ""
    canvas = [[" "] * width for _ in range(2 * (south - north) + 1)]
    for row in range(north, south + 1):
        canvas[2 * (row - north)][0] = canvas[2 * (row - north)][-1] = ROW_LETTERS[row]
    for point in points:
        sign = "@" if point == table.alexander else "."
        canvas[2 * (point.row - north)][MARGIN + 2 * (point.col - west)] = sign
    for (row, col), (below, end) in table.walls:
        if not (area.holds(row, col) and area.holds(below, end)):
            continue
        y, x = 2 * (row - north), MARGIN + 2 * (col - west)
        if end == col + 2:
            canvas[y][x + 1 : x + 4] = "---"
        else:
            canvas[y + 1][x + end - col] = "\\" if end > col else "/"
    letters = {symbol: phrases.symbol_name(symbol)[0] for symbol in SYMBOLS}
    for space, symbol in table.board.symbols.items():
        if not (north <= space.row < south and west <= space.col <= east):
            continue
        holder = table.holder_of(space)
        sign = str(holder + 1) if holder is not None else letters[symbol] if symbol else " "
        canvas[2 * (space.row - north) + 1][MARGIN + 2 * (space.col - west)] = sign
    lines = (*_column_numbers(west, east), *map("".join, canvas))
    return "".join(line.rstrip() + "\n" for line in lines)


def whole_board(board: Board) -> MapArea:
    rows, columns = {point.row for point in board.steps}, {point.col for point in board.steps}
    return MapArea(min(rows), max(rows), min(columns), max(columns))


def _column_numbers(west: int, east: int) -> Iterator[str]:
    """Write column numbers downwards, because spam filters mistake a line of digits for an account number."""
    deep, numbers = len(str(east + 1)), range(west + 1, east + 2)
    written = [str(one if one % 10 == 0 or one == west + 1 else one % 10).rjust(deep) for one in numbers]
    for digits in zip(*written, strict=True):
        yield " " * MARGIN + " ".join(digits)


def summarize_board(view: View) -> list[str]:
    """Summarise the facts that the reader needs to judge a turn, in paragraphs of one or two sentences."""
    table = view.table
    held: list[list[Province]] = [[] for _ in table.names]
    free: list[Province] = []
    for province in provinces(table):
        if province.holder is not None:
            held[province.holder].append(province)
        elif province.value and 0 < len(province.places) <= MOST_PLACES:
            free.append(province)
    free.sort(key=lambda one: -one.value)
    holdings = (_holdings(view, seat, own) for seat, own in enumerate(held))
    return [_alexander(view), *holdings, *_list_free(view, free)]


def _alexander(view: View) -> str:
    table = view.table
    return ngettext(
        "Alexander stands on %(point)s; %(number)s black wall is left.",
        "Alexander stands on %(point)s; %(number)s black walls are left.",
        table.black,
        point=table.alexander,
    )


def _holdings(view: View, seat: int, own: list[Province]) -> str:
    table = view.table
    places = (
        f"{phrases.format_places(table, one.guards)} ({one.scores})"
        for one in sorted(own, key=lambda one: -one.scores)
    )
    return phrases.capitalize_first(
        phrases.gettext_for_seat(
            table,
            seat,
            view.me,
            gettext_noop("you hold %(places)s; %(cards)s in hand, %(guards)s left."),
            gettext_noop("%(name)s holds %(places)s; %(cards)s in hand, %(guards)s left."),
            places=phrases.format_list(places),
            cards=phrases.format_card_count(view.hand_sizes[seat]),
            guards=phrases.format_guards(table.guards_in_supply(seat)),
        )
    )


def _list_free(view: View, found: list[Province]) -> Iterator[str]:
    if found:
        named = (
            gettext(
                "%(places)s (worth %(value)s)",
                places=phrases.format_places(view.table, one.places),
                value=one.value,
            )
            for one in found[:MOST_FREE]
        )
        yield gettext("Free: %(provinces)s.", provinces="; ".join(named))


def area_around(view: View, points: Collection[Point]) -> MapArea:
    """Return the area of the small map: Alexander and the points, with a margin and a minimum size."""
    table = view.table
    shown = {table.alexander, *points}
    rows, columns = [point.row for point in shown], [point.col for point in shown]
    whole = whole_board(table.board)
    north, south = _stretch(min(rows), max(rows), ROWS, (whole.north, whole.south))
    west, east = _stretch(min(columns), max(columns), COLUMNS, (whole.west, whole.east))
    if west < TWO_TENS[0]:  # a single digit alone on a line, above one column, could be read as an answer
        east = min(max(east, TWO_TENS[1]), whole.east)
    return MapArea(north, south, west, east)


def _stretch(first: int, last: int, least: int, board: tuple[int, int]) -> tuple[int, int]:
    """Widen a range by a margin, and to at least `least`, within the board."""
    lowest, highest = board
    spare = max(AREA_MARGIN, -(-(least - (last - first)) // 2))
    first, last = first - spare, last + spare
    if first < lowest:
        first, last = lowest, last + lowest - first
    if last > highest:
        first, last = first + highest - last, highest
    return max(first, lowest), min(last, highest)


LINE_WIDTH = 78
LONGEST_RUN = 13
"""Highest number of points in a row of walls; longer rows continue on the next line."""
NO_LABELS: Mapping[Point, str] = {}


def describe_board(view: View, labels: Mapping[Point, str] = NO_LABELS) -> str:
    """Describe the whole view; `labels` names corners. The tests parse the text (board_text_reader.py)."""
    table = view.table
    facts: list[KeyedItems] = [
        (gettext("Board"), [clean_name(table.board.name)]),
        (gettext("Edition"), [table.edition.name]),
        (gettext("You"), [gettext("a spectator") if view.me is None else _seat_item(table, view.me)]),
        *_turn_lines(table),
        *_card_lines(view),
        (
            gettext("Walls left"),
            [gettext("%(number)s black", number=table.black), gettext("%(number)s red", number=table.red)],
        ),
        *_seat_lines(view),
        (gettext("Alexander"), [alexander_item(table.alexander)]),
        *_guard_lines(table),
        *_province_lines(table),
        *((gettext("Walls"), items) for items in _wall_lines(table)),
    ]
    if labels:
        corners = (
            gettext("%(label)s is %(point)s", label=clean_name(label, 3), point=point)
            for point, label in sorted(labels.items())
        )
        facts.append((gettext("Numbered corners"), corners))
    return "".join(_wrap_items(key, items) for key, items in facts)


KeyedItems = tuple[str, Iterable[str]]


def _wrap_items(key: str, items: Iterable[str]) -> str:
    lines, line = [], f"{key}:"
    *others, last = items
    for item in (*(f"{other}," for other in others), last):
        if len(line) + 1 + len(item) > LINE_WIDTH:
            lines.append(line)
            line = " "
        line += f" {item}"
    return "\n".join((*lines, line)) + "\n"


# --- items that tests recognise by their words -----------------------------------------------------------

REASON_ITEMS: Mapping[EndReason, str] = {
    "points": gettext_noop("points"),
    "no march": gettext_noop("no march"),
    "walls": gettext_noop("walls"),
    "stalemate": gettext_noop("stalemate"),
    "agreement": gettext_noop("agreement"),
}


def player_item(name: str, seat: int) -> str:
    return gettext("%(name)s (seat %(number)s)", name=name, number=seat + 1)


def turn_item(player: str) -> str:
    return gettext("of %(player)s", player=player)


def alexander_item(point: Point) -> str:
    return gettext("on %(point)s", point=point)


def card_phase_item() -> str:
    return gettext("a card is to be chosen")


def march_phase_item(chosen: Symbol) -> str:
    return gettext("Alexander is to march with %(card)s", card=phrases.the_card(chosen))


def actions_phase_item(left: int) -> str:
    return ngettext("%(number)s action left", "%(number)s actions left", left)


def over_phase_item(reason: EndReason) -> str:
    return gettext("the game is over (%(reason)s)", reason=gettext(REASON_ITEMS[reason]))


def _seat_item(table: Table, seat: int) -> str:
    return player_item(_item_name(table, seat), seat)


def _item_name(table: Table, seat: int) -> str:
    return isolate(clean_name(table.names[seat].replace(",", " "), 40)) or "?"


def _turn_lines(table: Table) -> Iterator[KeyedItems]:
    mover = turn_item(_seat_item(table, table.seat))
    yield gettext("Turn"), [gettext("number %(number)s", number=table.turn), mover]
    yield gettext("Phase"), _phase_items(table)
    if table.over:
        yield gettext("Winners"), [_seat_item(table, seat) for seat in table.winners or ()]
        if table.levied:
            yield gettext("Final turn"), [gettext("taxes were levied")]
    if table.last_turn:
        yield gettext("Last turn"), [gettext("yes")]
    idle = [gettext("%(number)s of %(most)s", number=table.idle, most=10 * len(table.names))]
    if table.phase is Phase.ACTIONS:
        idle.append(gettext("this turn had one") if table.stirred else gettext("this turn had none yet"))
    elif table.over and table.stirred:
        idle.append(gettext("the final turn had one"))
    yield gettext("Turns without a wall or a point"), idle


def _phase_items(table: Table) -> Iterator[str]:
    match table.phase:
        case Phase.CARD:
            yield card_phase_item()
        case Phase.MARCH:
            assert table.chosen
            yield march_phase_item(table.chosen)
        case Phase.ACTIONS:
            yield actions_phase_item(table.actions_left)
            yield (
                gettext("taxes were levied this turn")
                if table.levied
                else gettext("no taxes were levied this turn")
            )
        case Phase.OVER:
            assert table.reason
            yield over_phase_item(table.reason)
        case _:
            assert_never(table.phase)


def _card_lines(view: View) -> Iterator[KeyedItems]:
    table = view.table
    if view.me is not None:
        yield gettext("Your hand"), _bag_items(view.hand)
    yield gettext("Display"), _bag_items(table.display)
    yield gettext("Supply"), [phrases.format_card_count(view.supply_size)]
    yield gettext("Discard pile"), _bag_items(table.discard)


def _bag_items(bag: Bag) -> list[str]:
    return [phrases.format_symbol_count(card, bag[card]) for card in bag.kinds()] or [gettext("none")]


def _seat_lines(view: View) -> Iterator[KeyedItems]:
    table = view.table
    for seat, (points, gain) in enumerate(zip(table.scores, levy_gains(table), strict=True)):
        hand, supply = view.hand_sizes[seat], table.guards_in_supply(seat)
        yield (
            gettext("Seat %(number)s", number=seat + 1),
            [
                _item_name(table, seat),
                phrases.seat_look(seat),
                phrases.format_points(points),
                ngettext("%(number)s card in hand", "%(number)s cards in hand", hand),
                ngettext("%(number)s guard in supply", "%(number)s guards in supply", supply),
                gettext("a levy would give %(number)s", number=gain),
            ],
        )


def _guard_lines(table: Table) -> Iterator[KeyedItems]:
    for seat, standing in enumerate(table.guards):
        found = [_guard_item(table, space) for space in standing] or [gettext("none on the board")]
        yield gettext("Guards of seat %(number)s", number=seat + 1), found


def _guard_item(table: Table, space: Space) -> str:
    place, home = _place_item(table, space), province_at(table, space)
    return gettext(
        "%(place)s in %(province)s worth %(value)s", place=place, province=home.first, value=home.value
    )


def _place_item(table: Table, space: Space) -> str:
    symbol = table.board.symbol_at(space)
    return f"{phrases.symbol_name(symbol)} {table.board.names[space]} {space}"


def _province_lines(table: Table) -> Iterator[KeyedItems]:
    parts = list(provinces(table))
    largest = max(parts, key=lambda part: len(part.spaces))
    rest = largest if largest.holder is None and len(parts) > 1 else None
    for part in parts:
        if part is not rest:
            yield gettext("Province %(name)s", name=part.first), _province_items(table, part)
    if rest:
        yield gettext("The rest of the board, %(name)s", name=rest.first), _province_items(table, rest)


def _province_items(table: Table, part: Province) -> Iterator[str]:
    yield gettext("worth %(value)s", value=part.value)
    yield phrases.format_spaces(len(part.spaces))
    if part.holder is None:
        yield gettext("free")
    else:
        yield gettext("held by %(player)s", player=_seat_item(table, part.holder))
        many = len(part.guards)
        yield (
            phrases.format_guards(1)
            if many == 1
            else gettext("%(number)s guards and so scores nothing", number=many)
        )
    for place in part.places:
        named = _place_item(table, place)
        yield gettext("%(place)s with a guard", place=named) if place in part.guards else named
    if not part.places:
        yield gettext("without a symbol")


def _wall_lines(table: Table) -> Iterator[list[str]]:
    """Yield groups of walls for lines that begin with "Walls:"; a bare row could be read as a march."""
    rows = [
        "-".join(map(str, run[at : at + LONGEST_RUN]))
        for run in join_sides(table.walls)
        for at in range(0, len(run) - 1, LONGEST_RUN - 1)
    ] or [gettext("none")]
    room = LINE_WIDTH - len(gettext("Walls") + ": ")
    while rows:
        many = next((n for n in range(len(rows), 1, -1) if len(", ".join(rows[:n])) <= room), 1)
        yield rows[:many]
        del rows[:many]


MOST_REACHED = 6


def describe_hand(view: View) -> Iterator[str]:
    """Describe the hand, one sentence for each fact; after the end of the game only the cards."""
    table, me = view.table, view.my_seat
    if len(view.hand):
        yield gettext("You hold %(cards)s.", cards=phrases.format_cards(view.hand))
    else:
        yield gettext("You hold no card.")
    if not table.over:
        reached = sorted(find_sieges(table, me, view.hand), key=lambda one: -one.province.value)
        for card in view.hand.kinds():
            uses = "; ".join(_card_uses(view, me, card, reached))
            yield phrases.capitalize_first(
                gettext(
                    "%(cards)s: %(uses)s.",
                    cards=phrases.format_symbol_count(card, view.hand[card]),
                    uses=uses,
                )
            )
        yield from (_reach_sentence(view, siege) for siege in reached[:MOST_REACHED])
        if not reached:
            yield gettext("With your cards and guards you could get no province now.")
    points, gain = phrases.format_points(table.scores[me]), levy_gains(table)[me]
    yield gettext("You have %(points)s, and a levy now would give you %(gain)s.", points=points, gain=gain)
    for guard in table.guards[me]:
        home = province_at(table, guard)
        yield gettext(
            "Your guard on %(place)s stands in a province worth %(value)s, which scores %(gain)s in a levy.",
            place=phrases.name_place(table, guard),
            value=home.value,
            gain=home.scores,
        )
    yield ngettext(
        "There is %(number)s guard in your supply.",
        "There are %(number)s guards in your supply.",
        table.guards_in_supply(me),
    )


def _card_uses(view: View, me: int, card: Symbol, reached: Sequence[Siege]) -> Iterator[str]:
    table = view.table
    if view.my_turn and table.phase is Phase.CARD and Play(card) in rules.card_choices(view):
        spaces = march_rules.targets(table, card, from_display=False)
        where = phrases.format_places(
            table, (space for space in spaces if march_rules.reachable_corners(table, space)), "or"
        )
        yield gettext("played for the march it leads to %(places)s", places=where)
    standing = [place for place in table.guards[me] if table.board.symbols[place] is card]
    if standing:
        yield gettext(
            "it can levy taxes, for you have a guard on %(places)s",
            places=phrases.format_places(table, standing),
        )
    else:
        yield gettext("it cannot levy taxes, for no guard of yours stands on its symbol")
    paid = [one for one in reached if card in one.removal + symbols_on(table, one.province.places)]
    if paid:
        worths = dict.fromkeys(str(one.province.value) for one in paid[:MOST_REACHED])
        yield gettext(
            "it can help to pay for a province worth %(values)s", values=phrases.format_list(worths, "or")
        )


def _reach_sentence(view: View, siege: Siege) -> str:
    table, province = view.table, siege.province
    where = phrases.summarize_places(table, province.places)
    if province.holder is None:
        return gettext(
            "Within your reach: a free province worth %(value)s (%(places)s).",
            value=province.value,
            places=where,
        )
    return gettext(
        "Within your reach: %(name)s's province worth %(value)s (%(places)s).",
        name=phrases.safe_name(table.names[province.holder]),
        value=province.value,
        places=where,
    )
