"""The board in plain characters and in a few lines, for whoever reads without a picture."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from emails.i18n import gettext, gettext_noop, ngettext
from emails.wording import phrases
from engine.board import ROW_LETTERS, Board, Point
from engine.cards import SYMBOLS
from engine.position import View
from engine.provinces import Province, provinces

MOST_FREE = 3
"""Free provinces that are named, the most valuable first."""
MOST_PLACES = 5
"""Symbols of a free province that is named: of more nobody has the cards."""
ROWS, COLUMNS = 6, 16
"""How much of the board the small map shows at least, from its first to its last point."""
TWO_TENS = (9, 19)
"""The columns that are called 10 and 20."""
AREA_MARGIN = 2
"""Rows and columns around what it is to show."""
MAX_WIDTH = 78
"""Characters in a line at most."""
MARGIN = 3
"""Characters for the letters of the rows on either side."""


@dataclass(frozen=True, slots=True)
class MapArea:
    """A part of the board: its first and last row and column of points."""

    north: int
    south: int
    west: int
    east: int

    def holds(self, row: int, col: int) -> bool:
        """Whether a point lies in it."""
        return self.north <= row <= self.south and self.west <= col <= self.east


def draw_ascii_map(view: View, area: MapArea | None = None) -> str:
    """The board drawn in plain ASCII, two characters a column of points; empty for a board that is too wide.

    With an `area` only that part of it.

    Points are `.` and Alexander's is `@`; walls are lines; symbols are the first letters of their names, as
    `phrases.symbol_letters` has them. A guard is the number of its seat, and hides the symbol that
    `board_text` names.
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
    """All of it."""
    rows, columns = {point.row for point in board.steps}, {point.col for point in board.steps}
    return MapArea(min(rows), max(rows), min(columns), max(columns))


def _column_numbers(west: int, east: int) -> Iterator[str]:
    """The numbers of the columns, written downwards; tens only where they begin.

    Spam filters took a line of nothing but digits for the number of an account.
    """
    deep, numbers = len(str(east + 1)), range(west + 1, east + 2)
    written = [str(one if one % 10 == 0 or one == west + 1 else one % 10).rjust(deep) for one in numbers]
    for digits in zip(*written, strict=True):
        yield " " * MARGIN + " ".join(digits)


# --- in a few lines ---------------------------------------------------------------------------------------


def summarize_board(view: View) -> list[str]:
    """What the reader needs of the board to judge a turn, a sentence or two each."""
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
    """What a player holds, with what each scores, and has."""
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
            gettext("%(places)s (worth %(value)s)", places=_places(view, one), value=one.value)
            for one in found[:MOST_FREE]
        )
        yield gettext("Free: %(provinces)s.", provinces="; ".join(named))


def _places(view: View, province: Province) -> str:
    return phrases.format_places(view.table, province.places)


def area_around(view: View, points: Collection[Point]) -> MapArea:
    """The part of the board that the small map shows: Alexander, these points, and what is around them."""
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
    """A range with a margin, long enough, and within the board."""
    lowest, highest = board
    spare = max(AREA_MARGIN, -(-(least - (last - first)) // 2))
    first, last = first - spare, last + spare
    if first < lowest:
        first, last = lowest, last + lowest - first
    if last > highest:
        first, last = first + highest - last, highest
    return max(first, lowest), min(last, highest)
