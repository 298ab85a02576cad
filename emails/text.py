"""The whole visible position in words, for plain letters and for those who listen to them.

One fact a line, as `key: value`; what does not fit goes on in lines that begin with two spaces. No line, and
no part of one, can be read as an order (notation.py): each begins with a key or with an item of a list, and
neither with a word that orders begin with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from emails.map import runs
from emails.palette import SEAT_SHAPES, SEAT_WORDS, plain_name
from engine.cards import Bag
from engine.lattice import ROWS, Point, Space
from engine.position import Phase, Table, View
from engine.provinces import Province, gains, province_at, provinces

WIDTH = 78
"""Characters in a line at most."""
LONGEST_RUN = 13
"""Points in a row of walls; a longer row goes on in another that begins where it ends."""
MARGIN = 3
"""Characters for the letters of the rows on either side of the drawing."""
NO_LABELS: Mapping[Point, str] = {}


def board_text(view: View, labels: Mapping[Point, str] = NO_LABELS) -> str:
    """All that the reader may know of the position; `labels` are the corners that have a number elsewhere.

    text_reading.py reads it back: the view is all there, the names as they are shown.
    """
    table = view.table
    facts: list[Fact] = [
        *_game(view),
        *_turn(table),
        *_cards(view),
        ("Walls left", [f"{table.black} black", f"{table.red} red"]),
        *_seats(view),
        ("Alexander", [f"on {table.alexander}"]),
        *_guards(table),
        *_provinces(table),
        ("Walls", _walls(table)),
    ]
    if labels:
        named = (f"{plain_name(label, 3)} is {point}" for point, label in sorted(labels.items()))
        facts.append(("Numbered corners", named))
    return "".join(_line(key, items) for key, items in facts)


Fact = tuple[str, Iterable[str]]
"""A key and a list of items; each item is written in one piece."""


def _line(key: str, items: Iterable[str]) -> str:
    """A fact as one line or several, broken only between items."""
    lines, line = [], f"{key}:"
    *others, last = items
    for item in (*(f"{other}," for other in others), last):
        if len(line) + 1 + len(item) > WIDTH:
            lines.append(line)
            line = " "
        line += f" {item}"
    return "\n".join((*lines, line)) + "\n"


def _who(table: Table, seat: int) -> str:
    return f"{_name(table, seat)} (seat {seat + 1})"


def _name(table: Table, seat: int) -> str:
    """A name without what parts the items of a list."""
    return plain_name(table.names[seat].replace(",", " "), 40) or "?"


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _game(view: View) -> Iterator[Fact]:
    table = view.table
    yield "Board", [plain_name(table.board.name)]
    yield "Edition", [table.edition.name]
    yield "You", ["a spectator" if view.me is None else _who(table, view.me)]


def _turn(table: Table) -> Iterator[Fact]:
    yield "Turn", [f"number {table.turn}", f"of {_who(table, table.seat)}"]
    match table.phase:
        case Phase.CARD:
            yield "Phase", ["a card is to be chosen"]
        case Phase.MARCH:
            yield "Phase", [f"Alexander is to march with the {table.chosen}"]
        case Phase.ACTIONS:
            levied = "taxes were levied this turn" if table.levied else "no taxes were levied this turn"
            yield "Phase", [f"{_many(table.actions_left, 'action')} left", levied]
        case Phase.OVER:
            yield "Phase", [f"the game is over ({table.reason})"]
            yield "Winners", [_who(table, seat) for seat in table.winners or ()]
            if table.levied:
                yield "Taxes", ["levied in the final turn"]
        case _:
            assert_never(table.phase)
    if table.last_turn:
        yield "Last turn", ["yes"]
    idle = [f"{table.idle} of {10 * len(table.names)}"]
    if table.phase is Phase.ACTIONS:
        idle.append("this turn had one" if table.stirred else "this turn had none yet")
    elif table.over and table.stirred:
        idle.append("the final turn had one")
    yield "Turns without a wall or a point", idle


def _cards(view: View) -> Iterator[Fact]:
    table = view.table
    if view.me is not None:
        yield "Your hand", _bag(view.hand)
    yield "Display", _bag(table.display)
    yield "Supply", [_many(view.supply_size, "card")]
    yield "Discard pile", _bag(table.discard)


def _bag(bag: Bag) -> list[str]:
    return [f"{bag[card]} {card}" for card in bag.kinds()] or ["none"]


def _seats(view: View) -> Iterator[Fact]:
    table = view.table
    for seat, (points, gain) in enumerate(zip(table.scores, gains(table), strict=True)):
        yield (
            f"Seat {seat + 1}",
            [
                _name(table, seat),
                f"{SEAT_WORDS[seat]} {SEAT_SHAPES[seat]}",
                _many(points, "point"),
                f"{_many(view.hand_sizes[seat], 'card')} in hand",
                f"{_many(table.guards_in_supply(seat), 'guard')} in supply",
                f"a levy would give {gain}",
            ],
        )


def _guards(table: Table) -> Iterator[Fact]:
    for seat, standing in enumerate(table.guards):
        homes = ((space, province_at(table, space)) for space in standing)
        found = [f"{_place(table, space)} in {home.first} worth {home.value}" for space, home in homes]
        yield f"Guards of seat {seat + 1}", found or ["none on the board"]


def _place(table: Table, space: Space) -> str:
    return f"{table.board.symbols[space]} {table.board.names[space]} {space}"


def _provinces(table: Table) -> Iterator[Fact]:
    """Every province in reading order; the largest one, while it is free, is the rest of the board: last."""
    parts = list(provinces(table))
    largest = max(parts, key=lambda part: len(part.spaces))
    rest = largest if largest.holder is None and len(parts) > 1 else None
    for part in parts:
        if part is not rest:
            yield f"Province {part.first}", _province(table, part)
    if rest:
        yield f"The rest of the board, {rest.first}", _province(table, rest)


def _province(table: Table, part: Province) -> Iterator[str]:
    yield f"worth {part.value}"
    yield _many(len(part.spaces), "space")
    if part.holder is None:
        yield "free"
    else:
        yield f"held by {_who(table, part.holder)}"
        yield _many(len(part.guards), "guard") + ("" if len(part.guards) == 1 else " and so scores nothing")
    for place in part.places:
        yield _place(table, place) + (" with a guard" if place in part.guards else "")
    if not part.places:
        yield "without a symbol"


def _walls(table: Table) -> list[str]:
    """The sides that carry walls, joined into rows of points."""
    return [
        "-".join(map(str, run[at : at + LONGEST_RUN]))
        for run in runs(table.walls)
        for at in range(0, len(run) - 1, LONGEST_RUN - 1)
    ] or ["none"]


# --- the board as a drawing -----------------------------------------------------------------------------


def map_text(view: View) -> str:
    """The board drawn in plain ASCII, two characters a column of points; empty for a board that is too wide.

    Points are `.` and Alexander's is `@`; walls are lines; symbols are their first letters. A guard is the
    number of its seat, and hides the symbol that `board_text` names.
    """
    table = view.table
    points = table.board.steps
    north, south = min(points).row, max(points).row
    west, east = min(point.col for point in points), max(point.col for point in points)
    width = 2 * (east - west) + 1 + 2 * MARGIN
    if width > WIDTH:
        return ""
    canvas = [[" "] * width for _ in range(2 * (south - north) + 1)]
    for row in range(north, south + 1):
        canvas[2 * (row - north)][0] = canvas[2 * (row - north)][-1] = ROWS[row]
    for point in points:
        sign = "@" if point == table.alexander else "."
        canvas[2 * (point.row - north)][MARGIN + 2 * (point.col - west)] = sign
    for (row, col), (_, end) in table.walls:
        y, x = 2 * (row - north), MARGIN + 2 * (col - west)
        if end == col + 2:
            canvas[y][x + 1 : x + 4] = "---"
        else:
            canvas[y + 1][x + end - col] = "\\" if end > col else "/"
    for space, symbol in table.board.symbols.items():
        holder = table.holder_of(space)
        sign = str(holder + 1) if holder is not None else symbol[0] if symbol else " "
        canvas[2 * (space.row - north) + 1][MARGIN + 2 * (space.col - west)] = sign
    lines = (*_column_numbers(west, east), *map("".join, canvas))
    return "".join(line.rstrip() + "\n" for line in lines)


def _column_numbers(west: int, east: int) -> Iterator[str]:
    """The numbers of the columns, written downwards."""
    deep = len(str(east + 1))
    numbers = [str(col + 1).rjust(deep) for col in range(west, east + 1)]
    for digits in zip(*numbers, strict=True):
        yield " " * MARGIN + " ".join(digits)
