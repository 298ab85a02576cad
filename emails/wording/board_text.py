"""The whole visible position in words, for plain letters and for those who listen to them.

One fact a line, as `key: value`; what does not fit goes on in lines that begin with two spaces. No line, and
no part of one, can be read as an order (notation.py): each begins with a key or with an item of a list, and
neither with a word that orders begin with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from emails.i18n import say, say_many, sentence
from emails.picture.basemap import runs
from emails.picture.palette import plain_name
from emails.wording import phrases
from engine.cards import Bag, Symbol
from engine.events import Reason
from engine.lattice import Point, Space
from engine.position import Phase, Table, View
from engine.provinces import Province, gains, province_at, provinces

WIDTH = 78
"""Characters in a line at most."""
LONGEST_RUN = 13
"""Points in a row of walls; a longer row goes on in another that begins where it ends."""
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
        (
            say("Walls left"),
            [say("%(number)s black", number=table.black), say("%(number)s red", number=table.red)],
        ),
        *_seats(view),
        (say("Alexander"), [standing_on(table.alexander)]),
        *_guards(table),
        *_provinces(table),
        (say("Walls"), _walls(table)),
    ]
    if labels:
        facts.append((say("Numbered corners"), _numbered(labels)))
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


# --- items that text_reading.py knows by their words ----------------------------------------------------

REASONS: Mapping[Reason, str] = {
    "points": sentence("points"),
    "no march": sentence("no march"),
    "walls": sentence("walls"),
    "stalemate": sentence("stalemate"),
}


def person(name: str, seat: int) -> str:
    """A player by his shown name and his seat."""
    return say("%(name)s (seat %(number)s)", name=name, number=seat + 1)


def turn_of(player: str) -> str:
    """Whose turn it is."""
    return say("of %(player)s", player=player)


def standing_on(point: Point) -> str:
    """Where Alexander stands."""
    return say("on %(point)s", point=point)


def waits_for_card() -> str:
    """The phase in which a turn begins."""
    return say("a card is to be chosen")


def waits_for_march(chosen: Symbol) -> str:
    """The phase in which Alexander is to march."""
    return say("Alexander is to march with %(card)s", card=phrases.the(chosen))


def waits_for_actions(left: int) -> str:
    """The phase of the actions."""
    return say_many("%(number)s action left", "%(number)s actions left", left)


def game_over(reason: Reason) -> str:
    """The phase after the last turn."""
    return say("the game is over (%(reason)s)", reason=say(REASONS[reason]))


# --- the facts ------------------------------------------------------------------------------------------


def _who(table: Table, seat: int) -> str:
    return person(_name(table, seat), seat)


def _name(table: Table, seat: int) -> str:
    """A name without what parts the items of a list."""
    return plain_name(table.names[seat].replace(",", " "), 40) or "?"


def _game(view: View) -> Iterator[Fact]:
    table = view.table
    yield say("Board"), [plain_name(table.board.name)]
    yield say("Edition"), [table.edition.name]
    yield say("You"), [say("a spectator") if view.me is None else _who(table, view.me)]


def _turn(table: Table) -> Iterator[Fact]:
    mover = turn_of(_who(table, table.seat))
    yield say("Turn"), [say("number %(number)s", number=table.turn), mover]
    yield say("Phase"), _phase(table)
    if table.over:
        yield say("Winners"), [_who(table, seat) for seat in table.winners or ()]
        if table.levied:
            yield say("Taxes"), [say("levied in the final turn")]
    if table.last_turn:
        yield say("Last turn"), [say("yes")]
    idle = [say("%(number)s of %(most)s", number=table.idle, most=10 * len(table.names))]
    if table.phase is Phase.ACTIONS:
        idle.append(say("this turn had one") if table.stirred else say("this turn had none yet"))
    elif table.over and table.stirred:
        idle.append(say("the final turn had one"))
    yield say("Turns without a wall or a point"), idle


def _phase(table: Table) -> Iterator[str]:
    match table.phase:
        case Phase.CARD:
            yield waits_for_card()
        case Phase.MARCH:
            assert table.chosen
            yield waits_for_march(table.chosen)
        case Phase.ACTIONS:
            yield waits_for_actions(table.actions_left)
            yield (
                say("taxes were levied this turn") if table.levied else say("no taxes were levied this turn")
            )
        case Phase.OVER:
            assert table.reason
            yield game_over(table.reason)
        case _:
            assert_never(table.phase)


def _cards(view: View) -> Iterator[Fact]:
    table = view.table
    if view.me is not None:
        yield say("Your hand"), _bag(view.hand)
    yield say("Display"), _bag(table.display)
    yield say("Supply"), [phrases.cards_counted(view.supply_size)]
    yield say("Discard pile"), _bag(table.discard)


def _bag(bag: Bag) -> list[str]:
    return [phrases.several(card, bag[card]) for card in bag.kinds()] or [say("none")]


def _seats(view: View) -> Iterator[Fact]:
    table = view.table
    for seat, (points, gain) in enumerate(zip(table.scores, gains(table), strict=True)):
        hand, supply = view.hand_sizes[seat], table.guards_in_supply(seat)
        yield (
            say("Seat %(number)s", number=seat + 1),
            [
                _name(table, seat),
                phrases.look(seat),
                phrases.points(points),
                say_many("%(number)s card in hand", "%(number)s cards in hand", hand),
                say_many("%(number)s guard in supply", "%(number)s guards in supply", supply),
                say("a levy would give %(number)s", number=gain),
            ],
        )


def _guards(table: Table) -> Iterator[Fact]:
    for seat, standing in enumerate(table.guards):
        found = [_guard(table, space) for space in standing] or [say("none on the board")]
        yield say("Guards of seat %(number)s", number=seat + 1), found


def _guard(table: Table, space: Space) -> str:
    place, home = _place(table, space), province_at(table, space)
    return say(
        "%(place)s in %(province)s worth %(value)s", place=place, province=home.first, value=home.value
    )


def _place(table: Table, space: Space) -> str:
    symbol = table.board.symbols[space]
    assert symbol
    return f"{phrases.symbol(symbol)} {table.board.names[space]} {space}"


def _provinces(table: Table) -> Iterator[Fact]:
    """Every province in reading order; the largest one, while it is free, is the rest of the board: last."""
    parts = list(provinces(table))
    largest = max(parts, key=lambda part: len(part.spaces))
    rest = largest if largest.holder is None and len(parts) > 1 else None
    for part in parts:
        if part is not rest:
            yield say("Province %(name)s", name=part.first), _province(table, part)
    if rest:
        yield say("The rest of the board, %(name)s", name=rest.first), _province(table, rest)


def _province(table: Table, part: Province) -> Iterator[str]:
    yield say("worth %(value)s", value=part.value)
    yield phrases.spaces(len(part.spaces))
    if part.holder is None:
        yield say("free")
    else:
        yield say("held by %(player)s", player=_who(table, part.holder))
        many = len(part.guards)
        yield phrases.guards(1) if many == 1 else say("%(number)s guards and so scores nothing", number=many)
    for place in part.places:
        named = _place(table, place)
        yield say("%(place)s with a guard", place=named) if place in part.guards else named
    if not part.places:
        yield say("without a symbol")


def _numbered(labels: Mapping[Point, str]) -> Iterator[str]:
    for point, label in sorted(labels.items()):
        yield say("%(label)s is %(point)s", label=plain_name(label, 3), point=point)


def _walls(table: Table) -> list[str]:
    """The sides that carry walls, joined into rows of points."""
    return [
        "-".join(map(str, run[at : at + LONGEST_RUN]))
        for run in runs(table.walls)
        for at in range(0, len(run) - 1, LONGEST_RUN - 1)
    ] or [say("none")]
