"""The board drawn in plain characters, for letters without pictures."""

from __future__ import annotations

from collections.abc import Iterator

from emails.wording import phrases
from engine.cards import SYMBOLS
from engine.lattice import ROW_LETTERS
from engine.position import View

MAX_WIDTH = 78
"""Characters in a line at most."""
MARGIN = 3
"""Characters for the letters of the rows on either side."""


def draw_ascii_map(view: View) -> str:
    """The board drawn in plain ASCII, two characters a column of points; empty for a board that is too wide.

    Points are `.` and Alexander's is `@`; walls are lines; symbols are the first letters of their names, as
    `phrases.symbol_letters` has them. A guard is the number of its seat, and hides the symbol that
    `board_text` names.
    """
    table = view.table
    points = table.board.steps
    north, south = min(points).row, max(points).row
    west, east = min(point.col for point in points), max(point.col for point in points)
    width = 2 * (east - west) + 1 + 2 * MARGIN
    if width > MAX_WIDTH:
        return ""
    canvas = [[" "] * width for _ in range(2 * (south - north) + 1)]
    for row in range(north, south + 1):
        canvas[2 * (row - north)][0] = canvas[2 * (row - north)][-1] = ROW_LETTERS[row]
    for point in points:
        sign = "@" if point == table.alexander else "."
        canvas[2 * (point.row - north)][MARGIN + 2 * (point.col - west)] = sign
    for (row, col), (_, end) in table.walls:
        y, x = 2 * (row - north), MARGIN + 2 * (col - west)
        if end == col + 2:
            canvas[y][x + 1 : x + 4] = "---"
        else:
            canvas[y + 1][x + end - col] = "\\" if end > col else "/"
    letters = {symbol: phrases.symbol_name(symbol)[0] for symbol in SYMBOLS}
    for space, symbol in table.board.symbols.items():
        holder = table.holder_of(space)
        sign = str(holder + 1) if holder is not None else letters[symbol] if symbol else " "
        canvas[2 * (space.row - north) + 1][MARGIN + 2 * (space.col - west)] = sign
    lines = (*_column_numbers(west, east), *map("".join, canvas))
    return "".join(line.rstrip() + "\n" for line in lines)


def _column_numbers(west: int, east: int) -> Iterator[str]:
    """The numbers of the columns, written downwards; tens only where they begin.

    Spam filters took a line of nothing but digits for the number of an account.
    """
    deep, numbers = len(str(east + 1)), range(west + 1, east + 2)
    written = [str(one if one % 10 == 0 or one == west + 1 else one % 10).rjust(deep) for one in numbers]
    for digits in zip(*written, strict=True):
        yield " " * MARGIN + " ".join(digits)
