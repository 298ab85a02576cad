"""The visible position in words and as an ASCII map, and the reader's hand."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from emails.i18n import gettext, gettext_noop, ngettext
from emails.names import isolate
from emails.picture.layers import join_sides
from emails.picture.palette import clean_name
from emails.wording import phrases
from emails.wording.texts import tell
from engine import march_rules, rules
from engine.actions import Play
from engine.board import ROW_LETTERS, Board, Point, Space
from engine.cards import SYMBOLS, Symbol
from engine.events import EndReason
from engine.position import Phase, Table, View
from engine.provinces import Province, Siege, find_sieges, levy_gains, province_at, provinces, symbols_on

MOST_FREE = 3
MOST_PLACES = 5  # symbols of a listed free province; nobody has the cards for more
ROWS, COLUMNS = 6, 16
TWO_TENS = (9, 19)
"""Indexes of the columns with the numbers 10 and 20."""
AREA_MARGIN = 2
MARGIN = 3


@dataclass(frozen=True, slots=True)
class MapArea:
    """A part of the board between two rows and two columns of points, both included."""

    north: int
    south: int
    west: int
    east: int

    def shows(self, space: Space) -> bool:
        return self.north <= space.row < self.south and self.west <= space.col <= self.east


def draw_ascii_map(view: View, area: MapArea | None = None) -> str:
    """Draw the board or an `area` in ASCII, two characters for each column; empty if it is too wide.

    Points are `.`, Alexander is `@`. Guards are seat numbers and hide the first letter of the symbol.
    """
    table = view.table
    area = area or whole_board(table.board)
    north, south, west, east = area.north, area.south, area.west, area.east
    points = {
        point for point in table.board.steps if north <= point.row <= south and west <= point.col <= east
    }
    width = 2 * (east - west) + 1 + 2 * MARGIN
    if width > phrases.LINE_WIDTH:
        return ""
    canvas = [[" "] * width for _ in range(2 * (south - north) + 1)]
    for row in range(north, south + 1):
        canvas[2 * (row - north)][0] = canvas[2 * (row - north)][-1] = ROW_LETTERS[row]
    for point in points:
        sign = "@" if point == table.alexander else "."
        canvas[2 * (point.row - north)][MARGIN + 2 * (point.col - west)] = sign
    for (row, col), (_, end) in (wall for wall in table.walls if points.issuperset(wall)):
        y, x = 2 * (row - north), MARGIN + 2 * (col - west)
        if end == col + 2:
            canvas[y][x + 1 : x + 4] = "---"
        else:
            canvas[y + 1][x + end - col] = "\\" if end > col else "/"
    letters = {symbol: phrases.symbol_name(symbol)[0] for symbol in SYMBOLS}
    guards = {space: str(seat) for seat, places in enumerate(table.guards, 1) for space in places}
    for space, symbol in table.board.symbols.items():
        if not area.shows(space):
            continue
        sign = guards.get(space) or (letters[symbol] if symbol else " ")
        canvas[2 * (space.row - north) + 1][MARGIN + 2 * (space.col - west)] = sign
    # written downwards, because spam filters mistake a line of digits for an account number
    deep, numbers = len(str(east + 1)), range(west + 1, east + 2)
    written = [str(one if one % 10 == 0 or one == west + 1 else one % 10).rjust(deep) for one in numbers]
    heading = [" " * MARGIN + " ".join(digits) for digits in zip(*written, strict=True)]
    return "".join(line.rstrip() + "\n" for line in (*heading, *map("".join, canvas)))


def whole_board(board: Board) -> MapArea:
    rows, columns = {point.row for point in board.steps}, {point.col for point in board.steps}
    return MapArea(min(rows), max(rows), min(columns), max(columns))


def summarize_board(view: View) -> list[str]:
    """Summarise the facts that the reader needs to judge a turn, in paragraphs of one or two sentences."""
    table = view.table
    held: list[list[Province]] = [[] for _ in table.names]
    free: list[Province] = []
    for province in sorted(
        provinces(table), key=lambda one: -(one.value if one.holder is None else one.scores)
    ):
        if province.holder is not None:
            held[province.holder].append(province)
        elif province.value and 0 < len(province.places) <= MOST_PLACES:
            free.append(province)
    walls = ngettext(
        "Alexander stands on %(point)s; %(number)s black wall is left",
        "Alexander stands on %(point)s; %(number)s black walls are left",
        table.black,
        point=table.alexander,
    )
    found = [": ".join(filter(None, (walls, phrases.warn_of_walls(table)))) + "."]
    mine = gettext_noop("you hold %(places)s; %(cards)s in hand, %(guards)s left.")
    theirs = gettext_noop("%(name)s holds %(places)s; %(cards)s in hand, %(guards)s left.")
    for seat, own in enumerate(held):
        places = phrases.format_list(
            f"{phrases.format_places(table, one.guards)} ({one.scores})" for one in own
        )
        cards = phrases.format_card_count(view.hand_sizes[seat])
        guards = phrases.format_guards(table.guards_in_supply(seat))
        words = phrases.gettext_for_seat(view, seat, mine, theirs, places=places, cards=cards, guards=guards)
        found.append(phrases.capitalize_first(words))
    words = gettext_noop("%(places)s (worth %(value)s)")
    named = [
        gettext(words, places=phrases.format_places(table, one.places), value=one.value)
        for one in free[:MOST_FREE]
    ]
    return [*found, gettext("Free: %(provinces)s.", provinces="; ".join(named))] if named else found


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


def describe_beyond(table: Table, area: MapArea | None, places: Iterable[Space]) -> str:
    """Return a sentence on the places that lie outside the area; empty if there are none."""
    found = list[str]()
    for space in places:
        if area is None or area.shows(space):
            continue
        land, place = province_at(table, space), f"{phrases.name_place(table, space)} {space}"
        if land.holder is None:
            found.append(gettext("%(place)s (free, worth %(value)s)", place=place, value=land.value))
        else:
            name = phrases.safe_name(table.names[land.holder])
            words = gettext_noop("%(place)s (%(name)s, worth %(value)s)")
            found.append(gettext(words, place=place, name=name, value=land.value))
    return gettext("Outside this part: %(places)s.", places=", ".join(found)) if found else ""


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


LONGEST_RUN = 13
"""Highest number of points in a row of walls; longer rows continue on the next line."""
NO_LABELS: Mapping[Point, str] = {}


def describe_board(view: View, labels: Mapping[Point, str] = NO_LABELS) -> str:
    """Describe the whole view; `labels` names corners. The tests parse the text (board_text_reader.py)."""
    table, parts = view.table, list(provinces(view.table))
    largest = max(parts, key=lambda part: len(part.spaces))
    rest = largest if largest.holder is None and len(parts) > 1 else None
    lines = tell(
        "board.position",
        view=view,
        name=clean_name(table.board.name),
        names=[isolate(clean_name(name.replace(",", " "), 40)) or "?" for name in table.names],
        gains=levy_gains(table),
        parts=[part for part in parts if part is not rest],
        rest=rest,
        walls=list(_wall_rows(table)),
        reason=gettext(REASON_ITEMS[table.reason]) if table.reason else "",
        labels=[(point, clean_name(label, 3)) for point, label in sorted(labels.items())],
    )
    return "".join(f"{line}\n" for whole in lines for line in _wrap_items(whole))


def _wrap_items(line: str) -> Iterator[str]:
    """Break a long line, such as "Display: a horse, a lyre", between its items."""
    key, _, items = line.partition(": ")
    return phrases.wrap_items(f"{key}:", items.replace(", ", ",\n").split("\n"))


REASON_ITEMS: Mapping[EndReason, str] = {
    "points": gettext_noop("points"),
    "no march": gettext_noop("no march"),
    "walls": gettext_noop("walls"),
    "stalemate": gettext_noop("stalemate"),
    "agreement": gettext_noop("agreement"),
}


def _wall_rows(table: Table) -> Iterator[list[str]]:
    """Yield groups of walls for lines that begin with "Walls:"; a bare row could be read as a march."""
    rows = [
        "-".join(map(str, run[at : at + LONGEST_RUN]))
        for run in join_sides(table.walls)
        for at in range(0, len(run) - 1, LONGEST_RUN - 1)
    ]
    room = phrases.LINE_WIDTH - len(gettext("Walls") + ": ")
    while rows:
        many = next((n for n in range(len(rows), 1, -1) if len(", ".join(rows[:n])) <= room), 1)
        yield rows[:many]
        del rows[:many]


MOST_REACHED = 6


@dataclass(frozen=True, slots=True)
class CardUses:
    card: Symbol
    march: Sequence[Space] | None
    """The spaces to which the card leads, if it may be played now for the march; else None."""
    standing: Sequence[Space]
    """The places of the reader's guards with which the card can levy taxes."""
    worths: Iterable[str]
    """The values of the provinces that it can help to pay for."""


def describe_hand(view: View) -> list[str]:
    """Describe the hand, one sentence for each fact; after the end of the game only the cards."""
    table, me = view.table, view.my_seat
    reached = sorted(find_sieges(table, me, view.hand), key=lambda one: -one.province.value)
    return tell(
        "board.hand",
        view=view,
        uses=[] if table.over else [_card_uses(view, me, card, reached) for card in view.hand.kinds()],
        reached=[siege.province for siege in reached[:MOST_REACHED]],
        gain=levy_gains(table)[me],
    )


def _card_uses(view: View, me: int, card: Symbol, reached: Sequence[Siege]) -> CardUses:
    table, march = view.table, None
    if view.my_turn and table.phase is Phase.CARD and Play(card) in rules.card_choices(view):
        spaces = march_rules.targets(table, card, from_display=False)
        march = [space for space in spaces if march_rules.reachable_corners(table, space)]
    paid = [one for one in reached if card in one.removal + symbols_on(table, one.province.places)]
    return CardUses(
        card,
        march,
        standing=[place for place in table.guards[me] if table.board.symbols[place] is card],
        worths=dict.fromkeys(str(one.province.value) for one in paid[:MOST_REACHED]),
    )
